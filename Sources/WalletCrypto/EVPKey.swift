// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// A P-256 key as OpenSSL's EVP_PKEY, for signatures and certificates. Made per use, never shared.
final class EVPKey {
    let pointer: OpaquePointer

    init(_ key: P256PrivateKey) throws(CryptoError) {
        // The number is a secure one, so the copy on its way into the key is overwritten too.
        pointer = try Self.make(key.publicKey, scalar: key.scalar.number)
    }

    init(_ key: P256PublicKey) throws(CryptoError) {
        pointer = try Self.make(key, scalar: nil)
    }

    deinit { EVP_PKEY_free(pointer) }

    private static func make(_ key: P256PublicKey, scalar: OpaquePointer?) throws(CryptoError) -> OpaquePointer {
        let point = key.uncompressed
        guard let made = countertop_p256_key(point, point.count, scalar) else { throw .openSSL("set up a key") }
        return made
    }
}
