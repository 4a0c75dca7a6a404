// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A request to read a payment card for an amount.
///
/// Nothing is checked here; a read throws ``PaymentCardReaderSession/ReadError/invalidAmount``,
/// `invalidCurrencyCode` or `invalidPreferredAID`. What is read is a request for an online authorisation, never an
/// approval.
@available(iOS 15.4, macCatalyst 17.0, *)
public struct PaymentCardTransactionRequest: Sendable {
    /// A request.
    /// - Parameters:
    ///   - amount: in the currency's main unit, more than zero for refunds too, with no more decimals than the
    ///     currency has, and fewer than ten digits.
    ///   - currencyCode: ISO 4217, three capital letters.
    ///   - type: what the amount is for.
    public init(amount: Decimal, currencyCode: String, for type: TransactionType = .purchase) {
        (self.amount, self.currencyCode, self.type) = (amount, currencyCode, type)
    }

    /// The amount, in the currency's main unit.
    public let amount: Decimal

    /// ISO 4217, three capital letters.
    public let currencyCode: String

    /// What the amount is for.
    public let type: TransactionType

    /// Application identifiers, or the first bytes of them, that are used before the card's own order: 5 to 16 bytes
    /// each, four at most.
    @available(iOS 16.4, *)
    public var preferredAIDList: [Data] = []

    /// The language of the customer's side of the sheet; nil is the system's.
    @available(iOS 17.0, *)
    public var userInterfaceLanguage: Locale.Language?

    /// A line about the amount on the sheet. One that does not fit is not shown; the read goes on.
    @available(iOS 18.0, *)
    public var transactionDescription: TransactionAmountDescription?

    /// Whether the sheet shows `EUR` instead of the currency's sign.
    @available(iOS 26.0, *)
    public var useISOCurrencySymbol = false

    /// What an amount is for.
    public enum TransactionType: Sendable, Hashable {
        /// The customer pays.
        case purchase
        /// The customer gets money back.
        case refund
    }

    /// How often a payment comes again.
    @available(iOS 18.0, *)
    public enum PaymentCycle: Sendable, Hashable {
        /// Once a week.
        case weekly
        /// Once a month.
        case monthly
        /// Once a year.
        case yearly
    }

    /// What the sheet says about the amount.
    @available(iOS 18.0, *)
    public enum TransactionAmountDescription: Sendable {
        /// A surcharge is included, 1 to 100 percent with two decimals; purchases only.
        case surchargePercent(Double)
        /// A surcharge is included; purchases only.
        case surchargeAmount(Decimal)
        /// One of several payments; purchases only.
        case installment(PaymentCycle, amount: Decimal, payments: Int)
        /// A membership; purchases only.
        case membership(PaymentCycle)
        /// An amount is reserved; purchases only.
        case preauthorizationAmount(Decimal)
        /// The amount is reserved; purchases only.
        case preauthorization
        /// A reserved amount is released; refunds only.
        case preauthorizationRelease
    }
}
