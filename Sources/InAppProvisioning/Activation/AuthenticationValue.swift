// SPDX-License-Identifier: Apache-2.0

public import WalletCrypto

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Mastercard's Tokenization Authentication Value (TAV): a JSON object with a signature over the card.
///
/// Known from the source of YAP's wallet (versions 2 and 3), a sample of Mastercard's and Fiserv's documentation
/// (version 4). `signatureAlgorithm` is RSA-SHA256: RSASSA-PKCS1-v1_5 (RFC 8017, 8.2).
public struct AuthenticationValue: Hashable, Sendable, Concealed {
    /// The version: 2, 3 or 4.
    public let version: Int
    /// Version 4: which key signed.
    public let keyAlias: String?
    /// Versions 3 and 4: until when it may be used.
    public let validUntil: Date?
    /// Versions 3 and 4: the names of the fields that are signed, in their order.
    public let includedFields: [String]
    /// Version 2: whether the expiration is signed.
    public let includesExpiration: Bool
    /// The signature.
    public let signature: [UInt8]
    private let validUntilText: String?

    /// The only algorithm there is.
    static let algorithm = "RSA-SHA256"
    private static let until = "dataValidUntilTimestamp"

    /// A value from its JSON.
    /// - Throws: `invalidActivation`, `invalidJSON`.
    public init(json bytes: [UInt8]) throws(ProvisioningError) {
        let json = try JSONValue(reading: bytes)
        guard json.members != nil else { throw Self.failure("is not a JSON object") }
        switch json["version"] {
        case .string(let text)?, .number(let text)?: version = Int(text) ?? 0
        default: version = 0
        }
        guard (2...4).contains(version) else { throw Self.failure("has no version of 2 to 4") }
        guard json["signatureAlgorithm"]?.text == Self.algorithm else {
            throw Self.failure("has another signatureAlgorithm than \(Self.algorithm)")
        }
        guard let text = json["signature"]?.text, let signature = BlobEncoding.base64.decode(text), !signature.isEmpty
        else { throw Self.failure("has no signature in Base64") }
        self.signature = signature
        keyAlias = json["keyAlias"]?.text
        if version == 2 {
            includesExpiration = try Self.flag(json["expirationDateIncluded"])
            guard try !Self.flag(json["tokenUniqueReferenceIncluded"]) else {
                throw Self.failure("includes a token's reference, which a new card does not have")
            }
            (includedFields, validUntil, validUntilText) = ([], nil, nil)
            return
        }
        includesExpiration = false
        includedFields = (json["includedFieldsInOrder"]?.text ?? "").split(separator: "|").map(String.init)
        validUntilText = json[Self.until]?.text
        validUntil = validUntilText.flatMap(Self.date)
        guard !includedFields.isEmpty else { throw Self.failure("has no includedFieldsInOrder") }
        guard validUntil != nil else { throw Self.failure("has no \(Self.until) in ISO 8601") }
        guard version == 3 || keyAlias != nil else { throw Self.failure("has no keyAlias") }
    }

    /// Signs a card.
    /// - Parameters:
    ///   - version: 2, 3 or 4.
    ///   - validUntil: for versions 3 and 4.
    public init(
        version: Int, card: CardDetails, validUntil: Date, keyAlias: String = "countertop-test", key: RSAPrivateKey
    ) throws(ProvisioningError) {
        guard (2...4).contains(version) else { throw Self.failure("has no version of 2 to 4") }
        self.version = version
        self.keyAlias = version == 4 ? keyAlias : nil
        includesExpiration = version == 2
        let seconds = Date(timeIntervalSince1970: validUntil.timeIntervalSince1970.rounded(.down))
        self.validUntil = version == 2 ? nil : seconds
        validUntilText = version == 2 ? nil : seconds.formatted(Self.timestamps)
        includedFields =
            switch version {
            case 2: []
            case 3: ["accountNumber", "accountExpiry", Self.until]
            default: [Self.until, "accountNumber", "accountExpiry"]
            }
        let text = Self.signedText(version, includesExpiration, includedFields, validUntilText, card)
        guard let text, let block = Self.block(text, count: key.modulus.count) else {
            throw Self.failure("cannot be signed with a key this short")
        }
        do { signature = try key.sign(rawBlock: block) } catch { throw ProvisioningError(internal: error) }
    }

