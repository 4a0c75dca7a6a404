// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// OpenSSL's algorithms, each fetched once: a fetch by name costs more than hashing a short message.
///
/// Fetched algorithms are read-only and may be shared between threads.
enum Algorithms {
    nonisolated(unsafe) static let sha1 = EVP_MD_fetch(nil, "SHA1", nil)
    nonisolated(unsafe) static let sha256 = EVP_MD_fetch(nil, "SHA2-256", nil)
    nonisolated(unsafe) static let aes128GCM = EVP_CIPHER_fetch(nil, "AES-128-GCM", nil)
    nonisolated(unsafe) static let aes192GCM = EVP_CIPHER_fetch(nil, "AES-192-GCM", nil)
    nonisolated(unsafe) static let aes256GCM = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)
    nonisolated(unsafe) static let aes128Wrap = EVP_CIPHER_fetch(nil, "AES-128-WRAP", nil)
    nonisolated(unsafe) static let aes192Wrap = EVP_CIPHER_fetch(nil, "AES-192-WRAP", nil)
    nonisolated(unsafe) static let aes256Wrap = EVP_CIPHER_fetch(nil, "AES-256-WRAP", nil)
    nonisolated(unsafe) static let tripleDESECB = EVP_CIPHER_fetch(nil, "DES-EDE-ECB", nil)
    nonisolated(unsafe) static let tripleDESCBC = EVP_CIPHER_fetch(nil, "DES-EDE-CBC", nil)
    nonisolated(unsafe) static let hmac = EVP_MAC_fetch(nil, "HMAC", nil)
    nonisolated(unsafe) static let x963KDF = EVP_KDF_fetch(nil, "X963KDF", nil)
    nonisolated(unsafe) static let hkdf = EVP_KDF_fetch(nil, "HKDF", nil)

    /// The AES-GCM cipher for a key of `keyBytes` bytes.
    static func aesGCM(keyBytes: Int) -> OpaquePointer? {
        switch keyBytes {
        case 16: aes128GCM
        case 24: aes192GCM
        case 32: aes256GCM
        default: nil
        }
    }

    /// The AES key wrap cipher for a key of `keyBytes` bytes.
    static func aesWrap(keyBytes: Int) -> OpaquePointer? {
        switch keyBytes {
        case 16: aes128Wrap
        case 24: aes192Wrap
        case 32: aes256Wrap
        default: nil
        }
    }
}

/// The length of a SHA-256 digest in bytes (FIPS 180-4).
let sha256Count = 32
