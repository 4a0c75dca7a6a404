// SPDX-License-Identifier: Apache-2.0

public import BERTLV
public import WalletCrypto

/// A read as the provider sees it. Cardholder data: nothing prints it, but ``objects`` holds it in the clear.
public struct OpenedRead: Sendable {
    /// The header, authenticated, as JSON text.
    public let header: String
    /// The header's key id.
    public let keyID: String?
    /// The reader, `apu`.
    public let readerID: String
    /// The merchant, `apv`.
    public let merchantID: String
    /// The transaction, `txn`.
    public let transactionID: String?
    /// When it was sealed, in seconds since 1970, `iat`.
    public let issuedAt: Int?
    /// What was sealed, in order.
    public let objects: [TLV]
}

extension OpenedRead: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// How many objects there are, nothing else.
    public var description: String { "<opened read, \(objects.count) objects>" }
    /// The same.
    public var debugDescription: String { description }
    /// Without children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The provider's side of ``PaymentEnvelope``, for tests and demonstrations. A counter does not have the key.
public enum ProviderSide {
    /// Opens `paymentCardData`: the Base64 text, or the JWE inside it.
    /// - Throws: ``CryptoError`` with `invalidMessage` for what is no sealed read, `authenticationFailed` for another
    ///   key or changed text.
    public static func open(_ paymentCardData: String, with key: P256PrivateKey) throws(CryptoError) -> OpenedRead {
        let opened = try JWE.open(try compactText(paymentCardData), with: key)
        guard opened.header["typ"]?.string == PaymentEnvelope.type,
            opened.header["cty"]?.string == PaymentEnvelope.contentType
        else { throw CryptoError(.invalidMessage, "This is sealed, but it is no card read") }
        let objects = opened.plaintext.withUnsafeBytes { try? TLV.read(Array($0)) }
        guard let objects else { throw CryptoError(.invalidMessage, "The sealed read is not BER-TLV") }
        return OpenedRead(
            header: opened.header.text, keyID: opened.header["kid"]?.string, readerID: party(opened.header, "apu"),
            merchantID: party(opened.header, "apv"), transactionID: opened.header["txn"]?.string,
            issuedAt: opened.header["iat"]?.integer, objects: objects)
    }

    private static func compactText(_ text: String) throws(CryptoError) -> String {
        let characters = text.drop { $0.isWhitespace }
        if characters.utf8.contains(UInt8(ascii: ".")) {
            return String(characters.prefix { !$0.isWhitespace })
        }
        guard characters.utf8.count <= 2 * JWE.maximumCount, let bytes = Base64.decode(characters), !bytes.isEmpty,
            let text = String(validating: bytes, as: UTF8.self)
        else { throw CryptoError(.invalidMessage, "This is not Base64 of a JWE") }
        return text
    }

    private static func party(_ header: JOSEValue, _ name: String) -> String {
        header[name]?.string.flatMap { Base64URL.decode($0) }.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
