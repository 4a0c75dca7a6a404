// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import WalletCrypto

/// A pass issuer's private key with what it may open. It cannot be printed.
public struct VASKey: Sendable, CustomStringConvertible, CustomReflectable {
    let privateKey: P256PrivateKey
    /// The four bytes by which payloads name this key.
    public let id: VASKeyID
    /// The pass type it belongs to; nil opens any.
    public let passTypeIdentifier: String?
    /// The first moment at which it opens payloads; nil is always.
    public let validFrom: Date?
    /// The first moment at which it no longer does; nil is never.
    public let validUntil: Date?

    /// A key with its id computed.
    public init(
        _ key: P256PrivateKey, passTypeIdentifier: String? = nil, validFrom: Date? = nil, validUntil: Date? = nil
    ) {
        self.init(
            key, id: Self.id(of: key.publicKey), passTypeIdentifier: passTypeIdentifier, validFrom: validFrom,
            validUntil: validUntil)
    }

    /// For tests of ids that collide, which nobody can make on purpose.
    package init(
        _ key: P256PrivateKey, id: VASKeyID, passTypeIdentifier: String?, validFrom: Date? = nil,
        validUntil: Date? = nil
    ) {
        (privateKey, self.id, self.passTypeIdentifier) = (key, id, passTypeIdentifier)
        (self.validFrom, self.validUntil) = (validFrom, validUntil)
    }

    /// The key id of a public key: the start of SHA-256 over its X, 32 bytes big endian.
    public static func id(of key: P256PublicKey) -> VASKeyID { VASKeyID(Digest.sha256(key.x)) }

    /// Whether the key opens payloads read at `date`.
    public func isValid(at date: Date) -> Bool {
        validFrom.map { $0 <= date } ?? true && validUntil.map { date < $0 } ?? true
    }

    /// Whether the key opens passes of this type.
    public func opens(_ passTypeIdentifier: String) -> Bool {
        self.passTypeIdentifier == nil || self.passTypeIdentifier == passTypeIdentifier
    }

    /// Id and pass type, never the key.
    public var description: String { "key \(id) for \(passTypeIdentifier ?? "any pass type")" }

    /// No children: a dump shows no more than ``description``.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
