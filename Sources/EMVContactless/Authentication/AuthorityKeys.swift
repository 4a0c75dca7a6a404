// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import ISO7816
internal import WalletCrypto

/// A public key of a payment system's certification authority.
public struct AuthorityKey: Hashable, Sendable {
    /// Registered application provider, five bytes.
    public let rid: [UInt8]
    /// Index that tag 8F names.
    public let index: UInt8
    /// The key.
    public let key: RecoveryKey

    /// A key whose check sum is right.
    ///
    /// - Parameters:
    ///   - rid: the payment system's five bytes.
    ///   - index: the index that tag 8F names.
    ///   - modulus: 64 to 248 bytes.
    ///   - exponent: 1 to 3 bytes.
    ///   - checkSum: SHA-1 of RID, index, modulus and exponent (EMV Book 2, 10.2).
    /// - Throws: code `invalidKeyFile`.
    public init(
        rid: [UInt8], index: UInt8, modulus: [UInt8], exponent: [UInt8], checkSum: [UInt8]
    ) throws(EMVError) {
        let name = "\(Hex.encode(rid))/\(Hex.encode([index]))"
        guard rid.count == 5, (64...248).contains(modulus.count), (1...3).contains(exponent.count) else {
            throw EMVError(.invalidKeyFile, "authority key \(name): a length is wrong")
        }
        guard Digest.sha1(rid + [index] + modulus + exponent) == checkSum else {
            throw EMVError(.invalidKeyFile, "authority key \(name): the check sum differs")
        }
        (self.rid, self.index) = (rid, index)
        key = RecoveryKey(modulus: modulus, exponent: exponent)
    }
}

/// The authority keys a reader trusts: test keys or live keys, never both.
public struct AuthorityKeys: Hashable, Sendable {
    /// What the keys are for.
    public enum Use: String, Hashable, Sendable, Codable {
        /// Test cards: what a test counter loads.
        case test
        /// Cards of real people.
        case live
    }

    /// What all keys here are for.
    public let use: Use
    private var keys: [Name: AuthorityKey] = [:]

    private struct Name: Hashable {
        let rid: [UInt8]
        let index: UInt8
    }

    /// No keys yet.
    public init(_ keys: [AuthorityKey] = [], use: Use = .test) {
        self.use = use
        for key in keys { add(key) }
    }

    /// Number of keys.
    public var count: Int { keys.count }

    /// Adds a key, in place of one with the same name.
    public mutating func add(_ key: AuthorityKey) { keys[Name(rid: key.rid, index: key.index)] = key }

    /// Adds another set.
    ///
    /// - Throws: code `invalidKeyFile` when the other set is for another use.
    public mutating func add(_ other: AuthorityKeys) throws(EMVError) {
        guard other.use == use else {
            throw EMVError(.invalidKeyFile, "\(other.use.rawValue) keys do not go into a set of \(use.rawValue) keys")
        }
        keys.merge(other.keys) { _, new in new }
    }

    /// The key that tag 8F names for an application.
    public func key(for aid: some Collection<UInt8>, index: UInt8) -> AuthorityKey? {
        keys[Name(rid: Array(aid.prefix(5)), index: index)]
    }

    /// Reads a JSON file: `{"use":"test","keys":[{"rid","index","modulus","exponent","sha1Check"}]}`, all hex.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - use: what the caller loads keys for. A file that says otherwise is refused; one that says nothing counts
    ///     as test keys.
    /// - Throws: code `invalidKeyFile`; one wrong check sum refuses the whole file.
    public init(file path: String, use: Use = .test) throws(EMVError) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw EMVError(.invalidKeyFile, "the file with the authority keys cannot be read")
        }
        try self.init(json: data, use: use)
    }

    /// Reads the contents of a key file.
    public init(json: Data, use: Use = .test) throws(EMVError) {
        guard let file = try? JSONDecoder().decode(KeyFile.self, from: json) else {
            throw EMVError(.invalidKeyFile, "the file with the authority keys is not JSON of the known form")
        }
        guard (file.use ?? .test) == use else {
            throw EMVError(
                .invalidKeyFile, "the file holds \((file.use ?? .test).rawValue) keys, not \(use.rawValue) keys")
        }
        self.init(use: use)
        for row in file.keys { add(try row.key()) }
    }
}

private struct KeyFile: Decodable {
    struct Row: Decodable {
        let rid: String
        let index: String
        let modulus: String
        let exponent: String
        let sha1Check: String

        func key() throws(EMVError) -> AuthorityKey {
            guard let rid = try? Hex.decode(rid), let number = try? Hex.decode(index), number.count == 1,
                let modulus = try? Hex.decode(modulus), let exponent = try? Hex.decode(exponent),
                let checkSum = try? Hex.decode(sha1Check)
            else { throw EMVError(.invalidKeyFile, "an authority key is not hex") }
            return try AuthorityKey(
                rid: rid, index: number[0], modulus: modulus, exponent: exponent, checkSum: checkSum)
        }
    }

    let use: AuthorityKeys.Use?
    let keys: [Row]
}

/// Issuer certificates that are no longer good (EMV Book 2, 5.1.2): by provider, authority key and serial number.
public struct RevocationList: Hashable, Sendable {
    private var entries: Set<[UInt8]> = []

    /// An empty list.
    public init() {}

    /// Number of certificates.
    public var count: Int { entries.count }

    /// Revokes a certificate: RID of five bytes, index, serial number of three.
    public mutating func revoke(rid: [UInt8], index: UInt8, serial: [UInt8]) { entries.insert(rid + [index] + serial) }

    /// Whether a certificate is revoked.
    public func contains(rid: some Collection<UInt8>, index: UInt8, serial: [UInt8]) -> Bool {
        entries.contains(Array(rid.prefix(5)) + [index] + serial)
    }
}
