// SPDX-License-Identifier: Apache-2.0

import Foundation
// Without @testable: what an app can see, and nothing else.
import ProximityReader
import Testing

/// Apple's payment declarations, each used with its exact labels and types; that this file compiles is the test.
@Suite("The public surface: payments")
struct PaymentSurfaceTests {
    typealias Session = PaymentCardReaderSession
    typealias Transaction = PaymentCardTransactionRequest
    typealias Verification = PaymentCardVerificationRequest
    typealias Handler = ((Session.Event) -> Void)?

    @Test("Session")
    func session() {
        let transaction: (Session) -> (Transaction) async throws -> PaymentCardReadResult = Session.readPaymentCard(_:)
        let verification: (Session) -> (Verification) async throws -> PaymentCardReadResult = Session.readPaymentCard(
            _:)
        let both:
            (Session) -> (Transaction, VASRequest, Bool) async throws -> (PaymentCardReadResult?, VASReadResult?) =
                Session.readPaymentCard(_:vasRequest:stopOnVASResult:)
        let oldTransaction: (Session) -> (Transaction, Handler) async throws -> PaymentCardReadResult =
            Session.readPaymentCard(_:eventHandler:)
        let oldVerification: (Session) -> (Verification, Handler) async throws -> PaymentCardReadResult =
            Session.readPaymentCard(_:eventHandler:)
        let oldBoth:
            (Session) -> (Transaction, VASRequest, Bool, Handler) async throws -> (
                PaymentCardReadResult?, VASReadResult?
            ) =
                Session.readPaymentCard(_:vasRequest:stopOnVASResult:eventHandler:)
        _ = (transaction, verification, both, oldTransaction, oldVerification, oldBoth)
    }

    @Test("Requests")
    func requests() {
        var request = Transaction(amount: 12.5, currencyCode: "EUR")
        #expect(request.type == .purchase && request.amount == 12.5 && request.currencyCode == "EUR")
        #expect(request.preferredAIDList.isEmpty && request.userInterfaceLanguage == nil)
        #expect(request.transactionDescription == nil && !request.useISOCurrencySymbol)
        request.preferredAIDList = [Data([0xA0, 0, 0, 0, 3])]
        request.userInterfaceLanguage = Locale.Language(identifier: "de")
        request.transactionDescription = .installment(.monthly, amount: 4, payments: 3)
        request.useISOCurrencySymbol = true
        let types: Set<Transaction.TransactionType> = [.purchase, .refund]
        let cycles: Set<Transaction.PaymentCycle> = [.weekly, .monthly, .yearly]
        let descriptions: [Transaction.TransactionAmountDescription] = [
            .surchargePercent(1), .surchargeAmount(1), .installment(.weekly, amount: 1, payments: 1),
            .membership(.yearly), .preauthorizationAmount(1), .preauthorization, .preauthorizationRelease,
        ]
        let reasons: Set<Verification.Reason> = [.lookUp, .saveCard, .openTab, .other]
        var verification = Verification(currencyCode: "EUR", for: .openTab)
        verification.userInterfaceLanguage = nil
        #expect(verification.verificationReason == .openTab && verification.currencyCode == "EUR")
        #expect(types.count == 2 && cycles.count == 3 && descriptions.count == 7 && reasons.count == 4)
    }

    @Test("Result")
    func result() {
        typealias Result = PaymentCardReadResult
        let id: KeyPath<Result, String> = \.id
        let texts: [KeyPath<Result, String?>] = [\.paymentCardData, \.generalCardData, \.applicationTypeIdentifier]
        let outcome: KeyPath<Result, Result.ReadOutcome> = \.outcome
        let flags: [KeyPath<Result, Bool>] = [\.pinBypassed, \.isPINFallback]
        let effective: KeyPath<Result, Result.CardEffectiveState?> = \.cardEffectiveState
        let expiration: KeyPath<Result, Result.CardExpirationState?> = \.cardExpirationState
        let outcomes: Set<Result.ReadOutcome> = [.success, .cardDeclined, .failure]
        let states: Set<Result.CardEffectiveState> = [.active, .inactive, .invalid, .unknown]
        let expirations: Set<Result.CardExpirationState> = [.notExpired, .expired, .invalid, .unknown]
        #expect(outcomes.count == 3 && states.count == 4 && expirations.count == 4)
        _ = (id, texts, outcome, flags, effective, expiration)
    }
}
