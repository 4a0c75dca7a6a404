// SPDX-License-Identifier: Apache-2.0

internal import EMVContactless
internal import Foundation

/// A checked payment request: what every tap of its read is for.
struct PaymentPlan: Sendable {
    /// A request as an app makes it.
    enum Request: Sendable {
        case transaction(PaymentCardTransactionRequest)
        case verification(PaymentCardVerificationRequest)
    }

    typealias Failure = PaymentCardReaderSession.ReadError

    /// Amounts have fewer digits than this (Apple documentation, PaymentCardTransactionRequest), minor units included.
    static let digitLimit = 10
    /// As many preferred applications as iOS 17 takes (Apple documentation).
    static let preferenceLimit = 4
    /// What an application identifier may be long (ISO/IEC 7816-4, 12.2.3).
    static let nameLengths = 5...16

    /// In minor units; zero for a verification.
    let amount: UInt64
    let currency: Currency
    /// First two digits of ISO 8583's processing code: 00 purchase, 20 refund. A verification is a purchase of nothing.
    let type: UInt8
    /// Applications, or first bytes of them, that go before the card's order.
    let preferredNames: [[UInt8]]
    /// What the sheet says.
    let text: SheetText
    /// Asks for a PIN when the card wants one; nil where none can be asked for.
    var pinStep: PINStep?

    /// Checks a request.
    ///
    /// - Throws: `invalidAmount`, `invalidCurrencyCode`, `invalidPreferredAID`.
    init(_ request: Request) throws(Failure) {
        switch request {
        case .transaction(let request): try self.init(request)
        case .verification(let request):
            guard let currency = Currency(code: request.currencyCode) else { throw .invalidCurrencyCode }
            self.init(amount: 0, currency: currency, type: 0x00, preferredNames: [], text: SheetText(request))
        }
    }

    private init(amount: UInt64, currency: Currency, type: UInt8, preferredNames: [[UInt8]], text: SheetText) {
        (self.amount, self.currency, self.type) = (amount, currency, type)
        (self.preferredNames, self.text) = (preferredNames, text)
    }

    private init(_ request: PaymentCardTransactionRequest) throws(Failure) {
        guard request.amount.isFinite, request.amount > 0 else { throw .invalidAmount }
        guard let currency = Currency(code: request.currencyCode) else { throw .invalidCurrencyCode }
        guard let amount = Self.minorUnits(of: request.amount, in: currency) else { throw .invalidAmount }
        let preferredNames = request.preferredAIDList.map { Array($0) }
        guard preferredNames.count <= Self.preferenceLimit,
            preferredNames.allSatisfy({ Self.nameLengths.contains($0.count) })
        else { throw .invalidPreferredAID }
        self.init(
            amount: amount, currency: currency, type: request.type == .refund ? 0x20 : 0x00,
            preferredNames: preferredNames, text: SheetText(request))
    }

    /// An amount in minor units; nil when it has more decimals than the currency, or too many digits.
    static func minorUnits(of amount: Decimal, in currency: Currency) -> UInt64? {
        let limit = (0..<(digitLimit - 1)).reduce(Decimal(1)) { power, _ in power * 10 }
        guard amount.isFinite, amount >= 0, amount < limit else { return nil }
        var scaled = (0..<currency.exponent).reduce(amount) { scaled, _ in scaled * 10 }
        var whole = Decimal()
        NSDecimalRound(&whole, &scaled, 0, .plain)
        guard whole == scaled, whole < limit else { return nil }
        return UInt64("\(whole)")
    }

    /// One tap's transaction: the time is now, unless a trace says when it was; the number is new.
    func transaction(at date: Date, recorded: EMVDate?, unpredictableNumber: [UInt8]) -> EMVTransaction {
        EMVTransaction(
            amount: amount, type: type, currency: currency.number, currencyExponent: currency.exponent,
            date: recorded ?? EMVDate(date, timeZone: .current), unpredictableNumber: unpredictableNumber)
    }
}

extension Decimal {
    fileprivate var isFinite: Bool { !isNaN && !isInfinite }
}
