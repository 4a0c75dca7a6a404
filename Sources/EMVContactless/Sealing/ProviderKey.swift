// SPDX-License-Identifier: Apache-2.0

public import WalletCrypto

/// The payment provider's public key, to which reads are sealed.
public struct ProviderKey: Hashable, Sendable {
    /// The key.
    public let publicKey: P256PublicKey
    /// The `kid` of what is sealed to it.
    public let id: String

    /// A key; its id is the thumbprint of RFC 7638 where none is given.
    public init(_ publicKey: P256PublicKey, id: String? = nil) {
        (self.publicKey, self.id) = (publicKey, id ?? publicKey.thumbprint)
    }

    /// A key from PEM: PUBLIC KEY, or the public half of a certificate.
    /// - Throws: `invalidKey`, `invalidPoint` or `invalidCertificate`.
    public init(pem: String, id: String? = nil) throws(CryptoError) {
        self.init(try P256PublicKey(pem: pem), id: id)
    }

    /// Whether the private half stands in a public document: whatever is sealed to it, anybody can open.
    public var isPublished: Bool { Self.published.contains(Base64URL.encode(publicKey.x)) }

    /// X coordinates of keys whose private halves are printed in standards.
    private static let published: Set<String> = [
        "weNJy2HscCSM6AEDTDg04biOvhFhyyWvOHQfeF_PxMQ",  // Bob, RFC 7518, appendix C
        "gI0GAILBdu7T53akrFmMyGcsF3n5dO7MmwNBHKW5SV0",  // Alice, RFC 7518, appendix C
        "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",  // RFC 7517, appendix A.2
        "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",  // RFC 7515, appendix A.3
    ]
}