    /// The value as JSON, which is what goes into the activation data: not its Base64.
    public func json() -> [UInt8] {
        var members: [JSONValue.Member] = [.init("version", .string(String(version)))]
        if version == 2 {
            members.append(.init("expirationDateIncluded", .bool(includesExpiration)))
            members.append(.init("tokenUniqueReferenceIncluded", .bool(false)))
        }
        members.append(.init("signatureAlgorithm", .string(Self.algorithm)))
        if let keyAlias { members.append(.init("keyAlias", .string(keyAlias))) }
        if let validUntilText {
            members.append(.init(Self.until, .string(validUntilText)))
            members.append(.init("includedFieldsInOrder", .string(includedFields.joined(separator: "|"))))
        }
        members.append(.init("signature", .string(BlobEncoding.base64.encode(signature))))
        return JSONValue.object(members).utf8
    }

    /// Whether the signature is that of `modulus` and `exponent` over this card.
    public func isSigned(for card: CardDetails, modulus: [UInt8], exponent: [UInt8]) -> Bool {
        guard let text = Self.signedText(version, includesExpiration, includedFields, validUntilText, card),
            let block = Self.block(text, count: modulus.count),
            let recovered = try? RSA.recover(signature, modulus: modulus, exponent: exponent)
        else { return false }
        return ConstantTime.areEqual(recovered, block)
    }

    private static let timestamps = Date.ISO8601FormatStyle()
    private static let fineTimestamps = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    private static func date(_ text: String) -> Date? {
        // Years of four digits only: what is longer is no date of a card.
        guard text.utf8.count <= 40, !text.utf8.starts(with: "+".utf8), !text.utf8.starts(with: "-".utf8) else {
            return nil
        }
        return (try? Date(text, strategy: timestamps)) ?? (try? Date(text, strategy: fineTimestamps))
    }

    private static func failure(_ what: String) -> ProvisioningError {
        ProvisioningError(.invalidActivation, "The authentication value \(what)")
    }

    /// Booleans, or the texts that Mastercard's sample has instead.
    private static func flag(_ value: JSONValue?) throws(ProvisioningError) -> Bool {
        switch value {
        case .bool(let flag)?: return flag
        case .string("true")?: return true
        case .string("false")?: return false
        default: throw failure("has a flag that is neither true nor false")
        }
    }

    private static func signedText(
        _ version: Int, _ includesExpiration: Bool, _ fields: [String], _ validUntil: String?, _ card: CardDetails
    ) -> [UInt8]? {
        let expiry = card.expiration.filter { $0 != "/" }
        if version == 2 {
            return Array((card.primaryAccountNumber + (includesExpiration ? "Y\(expiry)N" : "NN")).utf8)
        }
        let values: [String: String?] = [
            "accountNumber": card.primaryAccountNumber, "accountExpiry": expiry, until: validUntil,
        ]
        let parts = fields.compactMap { values[$0] ?? nil }
        return parts.count == fields.count ? Array(parts.joined(separator: "|").utf8) : nil
    }

    /// EMSA-PKCS1-v1_5 with SHA-256 (RFC 8017, 9.2); nil when `count` is too small.
    private static func block(_ message: [UInt8], count: Int) -> [UInt8]? {
        let prefix: [UInt8] = [
            0x30, 0x31, 0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04,
            0x20,
        ]
        let digest = prefix + Digest.sha256(message)
        guard count >= digest.count + 11 else { return nil }
        return [0x00, 0x01] + [UInt8](repeating: 0xFF, count: count - digest.count - 3) + [0x00] + digest
    }
}
