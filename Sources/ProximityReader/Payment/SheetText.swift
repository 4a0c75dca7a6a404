// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// What an iPhone's sheet says about a payment. Here it goes to the log, so that an app's texts can be looked at.
struct SheetText: Hashable, Sendable {
    /// The amount, or why a card is verified.
    let title: String
    /// The line about the amount; nil when there is none, or when it does not fit.
    let detail: String?

    init(_ request: PaymentCardVerificationRequest) {
        title = CaseName.of(request.verificationReason)
        detail = nil
    }

    init(_ request: PaymentCardTransactionRequest) {
        let locale = request.userInterfaceLanguage.map { Locale(identifier: $0.minimalIdentifier) } ?? .current
        let style = Decimal.FormatStyle.Currency(code: request.currencyCode, locale: locale)
        title =
            request.useISOCurrencySymbol
            ? request.amount.formatted(style.presentation(.isoCode)) : request.amount.formatted(style)
        detail = request.transactionDescription.flatMap { $0.text(for: request.type) }
    }
}

extension PaymentCardTransactionRequest.TransactionAmountDescription {
    /// The line; nil when it does not fit the type or is out of range, which fails nothing (Apple documentation).
    func text(for type: PaymentCardTransactionRequest.TransactionType) -> String? {
        if case .preauthorizationRelease = self { return type == .refund ? "preauthorization released" : nil }
        guard type == .purchase else { return nil }
        switch self {
        case .surchargePercent(let percent): return Self.text(percent).map { "surcharge \($0) %" }
        case .surchargeAmount(let amount): return amount > 0 ? "surcharge \(amount)" : nil
        case .installment(let cycle, let amount, let payments):
            return amount > 0 && payments > 0 ? "\(payments) payments of \(amount), \(CaseName.of(cycle))" : nil
        case .membership(let cycle): return "membership, \(CaseName.of(cycle))"
        case .preauthorizationAmount(let amount): return amount > 0 ? "preauthorization of \(amount)" : nil
        case .preauthorization: return "preauthorization"
        case .preauthorizationRelease: return nil
        }
    }

    /// 1 to 100 with two decimals at most (Apple documentation).
    private static func text(_ percent: Double) -> String? {
        guard (1...100).contains(percent) else { return nil }
        let hundredths = percent * 100
        // Binary fractions are not exact: 2.55 is a little less or more.
        guard abs(hundredths - hundredths.rounded()) < 1e-6 else { return nil }
        return "\(Decimal(Int(hundredths.rounded())) / 100)"
    }
}
