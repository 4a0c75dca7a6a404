// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import ISO7816
public import InAppProvisioning
public import WalletCrypto

/// The broker that is there by default: certificates of an authority of its own, made anew for each broker, and a leaf
/// key that opens what issuers seal.
public final class EmulatedBroker: ProvisioningBroker {
    private let random: @Sendable (Int) -> [UInt8]

    /// A broker with its own authority.
    ///
    /// - Parameter random: gives nonces and signatures.
    public init(random: @escaping @Sendable (Int) -> [UInt8] = { RandomBytes.generate($0) }) { self.random = random }

    /// A fresh challenge: leaf and sub-CA, or leaf, sub-CA and root.
    public func challenge(certificates count: Int) throws(ProvisioningError) -> ProvisioningChallenge {
        do {
            let authority = try Authority()
            let nonce = random(4)
            let signature = [0x40] + random(80)
            let leafKey = authority.leafKey
            return ProvisioningChallenge(
                certificates: Array(authority.chain.prefix(max(1, count))), nonce: nonce, nonceSignature: signature,
                judge: { Self.judge($0, leafKey, nonce: nonce, signature: signature) })
        } catch { throw ProvisioningError(.internalFailure, error.reason, hint: error.hint) }
    }

    private struct Authority {
        var leafKey: P256PrivateKey
        var chain: [[UInt8]]

        init() throws(CryptoError) {
            let (rootKey, middleKey) = (try P256PrivateKey.generate(), try P256PrivateKey.generate())
            leafKey = try .generate()
            let (begin, end) = (Date().addingTimeInterval(-86_400), Date().addingTimeInterval(86_400 * 365))
            let root = try X509Certificate.issue(
                subject: [("CN", "Emulated Root")], publicKey: rootKey.publicKey, issuer: nil, issuerKey: rootKey,
                notBefore: begin, notAfter: end, isAuthority: true)
            let middle = try X509Certificate.issue(
                subject: [("CN", "Emulated Sub-CA")], publicKey: middleKey.publicKey, issuer: root, issuerKey: rootKey,
                notBefore: begin, notAfter: end, isAuthority: true)
            let leaf = try X509Certificate.issue(
                subject: [("CN", "Emulated Encipherment")], publicKey: leafKey.publicKey, issuer: middle,
                issuerKey: middleKey, notBefore: begin, notAfter: end)
            chain = [leaf.der, middle.der, root.der]
        }
    }

    private struct Payload: Decodable {
        var primaryAccountNumber: String
        var expiration: String
        var name: String
        var nonce: String
        var nonceSignature: String
    }

    private static let opens = WalletCheck(
        "E-opens", "The sealed card opens with the leaf's key", .fail, source: "Apple documentation",
        symptom: "\"Could Not Add Card\", code 2")
    private static let payload = WalletCheck(
        "J-payload", "The card data are JSON with the five strings, and nonce and signature are those that were given",
        .fail, source: "Apple documentation", symptom: "\"Could Not Add Card\", code 2")

    private static func judge(
        _ answer: ProvisioningAnswer, _ key: P256PrivateKey, nonce: [UInt8], signature: [UInt8]
    ) -> ProvisioningVerdict {
        let sealed = SealedPass(
            encryptedPassData: answer.encryptedPassData, ephemeralPublicKey: answer.ephemeralPublicKey)
        let text: SecretBytes
        do { text = try ECCv2.open(sealed, with: key) } catch {
            return ProvisioningVerdict(card: nil, findings: [WalletFinding(opens, nil, error.reason)])
        }
        let bytes = text.withUnsafeBytes { Data($0) }
        guard let payload = try? JSONDecoder().decode(Payload.self, from: bytes),
            payload.nonce.lowercased() == Hex.encode(nonce).lowercased(),
            payload.nonceSignature.lowercased() == Hex.encode(signature).lowercased(),
            AccountNumber.isLuhnValid(payload.primaryAccountNumber)
        else { return ProvisioningVerdict(card: nil, findings: [WalletFinding(Self.payload)]) }
        return ProvisioningVerdict(
            card: ProvisionedCard(
                primaryAccountNumber: payload.primaryAccountNumber, expiration: payload.expiration,
                name: payload.name))
    }
}
