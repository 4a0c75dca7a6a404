// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// Digests (FIPS 180-4).
public enum Digest {
    /// SHA-1, 20 bytes. For EMV certificates and `.pkpass` manifests only.
    public static func sha1(_ bytes: some Collection<UInt8>) -> [UInt8] {
        hash(bytes, with: Algorithms.sha1, count: 20)
    }

    /// SHA-256, 32 bytes.
    public static func sha256(_ bytes: some Collection<UInt8>) -> [UInt8] {
        hash(bytes, with: Algorithms.sha256, count: sha256Count)
    }

    private static func hash(_ bytes: some Collection<UInt8>, with md: OpaquePointer?, count: Int) -> [UInt8] {
        withBytes(bytes) { input in
            [UInt8](unsafeUninitializedCapacity: count) { output, filled in
                // Without its digests there is no OpenSSL to work with, and a wrong digest would be worse than a stop.
                guard md != nil, EVP_Digest(input.baseAddress, input.count, output.baseAddress, nil, md, nil) == 1
                else { fatalError("This OpenSSL does not offer SHA-1 and SHA-256") }
                filled = count
            }
        }
    }
}

/// HMAC with SHA-256 (RFC 2104, FIPS 198-1).
public enum HMACSHA256 {
    /// The 32-byte code of `message` under `key`, which may have any length.
    public static func authenticate(
        _ message: some Collection<UInt8>, key: SecretBytes
    ) throws(CryptoError) -> [UInt8] {
        guard let mac = Algorithms.hmac, let context = EVP_MAC_CTX_new(mac) else { throw .openSSL("set up HMAC") }
        defer { EVP_MAC_CTX_free(context) }
        var code = [UInt8](repeating: 0, count: sha256Count)
        guard key.withUnsafeBytes({ countertop_hmac_sha256_init(context, $0.octets, $0.count) == 1 }),
            withBytes(message, { EVP_MAC_update(context, $0.octets, $0.count) == 1 }),
            EVP_MAC_final(context, &code, nil, code.count) == 1
        else { throw .openSSL("compute an HMAC") }
        return code
    }

    /// Whether `code` is the code of `message` under `key`, compared in constant time.
    public static func isValid(_ code: [UInt8], for message: some Collection<UInt8>, key: SecretBytes) -> Bool {
        guard let expected = try? authenticate(message, key: key) else { return false }
        return ConstantTime.areEqual(expected, code)
    }
}

/// Random bytes from OpenSSL's generator, which seeds itself from the system.
public enum RandomBytes {
    /// `count` random bytes.
    public static func generate(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: max(0, count)) { buffer, filled in
            fill(UnsafeMutableRawBufferPointer(buffer), secret: false)
            filled = max(0, count)
        }
    }

    /// Fills `buffer`; `secret` takes the generator that OpenSSL keeps apart for private values.
    static func fill(_ buffer: UnsafeMutableRawBufferPointer, secret: Bool) {
        guard let count = Int32(exactly: buffer.count), count > 0 else {
            precondition(buffer.isEmpty, "More than 2 GiB of random bytes asked for")
            return
        }
        let result = secret ? RAND_priv_bytes(buffer.octets, count) : RAND_bytes(buffer.octets, count)
        // Going on with bytes that are not random would give keys and nonces away.
        guard result == 1 else { fatalError("The system gives no random bytes") }
    }
}
