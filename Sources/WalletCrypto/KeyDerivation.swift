// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// The key derivation of ANSI X9.63 with SHA-256: blocks of SHA-256(Z ‖ counter ‖ SharedInfo) (SEC 1, 3.6.1).
public enum X963KDF {
    /// `count` bytes (1 to 255 × 32 here; the standard allows more than anybody needs).
    public static func sha256(
        sharedSecret: SecretBytes, sharedInfo: some Collection<UInt8>, count: Int
    ) throws(CryptoError) -> SecretBytes {
        try CounterKDF.derive(count: count, secret: sharedSecret, info: sharedInfo, counterFirst: false)
    }
}

/// The single-step key derivation with SHA-256: blocks of SHA-256(counter ‖ Z ‖ OtherInfo) (NIST SP 800-56A, 5.8.1).
public enum ConcatKDF {
    /// `count` bytes (1 to 255 × 32 here; the standard allows more than anybody needs).
    public static func sha256(
        sharedSecret: SecretBytes, otherInfo: some Collection<UInt8>, count: Int
    ) throws(CryptoError) -> SecretBytes {
        try CounterKDF.derive(count: count, secret: sharedSecret, info: otherInfo, counterFirst: true)
    }
}

/// Both constructions: they differ in the place of the 32-bit big-endian counter, which starts at 1.
private enum CounterKDF {
    static func derive(
        count: Int, secret: SecretBytes, info: some Collection<UInt8>, counterFirst: Bool
    ) throws(CryptoError) -> SecretBytes {
        guard (1...255 * sha256Count).contains(count) else {
            throw CryptoError(.invalidParameter, "A derived key has 1 to \(255 * sha256Count) bytes, not \(count)")
        }
        guard let context = EVP_MD_CTX_new() else { throw .openSSL("set up a key derivation") }
        defer { EVP_MD_CTX_free(context) }
        var done = false
        let derived = SecretBytes(count: count) { output in
            done = secret.withUnsafeBytes { z in
                withBytes(info) { fill(output, context, secret: z, info: $0, counterFirst: counterFirst) }
            }
        }
        guard done else { throw .openSSL("derive a key") }
        return derived
    }

    private static func fill(
        _ output: UnsafeMutableRawBufferPointer, _ context: OpaquePointer, secret: UnsafeRawBufferPointer,
        info: UnsafeRawBufferPointer, counterFirst: Bool
    ) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: sha256Count, alignment: 8) { block in
            defer { OPENSSL_cleanse(block.baseAddress, block.count) }
            var (offset, counter) = (0, UInt32(1))
            while offset < output.count {
                var counterBytes = counter.bigEndian
                guard EVP_DigestInit_ex2(context, Algorithms.sha256, nil) == 1,
                    counterFirst || add(secret, to: context), EVP_DigestUpdate(context, &counterBytes, 4) == 1,
                    !counterFirst || add(secret, to: context), add(info, to: context),
                    EVP_DigestFinal_ex(context, block.octets, nil) == 1
                else { return false }
                let taken = min(sha256Count, output.count - offset)
                UnsafeMutableRawBufferPointer(rebasing: output[offset..<offset + taken])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: block[..<taken]))
                (offset, counter) = (offset + taken, counter + 1)
            }
            return true
        }
    }

    private static func add(_ bytes: UnsafeRawBufferPointer, to context: OpaquePointer) -> Bool {
        bytes.isEmpty || EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
    }
}

/// HKDF with SHA-256 (RFC 5869), extract and expand.
public enum HKDF {
    /// `count` bytes (1 to 255 × 32).
    public static func sha256(
        inputKey: SecretBytes, salt: some Collection<UInt8> = [], info: some Collection<UInt8> = [], count: Int
    ) throws(CryptoError) -> SecretBytes {
        guard (1...255 * sha256Count).contains(count) else {
            throw CryptoError(.invalidParameter, "HKDF gives 1 to \(255 * sha256Count) bytes, not \(count)")
        }
        // Extract: the salt is the HMAC key; no salt stands for 32 zero bytes (2.2).
        let saltKey = SecretBytes(copying: salt)
        var pseudorandom = try inputKey.withUnsafeBytes { key throws(CryptoError) in
            try HMACSHA256.authenticate(key, key: saltKey)
        }
        defer { wipe(&pseudorandom) }
        let key = SecretBytes(copying: pseudorandom)
        let info = Array(info)
        return try SecretBytes(count: count) { output throws(CryptoError) in
            var (block, offset, counter): ([UInt8], Int, UInt8) = ([], 0, 1)
            defer { wipe(&block) }
            while offset < count {
                block = try HMACSHA256.authenticate(block + info + [counter], key: key)
                let taken = min(sha256Count, count - offset)
                output[offset..<offset + taken].copyBytes(from: block.prefix(taken))
                offset += taken
                counter &+= 1
            }
        }
    }
}
