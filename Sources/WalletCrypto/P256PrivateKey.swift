// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// A private key on P-256 (secp256r1). Nothing prints it; its memory is overwritten when the last copy goes.
///
/// Copies share one scalar, which is never changed: any thread may use the key.
public struct P256PrivateKey: Sendable {
    let scalar: P256Curve.Scalar
    /// The public half.
    public let publicKey: P256PublicKey

    /// A fresh random key.
    public static func generate() throws(CryptoError) -> P256PrivateKey {
        try P256PrivateKey(scalar: try P256Curve.randomScalar())
    }

    /// A key from its scalar, 32 bytes big endian, 1 to n - 1.
    public init(scalar bytes: some Collection<UInt8>) throws(CryptoError) {
        guard bytes.count == P256Curve.coordinateCount else {
            throw CryptoError(.invalidKey, "A P-256 private key has 32 bytes, not \(bytes.count)")
        }
        guard let number = BN_secure_new() else { throw .openSSL("make a number") }
        let scalar = P256Curve.Scalar(owning: number)
        guard withBytes(bytes, { BN_bin2bn($0.octets, Int32($0.count), number) }) != nil else {
            throw .openSSL("read a number")
        }
        guard try P256Curve.isScalar(number) else {
            throw CryptoError(.invalidKey, "This number is not a P-256 private key: it is zero or not below the order")
        }
        try self.init(scalar: scalar)
    }

    private init(scalar: P256Curve.Scalar) throws(CryptoError) {
        self.scalar = scalar
        publicKey = P256PublicKey(computed: try P256Curve.publicPoint(of: scalar))
    }

    /// The ECDH secret Z: the X coordinate of the product, 32 bytes, leading zeros kept.
    public func sharedSecret(with other: P256PublicKey) throws(CryptoError) -> SecretBytes {
        try withBytes(other.uncompressed) { point throws(CryptoError) in try P256Curve.agree(scalar, point) }
    }

    /// The ECDH secret with the point that has this X coordinate (32 bytes big endian).
    ///
    /// The sign of Y does not matter: both points give the same X of the product.
    public func sharedSecret(withX x: some Collection<UInt8>) throws(CryptoError) -> SecretBytes {
        try P256PublicKey.withCompressed(x: x) { point throws(CryptoError) in try P256Curve.agree(scalar, point) }
    }
}

extension P256PrivateKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// That it is a private key, and no more.
    public var description: String { "<P-256 private key>" }
    /// That it is a private key, and no more.
    public var debugDescription: String { description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
