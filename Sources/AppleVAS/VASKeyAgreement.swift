// SPDX-License-Identifier: Apache-2.0

internal import WalletCrypto

/// What the key agreement needs of a pass type, computed once.
///
/// Source: proxmark3 `cmdhfvas.c` (both methods) and the kormax/apple-vas sample capture, which opens with method 1.
struct VASKeyContext: Hashable, Sendable {
    /// The label in the shared information of both methods.
    private static let label = Array("ApplePay encrypted VAS data".utf8)
    /// Length byte and name of the algorithm, as in SEC 1, 3.6.1 and Apple's payment tokens.
    private static let algorithm = [0x0D] + Array("id-aes256-GCM".utf8)
    /// The nonce of AES-GCM: 16 zero bytes, not 12.
    private static let iv = [UInt8](repeating: 0, count: 16)

    /// SHA-256 of the pass type identifier.
    let merchantID: [UInt8]
    /// Method 1's shared information, 73 bytes.
    let sharedInfo: [UInt8]

    init(passTypeIdentifier: String) {
        merchantID = VASMerchant.merchantID(for: passTypeIdentifier)
        sharedInfo = Self.algorithm + Self.label + merchantID
    }

    /// Method and plaintext, or nil when the tag does not verify with either method. Method 1 is tried first: it is
    /// what all captured phones use, and nothing in the payload tells which one it is.
    func open(_ cryptogram: VASCryptogram, with key: P256PrivateKey) throws(CryptoError) -> (Int, [UInt8])? {
        let secret = try key.sharedSecret(withX: cryptogram.ephemeralX)
        if let plaintext = try open(cryptogram, secret, sharedInfo: sharedInfo, aad: []) { return (1, plaintext) }
        if let plaintext = try open(cryptogram, secret, sharedInfo: Self.label, aad: merchantID) {
            return (2, plaintext)
        }
        return nil
    }

    private func open(
        _ cryptogram: VASCryptogram, _ secret: SecretBytes, sharedInfo: [UInt8], aad: [UInt8]
    ) throws(CryptoError) -> [UInt8]? {
        let key = try X963KDF.sha256(sharedSecret: secret, sharedInfo: sharedInfo, count: 32)
        do {
            return try AESGCM.open(
                ciphertext: cryptogram.ciphertext, tag: cryptogram.tag, key: key, iv: Self.iv, aad: aad)
        } catch {
            guard error.code == .authenticationFailed else { throw error }
            return nil
        }
    }
}
