// SPDX-License-Identifier: Apache-2.0

internal import WalletCrypto

/// Why data of a card could not be proved. Open; the text is for people and holds no card data.
public struct AuthenticationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Stable name.
    public let code: String
    /// In words.
    public let description: String

    /// An object that is needed is not there.
    static func missing(_ what: String) -> AuthenticationFailure {
        AuthenticationFailure(code: "dataMissing", description: "the card left out \(what)")
    }

    /// A certificate or signature that does not open, or whose fields are wrong.
    static func invalid(_ what: String, _ why: String) -> AuthenticationFailure {
        AuthenticationFailure(code: "invalid", description: "\(what): \(why)")
    }

    /// A hash that differs.
    static func hash(_ what: String) -> AuthenticationFailure {
        AuthenticationFailure(code: "hashMismatch", description: "\(what): the hash differs")
    }

    /// No key of the certification authority.
    public static let unknownAuthorityKey = AuthenticationFailure(
        code: "unknownAuthorityKey", description: "the certification authority's key is not loaded")
    /// A certificate past its month.
    public static let expiredCertificate = AuthenticationFailure(
        code: "expiredCertificate", description: "a certificate is expired")
    /// A certificate on the revocation list.
    public static let revoked = AuthenticationFailure(code: "revoked", description: "the issuer certificate is revoked")
    /// A certificate for another account.
    public static let otherAccount = AuthenticationFailure(
        code: "otherAccount", description: "a certificate belongs to another account")
    /// 9F4A asks for something other than the AIP.
    public static let tagList = AuthenticationFailure(
        code: "tagList", description: "the static data authentication tag list asks for more than the AIP")
}

/// A public key that recovers signatures.
public struct RecoveryKey: Hashable, Sendable {
    /// Big endian.
    public let modulus: [UInt8]
    /// Big endian, 1 to 3 bytes.
    public let exponent: [UInt8]

    /// A key.
    public init(modulus: [UInt8], exponent: [UInt8]) { (self.modulus, self.exponent) = (modulus, exponent) }

    /// Opens a certificate or signature and checks its frame: `6A`, the format, ..., SHA-1, `BC` (EMV Book 2, A2.1).
    func recover(_ signature: [UInt8], format: UInt8, what: String) throws(AuthenticationFailure) -> RecoveredData {
        guard signature.count == modulus.count else { throw .invalid(what, "its length is not the key's") }
        guard var bytes = try? RSA.recover(signature, modulus: modulus, exponent: exponent) else {
            throw .invalid(what, "it does not open")
        }
        defer { bytes.wipe() }
        guard bytes.count >= 24, bytes.first == 0x6A, bytes.last == 0xBC, bytes[1] == format else {
            throw .invalid(what, "its frame is wrong")
        }
        return RecoveredData(bytes: bytes, what: what)
    }
}

/// What a signature holds: header, format, fields, hash of 20 bytes, trailer.
///
/// A card certificate holds the PAN: the bytes are overwritten at the end.
final class RecoveredData: Sendable {
    private nonisolated(unsafe) let storage: UnsafeMutableBufferPointer<UInt8>
    let what: String

    init(bytes: [UInt8], what: String) {
        storage = .allocate(capacity: bytes.count)
        _ = storage.initialize(from: bytes)
        self.what = what
    }

    deinit {
        overwrite(UnsafeMutableRawBufferPointer(storage))
        storage.deallocate()
    }

    /// Number of bytes, the key's.
    var count: Int { storage.count }

    /// Format to the end of the padding: what the hash begins with.
    private var hashed: Slice<UnsafeMutableBufferPointer<UInt8>> { storage[1..<count - 21] }
    /// Recorded hash.
    var hash: [UInt8] { Array(storage[(count - 21)..<(count - 1)]) }

    /// Bytes by their place, counted from the header; nil outside.
    func field(_ start: Int, _ count: Int) throws(AuthenticationFailure) -> [UInt8] {
        guard start >= 0, count >= 0, start + count <= self.count - 21 else {
            throw .invalid(what, "it is too short")
        }
        return Array(storage[start..<start + count])
    }

    /// Whether the hash is SHA-1 of the recovered fields and `more`.
    func isHash(with more: [[UInt8]]) -> Bool {
        var input = Array(hashed)
        for part in more { input += part }
        defer { input.wipe() }
        return Digest.sha1(input) == hash
    }
}
