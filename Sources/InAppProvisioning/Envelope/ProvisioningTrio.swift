// SPDX-License-Identifier: Apache-2.0

public import WalletCrypto

/// What Wallet hands over for one card: made anew for every request. Never printed.
public struct WalletRequest: Hashable, Sendable, Concealed {
    /// Certificates in DER, leaf first: leaf and intermediate, or these and the root.
    public var certificates: [[UInt8]]
    /// A number used once, 4 bytes in every public sample.
    public var nonce: [UInt8]
    /// The device's signature of it: opaque to the issuer, who copies it into the payload.
    public var nonceSignature: [UInt8]

    /// A request from its parts.
    public init(certificates: [[UInt8]], nonce: [UInt8], nonceSignature: [UInt8]) {
        (self.certificates, self.nonce, self.nonceSignature) = (certificates, nonce, nonceSignature)
    }
}

/// What the issuer answers: three blobs, as bytes. Never printed.
public struct ProvisioningTrio: Hashable, Sendable, Concealed {
    /// The ciphertext and its tag.
    public var encryptedPassData: [UInt8]
    /// The network's one-time password for this card: opaque to Wallet.
    public var activationData: [UInt8]
    /// The issuer's key of this one request.
    public var ephemeralPublicKey: [UInt8]

    /// The three blobs as they are.
    public init(encryptedPassData: [UInt8], activationData: [UInt8], ephemeralPublicKey: [UInt8]) {
        (self.encryptedPassData, self.activationData) = (encryptedPassData, activationData)
        self.ephemeralPublicKey = ephemeralPublicKey
    }

    /// An envelope with the network's data beside it.
    public init(_ sealed: SealedPass, activationData: [UInt8]) {
        self.init(
            encryptedPassData: sealed.encryptedPassData, activationData: activationData,
            ephemeralPublicKey: sealed.ephemeralPublicKey)
    }

    /// The envelope without the network's data.
    public var sealed: SealedPass {
        SealedPass(encryptedPassData: encryptedPassData, ephemeralPublicKey: ephemeralPublicKey)
    }
}
