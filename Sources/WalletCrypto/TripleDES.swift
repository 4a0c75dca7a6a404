// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// Triple DES with two keys: encrypt with the first, decrypt with the second, encrypt with the first (ISO/IEC 18033-3).
///
/// What EMV's symmetric cryptograms are made of (EMV Book 2, B1.1). A key has 16 bytes; parity bits are not looked at.
public enum TripleDES {
    /// The length of a block in bytes.
    public static let blockCount = 8

    /// Encrypts whole blocks, each for itself.
    public static func encrypt(_ blocks: some Collection<UInt8>, key: SecretBytes) throws(CryptoError) -> [UInt8] {
        try run(Algorithms.tripleDESECB, blocks, key: key, iv: [], encrypting: true)
    }

    /// Decrypts whole blocks, each for itself.
    public static func decrypt(_ blocks: some Collection<UInt8>, key: SecretBytes) throws(CryptoError) -> [UInt8] {
        try run(Algorithms.tripleDESECB, blocks, key: key, iv: [], encrypting: false)
    }

    /// Encrypts whole blocks in cipher block chaining mode, by default from zeros. No padding is added.
    public static func encryptCBC(
        _ blocks: some Collection<UInt8>, key: SecretBytes, iv: [UInt8] = [UInt8](repeating: 0, count: 8)
    ) throws(CryptoError) -> [UInt8] {
        try run(Algorithms.tripleDESCBC, blocks, key: key, iv: iv, encrypting: true)
    }

    /// Decrypts whole blocks in cipher block chaining mode, by default from zeros. No padding is removed.
    public static func decryptCBC(
        _ blocks: some Collection<UInt8>, key: SecretBytes, iv: [UInt8] = [UInt8](repeating: 0, count: 8)
    ) throws(CryptoError) -> [UInt8] {
        try run(Algorithms.tripleDESCBC, blocks, key: key, iv: iv, encrypting: false)
    }

    private static func run(
        _ cipher: OpaquePointer?, _ input: some Collection<UInt8>, key: SecretBytes, iv: [UInt8], encrypting: Bool
    ) throws(CryptoError) -> [UInt8] {
        guard key.count == 16 else {
            throw CryptoError(.invalidParameter, "A triple DES key here has 16 bytes, not \(key.count)")
        }
        guard input.count.isMultiple(of: blockCount), let count = Int32(exactly: input.count) else {
            throw CryptoError(.invalidParameter, "Triple DES takes whole blocks of 8 bytes, not \(input.count)")
        }
        guard iv.isEmpty || iv.count == blockCount else {
            throw CryptoError(.invalidParameter, "A triple DES IV has 8 bytes, not \(iv.count)")
        }
        guard count > 0 else { return [] }
        guard let cipher, let context = EVP_CIPHER_CTX_new() else { throw .openSSL("set up triple DES") }
        defer { EVP_CIPHER_CTX_free(context) }
        var output = [UInt8](repeating: 0, count: input.count)
        var written: Int32 = 0
        let done = key.withUnsafeBytes { key in
            EVP_CipherInit_ex(context, cipher, nil, key.octets, iv.isEmpty ? nil : iv, encrypting ? 1 : 0) == 1
                && EVP_CIPHER_CTX_set_padding(context, 0) == 1
                && withBytes(input) { EVP_CipherUpdate(context, &output, &written, $0.octets, count) == 1 }
        }
        guard done, written == count else { throw .openSSL("encrypt with triple DES") }
        return output
    }
}

/// The MAC of ISO/IEC 9797-1, algorithm 3 with DES, called retail MAC: single DES to the last block, and there triple
/// DES (EMV Book 2, A1.2.1). 8 bytes; a shorter MAC is its beginning.
public enum RetailMAC {
    /// How a message is brought to whole blocks (ISO/IEC 9797-1, 6.3).
    public enum Padding: Int, Hashable, Sendable {
        /// Zeros, where any are needed. An empty message becomes one block.
        case method1 = 1
        /// `80`, then zeros where any are needed. EMV's.
        case method2 = 2
    }

    /// The MAC of `message` under a key of 16 bytes.
    public static func authenticate(
        _ message: some Collection<UInt8>, key: SecretBytes, padding: Padding = .method2
    ) throws(CryptoError) -> [UInt8] {
        guard key.count == 16 else {
            throw CryptoError(.invalidParameter, "A retail MAC key has 16 bytes, not \(key.count)")
        }
        var padded = Array(message)
        defer { wipe(&padded) }
        if padding == .method2 { padded.append(0x80) }
        while padded.isEmpty || !padded.count.isMultiple(of: 8) { padded.append(0) }
        // Triple DES with one key twice is single DES, which OpenSSL keeps among its old algorithms.
        let single = key.withUnsafeBytes { SecretBytes(copying: Array($0.prefix(8)) + Array($0.prefix(8))) }
        var chain = try TripleDES.encryptCBC(padded.dropLast(8), key: single)
        defer { wipe(&chain) }
        return try TripleDES.encryptCBC(
            padded.suffix(8), key: key, iv: chain.isEmpty ? [UInt8](repeating: 0, count: 8) : chain.suffix(8))
    }
}
