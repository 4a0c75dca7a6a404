// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// AES key wrap (RFC 3394) with keys of 128, 192 or 256 bits and the initial value A6A6A6A6A6A6A6A6.
public enum AESKeyWrap {
    /// The bytes that wrapping adds.
    public static let addedCount = 8

    /// Wraps `key` (16 bytes or more, a multiple of 8) with `wrappingKey`.
    public static func wrap(_ key: SecretBytes, with wrappingKey: SecretBytes) throws(CryptoError) -> [UInt8] {
        guard key.count >= 16, key.count.isMultiple(of: 8), key.count <= 4096 else {
            throw CryptoError(.invalidParameter, "A key to wrap has 16 to 4096 bytes in blocks of 8, not \(key.count)")
        }
        let context = try begin(wrappingKey, wrapping: true)
        defer { EVP_CIPHER_CTX_free(context) }
        var wrapped = [UInt8](repeating: 0, count: key.count + addedCount)
        var written: Int32 = 0
        let done = key.withUnsafeBytes { key in
            wrapped.withUnsafeMutableBytes { output in
                EVP_CipherUpdate(context, output.octets, &written, key.octets, Int32(key.count)) == 1
            }
        }
        guard done, Int(written) == wrapped.count else { throw .openSSL("wrap a key") }
        return wrapped
    }

    /// Unwraps a key.
    /// - Throws: `authenticationFailed` when the integrity check fails, `invalidParameter` for wrong lengths.
    public static func unwrap(
        _ wrapped: some Collection<UInt8>, with wrappingKey: SecretBytes
    ) throws(CryptoError) -> SecretBytes {
        guard wrapped.count >= 24, wrapped.count.isMultiple(of: 8), wrapped.count <= 4096 + addedCount else {
            throw CryptoError(
                .invalidParameter, "A wrapped key has 24 to 4104 bytes in blocks of 8, not \(wrapped.count)")
        }
        let context = try begin(wrappingKey, wrapping: false)
        defer { EVP_CIPHER_CTX_free(context) }
        // OpenSSL writes as far as the wrapped key is long before it checks.
        var buffer = [UInt8](repeating: 0, count: wrapped.count)
        defer { wipe(&buffer) }
        var written: Int32 = 0
        let done = withBytes(wrapped) { wrapped in
            buffer.withUnsafeMutableBytes { output in
                EVP_CipherUpdate(context, output.octets, &written, wrapped.octets, Int32(wrapped.count)) == 1
            }
        }
        guard done, Int(written) == wrapped.count - addedCount else {
            throw drainingErrors {
                CryptoError(.authenticationFailed, "The wrapped key does not open: another key, or it was changed")
            }
        }
        return SecretBytes(copying: buffer.prefix(Int(written)))
    }

    private static func begin(_ key: SecretBytes, wrapping: Bool) throws(CryptoError) -> OpaquePointer {
        guard let cipher = Algorithms.aesWrap(keyBytes: key.count) else {
            throw CryptoError(.invalidParameter, "An AES key has 16, 24 or 32 bytes, not \(key.count)")
        }
        guard let context = EVP_CIPHER_CTX_new() else { throw .openSSL("set up AES key wrap") }
        EVP_CIPHER_CTX_set_flags(context, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW)
        guard
            key.withUnsafeBytes({ EVP_CipherInit_ex(context, cipher, nil, $0.octets, nil, wrapping ? 1 : 0) == 1 })
        else {
            EVP_CIPHER_CTX_free(context)
            throw .openSSL("set up AES key wrap")
        }
        return context
    }
}
