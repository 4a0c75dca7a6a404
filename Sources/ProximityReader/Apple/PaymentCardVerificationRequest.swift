// SPDX-License-Identifier: Apache-2.0

public import struct Foundation.Locale

/// A request to read a payment card without an amount.
@available(iOS 15.4, macCatalyst 17.0, *)
public struct PaymentCardVerificationRequest: Sendable {
    /// A request.
    /// - Parameters:
    ///   - currencyCode: ISO 4217, three capital letters.
    ///   - reason: which text the sheet shows.
    public init(currencyCode: String, for reason: Reason = .other) {
        (self.currencyCode, verificationReason) = (currencyCode, reason)
    }

    /// ISO 4217, three capital letters.
    public let currencyCode: String

    /// Which text the sheet shows.
    public let verificationReason: Reason

    /// The language of the customer's side of the sheet; nil is the system's.
    @available(iOS 17.0, *)
    public var userInterfaceLanguage: Locale.Language?

    /// Why a card is read without an amount.
    public enum Reason: Sendable, Hashable {
        /// To find what was paid with it.
        case lookUp
        /// To keep it for later.
        case saveCard
        /// To open a tab.
        case openTab
        /// Anything else.
        case other
    }
}
