// SPDX-License-Identifier: Apache-2.0

public import WalletCrypto

/// Card data sealed for one device: what the issuer makes and Wallet opens.
public struct SealedPass: Hashable, Sendable, Concealed {
    /// The ciphertext and its tag of 16 bytes.
    public var encryptedPassData: [UInt8]
    /// The issuer's key of this one request: `04 ‖ X ‖ Y`, 65 bytes.
    public var ephemeralPublicKey: [UInt8]

    /// The two blobs as they are.
    public init(encryptedPassData: [UInt8], ephemeralPublicKey: [UInt8]) {
        (self.encryptedPassData, self.ephemeralPublicKey) = (encryptedPassData, ephemeralPublicKey)
    }
}

/// The envelope of the scheme ECC_V2, both ways.
///
/// Two issuer code bases that share no code agree on it, and the log of one (drvpereira/applepay-crypto,
/// `encryption_log.txt`) has every value in between.
public enum ECCv2 {
    /// The name of the algorithm in the key derivation (drvpereira/applepay-crypto).
    static let algorithm = Array("id-aes256-GCM".utf8)
    /// PartyUInfo (drvpereira/applepay-crypto).
    static let partyU = Array("Apple".utf8)
    /// 12 zero bytes, not the 16 of Apple's payment tokens. Safe only because no key is used twice.
    static let iv = [UInt8](repeating: 0, count: 12)
    /// Bytes of an AES-256 key.
    static let keyCount = 32
    /// Bytes of an uncompressed point (SEC 1, 2.3.3).
    static let pointCount = 65

    /// Seals `plaintext` for the device whose leaf certificate has the key `leaf`, with a fresh ephemeral key.
    public static func seal(
        _ plaintext: some Collection<UInt8>, to leaf: P256PublicKey
    ) throws(ProvisioningError) -> SealedPass {
        let ephemeral: P256PrivateKey
        do { ephemeral = try .generate() } catch { throw ProvisioningError(internal: error) }
        return try seal(plaintext, to: leaf, ephemeral: ephemeral)
    }

    /// Seals with a given ephemeral key: for known answers only, for a key must never seal twice.
    package static func seal(
        _ plaintext: some Collection<UInt8>, to leaf: P256PublicKey, ephemeral: P256PrivateKey
    ) throws(ProvisioningError) -> SealedPass {
        do {
            let point = ephemeral.publicKey.uncompressed
            let key = try derive(try ephemeral.sharedSecret(with: leaf), partyV: point)
            let sealed = try AESGCM.seal(plaintext, key: key, iv: iv)
            return SealedPass(encryptedPassData: sealed.ciphertext + sealed.tag, ephemeralPublicKey: point)
        } catch { throw ProvisioningError(internal: error) }
    }

    /// Opens what an issuer sealed, with the leaf's private key.
    /// - Throws: `invalidEnvelope` for a wrong shape, `authenticationFailed` when the tag does not fit.
    public static func open(
        _ sealed: SealedPass, with leafKey: P256PrivateKey
    ) throws(ProvisioningError) -> SecretBytes {
        guard sealed.ephemeralPublicKey.count == pointCount, sealed.ephemeralPublicKey.first == 0x04 else {
            throw ProvisioningError(
                .invalidEnvelope,
                "The ephemeral public key must have 65 bytes beginning with 04, not \(sealed.ephemeralPublicKey.count)",
                hint: "send the bare point, not SPKI DER or compressed, and decode it once")
        }
        guard sealed.encryptedPassData.count >= AESGCM.tagCount else {
            throw ProvisioningError(
                .invalidEnvelope,
                "The encrypted pass data have \(sealed.encryptedPassData.count) bytes, less than a tag")
        }
        let point: P256PublicKey
        do { point = try P256PublicKey(x963: sealed.ephemeralPublicKey) } catch {
            throw ProvisioningError(.invalidEnvelope, "The ephemeral public key is not a point on P-256")
        }
        do {
            let key = try derive(try leafKey.sharedSecret(with: point), partyV: point.uncompressed)
            return try open(sealed.encryptedPassData, key: key, iv: iv)
        } catch {
            guard error.code == .authenticationFailed else { throw ProvisioningError(internal: error) }
            throw ProvisioningError(
                .authenticationFailed, "The envelope does not open: another key, another derivation or changed data")
        }
    }

    /// K = SHA-256(00000001 ‖ Z ‖ OtherInfo): one round of NIST SP 800-56A, 5.8.1.
    static func derive(_ secret: SecretBytes, partyV: [UInt8]) throws(CryptoError) -> SecretBytes {
        try ConcatKDF.sha256(sharedSecret: secret, otherInfo: otherInfo(partyV: partyV), count: keyCount)
    }

    /// OtherInfo: the algorithm's name with its length, PartyU without one, the ephemeral point as PartyV.
    static func otherInfo(partyV: [UInt8]) -> [UInt8] {
        [UInt8(algorithm.count)] + algorithm + partyU + partyV
    }

    /// Ciphertext and tag in one piece, opened.
    static func open(_ data: [UInt8], key: SecretBytes, iv: [UInt8]) throws(CryptoError) -> SecretBytes {
        var plaintext = try AESGCM.open(
            ciphertext: data.dropLast(AESGCM.tagCount), tag: data.suffix(AESGCM.tagCount), key: key, iv: iv)
        defer { for index in plaintext.indices { plaintext[index] = 0 } }
        return SecretBytes(copying: plaintext)
    }
}
