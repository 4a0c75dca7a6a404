// SPDX-License-Identifier: Apache-2.0

internal import InAppProvisioning
public import WalletCrypto

/// A card that was opened and accepted. Never printed.
public struct ProvisionedCard: Hashable, Sendable, Concealed {
    /// The number on the card, digits only; nil when the network encrypted it.
    public var primaryAccountNumber: String?
    /// Its last month, `MM/YY`; nil when the network encrypted it.
    public var expiration: String?
    /// The holder's name.
    public var name: String
    /// The last digits to show.
    public var suffix: String
    /// The network, by the name that the sheet or the payload gave.
    public var network: String?
    /// Whether the issuer wants to see the user before the card can be used.
    public var requiresActivation = false
    /// What tells this card from others, besides its number.
    let mark: String

    init(_ payload: CardPayload, _ configuration: PKAddPaymentPassRequestConfiguration) {
        network = configuration.paymentNetwork?.rawValue
        switch payload {
        case .clear(let card):
            (primaryAccountNumber, expiration) = (card.primaryAccountNumber, card.expiration)
            (name, suffix, mark) = (card.name, card.suffix, card.primaryAccountNumber)
        case .networkEncrypted(let card):
            (name, suffix) = (card.name, configuration.primaryAccountSuffix ?? "")
            mark = card.encryptedPrimaryAccountNumber
            network = network ?? card.networkName
        }
    }
}
