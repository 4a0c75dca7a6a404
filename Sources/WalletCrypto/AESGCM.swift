// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// AES in Galois/Counter Mode (NIST SP 800-38D) with keys of 128, 192 or 256 bits and a tag of 16 bytes.
///
/// IVs of 1 to 64 bytes: 12 is the common length, 16 zero bytes is what Wallet uses for VAS.
/// An IV that is not 12 bytes long goes through GHASH (7.1), so 12 zero bytes and 16 zero bytes give different results.
public enum AESGCM {
    /// The length of the tag in bytes.
    public static let tagCount = 16

    /// Encrypts `plaintext`. A key must never meet the same IV twice.
    public static func seal(
        _ plaintext: some Collection<UInt8>, key: SecretBytes, iv: some Collection<UInt8>,
        aad: some Collection<UInt8> = []
    ) throws(CryptoError) -> (ciphertext: [UInt8], tag: [UInt8]) {
        let context = try begin(key: key, iv: iv, aad: aad, encrypting: true)
        defer { EVP_CIPHER_CTX_free(context) }
        guard let ciphertext = run(context, plaintext) else { throw .openSSL("encrypt with AES-GCM") }
        var tag = [UInt8](repeating: 0, count: tagCount)
        guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagCount), &tag) == 1 else {
            throw .openSSL("compute a tag")
        }
        return (ciphertext, tag)
    }

    /// Decrypts `ciphertext`; nothing of it is given out unless the tag fits.
    /// - Throws: `authenticationFailed` for a tag that does not fit, `invalidParameter` for wrong lengths.
    public static func open(
        ciphertext: some Collection<UInt8>, tag: some Collection<UInt8>, key: SecretBytes, iv: some Collection<UInt8>,
        aad: some Collection<UInt8> = []
    ) throws(CryptoError) -> [UInt8] {
        guard tag.count == tagCount else {
            throw CryptoError(.invalidParameter, "An AES-GCM tag has \(tagCount) bytes, not \(tag.count)")
        }
        let context = try begin(key: key, iv: iv, aad: aad, encrypting: false)
        defer { EVP_CIPHER_CTX_free(context) }
        let tagIsSet = withBytes(tag) { tag in
            // OpenSSL takes the tag as a mutable pointer but only reads it.
            EVP_CIPHER_CTX_ctrl(
                context, EVP_CTRL_AEAD_SET_TAG, Int32(tagCount), UnsafeMutableRawPointer(mutating: tag.baseAddress))
        }
        guard tagIsSet == 1 else { throw .openSSL("set the tag") }
        guard let plaintext = run(context, ciphertext) else {
            throw drainingErrors {
                CryptoError(.authenticationFailed, "The tag does not fit: another key, or the data was changed")
            }
        }
        return plaintext
    }

    private static func begin(
        key: SecretBytes, iv: some Collection<UInt8>, aad: some Collection<UInt8>, encrypting: Bool
    ) throws(CryptoError) -> OpaquePointer {
        guard let cipher = Algorithms.aesGCM(keyBytes: key.count) else {
            throw CryptoError(.invalidParameter, "An AES key has 16, 24 or 32 bytes, not \(key.count)")
        }
        let ivCount = iv.count
        guard (1...64).contains(ivCount), aad.count <= Int(Int32.max) else {
            throw CryptoError(.invalidParameter, "An AES-GCM IV has 1 to 64 bytes, not \(ivCount)")
        }
        guard let context = EVP_CIPHER_CTX_new() else { throw .openSSL("set up AES-GCM") }
        let ready = key.withUnsafeBytes { key in
            withBytes(iv) { iv in
                // The IV length must be known before key and IV are set.
                EVP_CipherInit_ex(context, cipher, nil, nil, nil, encrypting ? 1 : 0) == 1
                    && (ivCount == 12
                        || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, Int32(ivCount), nil) == 1)
                    && EVP_CipherInit_ex(context, nil, nil, key.octets, iv.octets, encrypting ? 1 : 0) == 1
            }
        }
        guard ready, withBytes(aad, { add($0, to: context) }) else {
            EVP_CIPHER_CTX_free(context)
            throw .openSSL("set up AES-GCM")
        }
        return context
    }

    private static func add(_ aad: UnsafeRawBufferPointer, to context: OpaquePointer) -> Bool {
        var written: Int32 = 0
        return aad.isEmpty || EVP_CipherUpdate(context, nil, &written, aad.octets, Int32(aad.count)) == 1
    }

    /// The output for `input`, or nil (overwritten) when OpenSSL refuses, as it does for a wrong tag.
    private static func run(_ context: OpaquePointer, _ input: some Collection<UInt8>) -> [UInt8]? {
        withBytes(input) { input in
            guard let count = Int32(exactly: input.count) else { return nil }
            var succeeded = false
            // One byte more than is needed, so that there is an address to write no bytes to.
            let output = [UInt8](unsafeUninitializedCapacity: input.count + 1) { output, filled in
                var (written, rest): (Int32, Int32) = (0, 0)
                guard count == 0 || EVP_CipherUpdate(context, output.baseAddress, &written, input.octets, count) == 1,
                    written == count,
                    EVP_CipherFinal_ex(context, output.baseAddress?.advanced(by: input.count), &rest) == 1
                else { return OPENSSL_cleanse(output.baseAddress, input.count) }
                (filled, succeeded) = (input.count, true)
            }
            return succeeded ? output : nil
        }
    }
}
