// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// The key derivation of ANSI X9.63 with SHA-256: blocks of SHA-256(Z ‖ counter ‖ SharedInfo) (SEC 1, 3.6.1).
public enum X963KDF {
    /// `count` bytes (1 to 255 × 32 here; the standard allows more than anybody needs).
    public static func sha256(
        sharedSecret: SecretBytes, sharedInfo: some Collection<UInt8>, count: Int
    ) throws(CryptoError) -> SecretBytes {
        try derive(with: Algorithms.x963KDF, secret: sharedSecret, info: sharedInfo, count: count)
    }
}

/// The single-step key derivation with SHA-256: blocks of SHA-256(counter ‖ Z ‖ OtherInfo) (NIST SP 800-56A, 5.8.1).
public enum ConcatKDF {
    /// `count` bytes (1 to 255 × 32 here; the standard allows more than anybody needs).
    public static func sha256(
        sharedSecret: SecretBytes, otherInfo: some Collection<UInt8>, count: Int
    ) throws(CryptoError) -> SecretBytes {
        guard (1...255 * sha256Count).contains(count) else {
            throw CryptoError(.invalidParameter, "A derived key has 1 to \(255 * sha256Count) bytes, not \(count)")
        }
        // A hash of a few bytes; OpenSSL's own derivation looks its digest up by name each time, which costs more.
        var input = [UInt8](repeating: 0, count: 4)
        input.reserveCapacity(4 + sharedSecret.count + otherInfo.count)
        sharedSecret.withUnsafeBytes { input += $0 }
        input += otherInfo
        defer { wipe(&input) }
        return SecretBytes(count: count) { output in
            for block in 0..<(count + sha256Count - 1) / sha256Count {
                // At most 255 blocks: the counter's last byte is enough.
                input[3] = UInt8(truncatingIfNeeded: block + 1)
                var hash = Digest.sha256(input)
                let rest = UnsafeMutableRawBufferPointer(rebasing: output[(block * sha256Count)...])
                rest.copyBytes(from: hash.prefix(rest.count))
                wipe(&hash)
            }
        }
    }
}

/// HKDF with SHA-256 (RFC 5869), extract and expand.
public enum HKDF {
    /// `count` bytes (1 to 255 × 32).
    public static func sha256(
        inputKey: SecretBytes, salt: some Collection<UInt8> = [], info: some Collection<UInt8> = [], count: Int
    ) throws(CryptoError) -> SecretBytes {
        try derive(with: Algorithms.hkdf, secret: inputKey, salt: salt, info: info, count: count)
    }
}

private func derive(
    with kdf: OpaquePointer?, secret: SecretBytes, salt: some Collection<UInt8> = [], info: some Collection<UInt8>,
    count: Int
) throws(CryptoError) -> SecretBytes {
    guard (1...255 * sha256Count).contains(count) else {
        throw CryptoError(.invalidParameter, "A derived key has 1 to \(255 * sha256Count) bytes, not \(count)")
    }
    guard let kdf else { throw .openSSL("set up a key derivation") }
    return try SecretBytes(count: count) { output throws(CryptoError) in
        let done = secret.withUnsafeBytes { key in
            withBytes(salt) { salt in
                withBytes(info) { info in
                    countertop_kdf_sha256(
                        kdf, output.octets, output.count, key.octets, key.count, salt.octets, salt.count, info.octets,
                        info.count)
                }
            }
        }
        guard done == 1 else { throw .openSSL("derive a key") }
    }
}
