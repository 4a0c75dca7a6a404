// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// A public key of Ed25519 (RFC 8032, 5.1): 32 bytes.
public struct Ed25519PublicKey: Hashable, Sendable {
    /// The key as RFC 8032 encodes it.
    public let bytes: [UInt8]

    /// A key from its 32 bytes.
    public init(_ bytes: some Collection<UInt8>) throws(CryptoError) {
        self.bytes = Array(bytes)
        _ = try RawKey(publicKey: self.bytes)
    }

    /// Whether `signature` (64 bytes) is one of this key over `message`.
    public func isValid(_ signature: [UInt8], for message: some Collection<UInt8>) -> Bool {
        drainingErrors {
            guard signature.count == Ed25519.signatureCount, let key = try? RawKey(publicKey: bytes),
                let context = EVP_MD_CTX_new()
            else { return false }
            defer { EVP_MD_CTX_free(context) }
            return withBytes(message) { message in
                EVP_DigestVerifyInit_ex(context, nil, nil, nil, nil, key.pointer, nil) == 1
                    && EVP_DigestVerify(context, signature, signature.count, message.octets, message.count) == 1
            }
        }
    }
}

/// A private key of Ed25519 (RFC 8032, 5.1.5), kept as its 32-byte seed. Never printed.
public struct Ed25519PrivateKey: Sendable {
    /// The public half.
    public let publicKey: Ed25519PublicKey
    private let seed: SecretBytes

    /// A key from its 32-byte seed, which RFC 8032 calls the private key.
    public init(seed: SecretBytes) throws(CryptoError) {
        let key = try RawKey(seed: seed)
        var bytes = [UInt8](repeating: 0, count: Ed25519.keyCount)
        var count = bytes.count
        guard EVP_PKEY_get_raw_public_key(key.pointer, &bytes, &count) == 1, count == bytes.count else {
            throw .openSSL("derive a public key")
        }
        (self.seed, publicKey) = (seed, try Ed25519PublicKey(bytes))
    }

    /// A fresh key.
    public static func generate() throws(CryptoError) -> Ed25519PrivateKey {
        try Ed25519PrivateKey(seed: .random(Ed25519.keyCount))
    }

    /// Lends the seed for the time of `body`. What `body` copies is no longer protected.
    public func withSeed<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try seed.withUnsafeBytes(body)
    }

    /// The 64-byte signature of `message`; the same each time.
    public func sign(_ message: some Collection<UInt8>) throws(CryptoError) -> [UInt8] {
        let key = try RawKey(seed: seed)
        guard let context = EVP_MD_CTX_new() else { throw .openSSL("set up a signature") }
        defer { EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: Ed25519.signatureCount)
        var count = signature.count
        let signed = withBytes(message) { message in
            EVP_DigestSignInit_ex(context, nil, nil, nil, nil, key.pointer, nil) == 1
                && EVP_DigestSign(context, &signature, &count, message.octets, message.count) == 1
        }
        guard signed, count == signature.count else { throw .openSSL("sign") }
        return signature
    }
}

extension Ed25519PrivateKey: CustomStringConvertible, CustomReflectable {
    /// What it is, and nothing of it.
    public var description: String { "<Ed25519 private key>" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Lengths of RFC 8032, 5.1.
private enum Ed25519 {
    static let keyCount = 32
    static let signatureCount = 64
}

/// A key as OpenSSL has it; made per use, never shared.
private final class RawKey {
    let pointer: OpaquePointer

    init(publicKey bytes: [UInt8]) throws(CryptoError) {
        pointer = try drainingErrors { () throws(CryptoError) in
            guard bytes.count == Ed25519.keyCount,
                let made = EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, bytes, bytes.count)
            else { throw CryptoError(.invalidKey, "An Ed25519 public key has 32 bytes, not \(bytes.count)") }
            return made
        }
    }

    init(seed: SecretBytes) throws(CryptoError) {
        pointer = try drainingErrors { () throws(CryptoError) in
            let made = seed.withUnsafeBytes { seed in
                seed.count == Ed25519.keyCount
                    ? EVP_PKEY_new_raw_private_key_ex(nil, "ED25519", nil, seed.octets, seed.count) : nil
            }
            guard let made else {
                throw CryptoError(.invalidKey, "An Ed25519 private key has 32 bytes, not \(seed.count)")
            }
            return made
        }
    }

    deinit { EVP_PKEY_free(pointer) }
}
