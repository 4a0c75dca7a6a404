// SPDX-License-Identifier: Apache-2.0

package import WalletCrypto

/// The wallet's side of payload cryptography, written apart from the reader's side so that each checks the other.
///
/// Layout and key agreement as kormax/apple-vas (README) and proxmark3 `cmdhfvas.c` describe them; checked against the
/// public captures.
package enum PayloadSealing {
    /// `0D` and "id-aes256-GCM": the algorithm identifier with its length.
    private static let algorithm: [UInt8] = [0x0D] + Array("id-aes256-GCM".utf8)
    /// What follows it in the shared information.
    private static let party = Array("ApplePay encrypted VAS data".utf8)
    /// The IV of every payload; the key is used once.
    private static let iv = [UInt8](repeating: 0, count: 16)

    /// Seals one message: the value of tag 9F27.
    ///
    /// - Parameters:
    ///   - message: at most 64 bytes on a phone; any length here.
    ///   - timestamp: seconds since 2001-01-01T00:00:00Z.
    ///   - merchantID: SHA-256 of the pass type identifier.
    ///   - ephemeral: used for this payload only.
    /// - Returns: key id (4), X of the ephemeral key (32), ciphertext (4 + message), tag (16).
    package static func seal(
        _ message: [UInt8], timestamp: UInt32, merchantID: [UInt8], to key: P256PublicKey, method: SealingMethod,
        ephemeral: P256PrivateKey
    ) throws(CryptoError) -> [UInt8] {
        let plaintext = (0..<4).map { UInt8(truncatingIfNeeded: timestamp >> (24 - 8 * $0)) } + message
        let shared = try ephemeral.sharedSecret(with: key)
        let info = method == .method1 ? algorithm + party + merchantID : party
        let secret = try X963KDF.sha256(sharedSecret: shared, sharedInfo: info, count: 32)
        let aad = method == .method1 ? [] : merchantID
        let sealed = try AESGCM.seal(plaintext, key: secret, iv: iv, aad: aad)
        return keyID(of: key) + ephemeral.publicKey.x + sealed.ciphertext + sealed.tag
    }

    /// The first four bytes of SHA-256 over the key's X coordinate.
    package static func keyID(of key: P256PublicKey) -> [UInt8] { Array(Digest.sha256(key.x).prefix(4)) }

    /// A key made of the wallet's own randomness, so that a seeded wallet repeats itself.
    static func ephemeralKey(random: (Int) -> [UInt8]) throws(CryptoError) -> P256PrivateKey {
        for _ in 0..<8 {
            if let key = try? P256PrivateKey(scalar: random(32)) { return key }
        }
        return try P256PrivateKey.generate()
    }
}
