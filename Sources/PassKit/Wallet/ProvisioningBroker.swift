// SPDX-License-Identifier: Apache-2.0

public import InAppProvisioning

/// The part of Apple's servers and of the secure element in adding a card: it gives out certificates and nonce, and
/// opens what comes back.
public protocol ProvisioningBroker: Sendable {
    /// A fresh challenge.
    ///
    /// - Parameter certificates: how many certificates to give, two or three.
    func challenge(certificates: Int) throws(ProvisioningError) -> ProvisioningChallenge
}

/// What an issuer needs to seal a card, and a way to judge the sealed card.
public struct ProvisioningChallenge: Sendable {
    /// X.509 in DER, leaf first.
    public var certificates: [[UInt8]]
    /// A one-time value, 4 bytes.
    public var nonce: [UInt8]
    /// The device's opaque signature, 81 bytes.
    public var nonceSignature: [UInt8]
    /// Opens and judges an answer to this challenge.
    public var judge: @Sendable (ProvisioningAnswer) -> ProvisioningVerdict

    /// A challenge.
    public init(
        certificates: [[UInt8]], nonce: [UInt8], nonceSignature: [UInt8],
        judge: @escaping @Sendable (ProvisioningAnswer) -> ProvisioningVerdict
    ) {
        (self.certificates, self.nonce, self.nonceSignature) = (certificates, nonce, nonceSignature)
        self.judge = judge
    }
}

/// What an app handed in, and what its sheet said. Never printed.
public struct ProvisioningAnswer: Hashable, Sendable, Concealed {
    /// The sealed card.
    public var encryptedPassData: [UInt8]
    /// The network's one-time password.
    public var activationData: [UInt8]
    /// The issuer's key of this one request.
    public var ephemeralPublicKey: [UInt8]
    /// The name in the sheet.
    public var cardholderName: String?
    /// The last digits in the sheet.
    public var suffix: String?
}

/// What became of a sealed card.
public struct ProvisioningVerdict: Sendable {
    /// The card, if it can be added.
    public var card: ProvisionedCard?
    /// What was seen in the sealed card.
    public var findings: [WalletFinding]

    /// A verdict.
    public init(card: ProvisionedCard?, findings: [WalletFinding] = []) {
        (self.card, self.findings) = (card, findings)
    }
}

/// A card that was opened. Never printed.
public struct ProvisionedCard: Hashable, Sendable, Concealed {
    /// The number on the card, digits only.
    public var primaryAccountNumber: String
    /// Its last month, `MM/YY`.
    public var expiration: String
    /// The holder's name.
    public var name: String
    /// Whether the issuer wants to see the user before the card can be used.
    public var requiresActivation = false

    /// A card.
    public init(primaryAccountNumber: String, expiration: String, name: String) {
        (self.primaryAccountNumber, self.expiration, self.name) = (primaryAccountNumber, expiration, name)
    }
}
