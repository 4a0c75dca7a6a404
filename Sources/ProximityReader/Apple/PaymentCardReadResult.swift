// SPDX-License-Identifier: Apache-2.0

/// What the read of a payment card brought: sealed data for the payment provider. A read, never an approval.
@available(iOS 15.4, macCatalyst 17.0, *)
public struct PaymentCardReadResult: Identifiable, Sendable {
    /// The transaction's identifier, new for each read.
    public let id: String

    /// The card's data for the payment provider alone: Base64 of a JWE that only the provider's key opens.
    ///
    /// The format is countertop's own, not Apple's.
    public let paymentCardData: String?

    /// What anybody may know of card and terminal: Base64 of BER-TLV, without anything that identifies the card but the
    /// last four digits.
    public let generalCardData: String?

    /// Which payment application was read: the kernel's identifier in hex, `02` Mastercard, `03` Visa, `04` American
    /// Express, `06` Discover, `07` UnionPay.
    @available(iOS 18.0, *)
    public let applicationTypeIdentifier: String?

    /// How the read ended; anything but `success` only with
    /// ``PaymentCardReader/Options/includeErrorInReadResult``.
    @available(iOS 16.4, *)
    public let outcome: ReadOutcome

    /// Whether the customer was let off the PIN that the card wanted.
    @available(iOS 17.0, *)
    public let pinBypassed: Bool

    /// Whether ``paymentCardData`` comes from the read that goes before the entry of a PIN.
    @available(iOS 17.0, *)
    public let isPINFallback: Bool

    /// Whether the card is valid yet; store and forward only.
    @available(iOS 18.4, *)
    public let cardEffectiveState: CardEffectiveState?

    /// Whether the card is still valid; store and forward only.
    @available(iOS 18.4, *)
    public let cardExpirationState: CardExpirationState?

    /// What the reader makes; apps cannot.
    package init(
        id: String, paymentCardData: String?, generalCardData: String?, applicationTypeIdentifier: String? = nil,
        outcome: ReadOutcome = .success, pinBypassed: Bool = false, isPINFallback: Bool = false,
        cardEffectiveState: CardEffectiveState? = nil, cardExpirationState: CardExpirationState? = nil
    ) {
        self.id = id
        self.paymentCardData = paymentCardData
        self.generalCardData = generalCardData
        self.applicationTypeIdentifier = applicationTypeIdentifier
        self.outcome = outcome
        self.pinBypassed = pinBypassed
        self.isPINFallback = isPINFallback
        self.cardEffectiveState = cardEffectiveState
        self.cardExpirationState = cardExpirationState
    }

    /// How a read ended.
    @available(iOS 16.4, *)
    public enum ReadOutcome: Sendable, Hashable {
        /// The card gave what the provider needs.
        case success
        /// The card declined.
        case cardDeclined
        /// The card was read, but not to the end.
        case failure
    }

    /// Whether a card is valid yet.
    @available(iOS 18.4, *)
    public enum CardEffectiveState: Sendable, Hashable {
        /// It is.
        case active
        /// Not yet.
        case inactive
        /// The card's date makes no sense.
        case invalid
        /// The card gives no date.
        case unknown
    }

    /// Whether a card is still valid.
    @available(iOS 18.4, *)
    public enum CardExpirationState: Sendable, Hashable {
        /// It is.
        case notExpired
        /// Not any more.
        case expired
        /// The card's date makes no sense.
        case invalid
        /// The card gives no date.
        case unknown
    }
}
