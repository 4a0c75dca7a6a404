// SPDX-License-Identifier: Apache-2.0

import EMVContactless
import Foundation
import ISO7816
import Testing

@testable import ProximityReader

@Suite("Payment requests: what is checked, and what fails nothing")
struct PaymentRequestTests {
    typealias Request = PaymentCardTransactionRequest
    typealias Failure = PaymentCardReaderSession.ReadError

    private func plan(
        _ amount: String, _ currency: String = "EUR", edit: (inout Request) -> Void = { _ in }
    ) -> Result<PaymentPlan, Failure> {
        var request = Request(amount: Decimal(string: amount) ?? .nan, currencyCode: currency)
        edit(&request)
        return Result { () throws(Failure) in try PaymentPlan(.transaction(request)) }
    }

    private func name(_ plan: Result<PaymentPlan, Failure>) -> String? {
        if case .failure(let error) = plan { error.errorName } else { nil }
    }

    @Test("Amounts become minor units of their currency")
    func amounts() throws {
        let rows: [(String, String, UInt64)] = [
            ("12.50", "EUR", 1250), ("0.01", "USD", 1), ("12.5", "EUR", 1250), ("12.500", "EUR", 1250),
            ("9999999.99", "EUR", 999_999_999), ("999999999", "JPY", 999_999_999), ("1", "JPY", 1),
            ("0.001", "KWD", 1), ("999999.999", "BHD", 999_999_999), ("1.2345", "CLF", 12345), ("1E+3", "EUR", 100_000),
        ]
        for (amount, currency, minor) in rows {
            let plan = try plan(amount, currency).get()
            #expect(plan.amount == minor, "\(amount) \(currency)")
            #expect(plan.currency.code == currency)
        }
    }

    @Test(
        "Wrong amounts",
        arguments: [
            ("0", "EUR"), ("-1", "EUR"), ("NaN", "EUR"), ("0.001", "EUR"), ("12.345", "USD"), ("1.5", "JPY"),
            ("10000000.00", "EUR"), ("1000000000", "JPY"), ("0.0001", "KWD"), ("1E+100", "EUR"), ("1E-100", "EUR"),
            ("99999999999999999999999999", "EUR"),
        ])
    func wrongAmounts(_ amount: String, _ currency: String) {
        #expect(name(plan(amount, currency)) == "invalidAmount")
    }

    @Test("Wrong currencies, in both requests", arguments: ["", "eur", "EURO", "XXX", "XAU", "XTS", "E U", "€", "978"])
    func currencies(_ code: String) {
        #expect(name(plan("1", code)) == "invalidCurrencyCode")
        let verification = PaymentCardVerificationRequest(currencyCode: code)
        #expect(
            name(Result { () throws(Failure) in try PaymentPlan(.verification(verification)) }) == "invalidCurrencyCode"
        )
    }

    @Test("The currency table: numbers and decimals as ISO 4217 has them, none twice")
    func table() {
        let rows: [(String, UInt16, Int)] = [
            ("EUR", 978, 2), ("USD", 840, 2), ("GBP", 826, 2), ("JPY", 392, 0), ("KWD", 414, 3), ("CHF", 756, 2),
            ("AUD", 36, 2), ("ISK", 352, 0), ("UYW", 927, 4), ("CLF", 990, 4), ("ALL", 8, 2), ("ZWG", 924, 2),
        ]
        for (code, number, exponent) in rows {
            #expect(Currency(code: code)?.number == number && Currency(code: code)?.exponent == exponent, "\(code)")
        }
        let all = Currency.byCode.values
        #expect(all.count == 165 && Set(all.map(\.number)).count == all.count)
        #expect(all.allSatisfy { $0.code.count == 3 && $0.code.allSatisfy { ("A"..."Z").contains($0) } })
    }

    @Test("Preferred applications: 5 to 16 bytes each, four at most")
    func preferredNames() throws {
        func name(_ lengths: Int...) -> String? {
            self.name(plan("1") { $0.preferredAIDList = lengths.map { Data(repeating: 0xA0, count: $0) } })
        }
        #expect(name(5, 16, 7, 8) == nil && name() == nil)
        #expect(name(4) == "invalidPreferredAID")
        #expect(name(17) == "invalidPreferredAID")
        #expect(name(0) == "invalidPreferredAID")
        #expect(name(7, 7, 7, 7, 7) == "invalidPreferredAID")
        // A slice of other data has other indices.
        let slice = Data(repeating: 0xA0, count: 20).dropFirst(13)
        #expect(
            try plan("1") { $0.preferredAIDList = [slice] }.get().preferredNames == [[UInt8](repeating: 0xA0, count: 7)]
        )
    }

    @Test("A refund says so to the card; a verification has no amount")
    func types() throws {
        let refund = Request(amount: 5, currencyCode: "EUR", for: .refund)
        #expect(try PaymentPlan(.transaction(refund)).type == 0x20)
        #expect(try plan("5").get().type == 0)
        let verification = PaymentCardVerificationRequest(currencyCode: "USD", for: .saveCard)
        let plan = try PaymentPlan(.verification(verification))
        #expect(plan.amount == 0 && plan.type == 0 && plan.text.title == "saveCard")
        #expect(PaymentCardVerificationRequest(currencyCode: "USD").verificationReason == .other)
    }

    @Test("A description that fits is shown; one that does not is not, and fails nothing")
    func descriptions() throws {
        typealias Text = Request.TransactionAmountDescription
        let shown: [Text] = [
            .surchargePercent(1), .surchargePercent(2.55), .surchargePercent(100), .surchargeAmount(1),
            .installment(.monthly, amount: 10, payments: 3), .membership(.yearly), .preauthorizationAmount(20),
            .preauthorization,
        ]
        for text in shown {
            #expect(text.text(for: .purchase) != nil, "\(text)")
            #expect(text.text(for: .refund) == nil, "\(text)")
        }
        #expect(Text.preauthorizationRelease.text(for: .refund) != nil)
        let hidden: [Text] = [
            .preauthorizationRelease, .surchargePercent(0.99), .surchargePercent(100.01), .surchargePercent(2.555),
            .surchargePercent(.nan), .surchargePercent(.infinity), .surchargeAmount(0), .surchargeAmount(-1),
            .installment(.weekly, amount: 10, payments: 0), .installment(.weekly, amount: 0, payments: 2),
            .preauthorizationAmount(0),
        ]
        for text in hidden {
            #expect(text.text(for: .purchase) == nil, "\(text)")
            let plan = plan("1") { $0.transactionDescription = text }
            #expect(try plan.get().text.detail == nil)
        }
    }

    @Test("The amount's text, with the sign or with the code")
    func texts() throws {
        let plain = try plan("12.50") { $0.userInterfaceLanguage = Locale.Language(identifier: "en") }.get().text.title
        #expect(plain.contains("12.50") && !plain.contains("EUR"))
        let coded = try plan("12.50") {
            $0.userInterfaceLanguage = Locale.Language(identifier: "en")
            $0.useISOCurrencySymbol = true
        }.get().text.title
        #expect(coded.contains("EUR"))
    }

    @Test("A wrong request throws before the sheet: no event")
    func noEvents() async throws {
        let bench = try PaymentBench()
        let rows: [(Request, String)] = [
            (Request(amount: 0, currencyCode: "EUR"), "invalidAmount"),
            (Request(amount: 1, currencyCode: ""), "invalidCurrencyCode"),
        ]
        for (request, error) in rows {
            let (result, events) = await bench.read(request, passes: [Bench.club])
            #expect(caseName(result) == error && events.isEmpty)
        }
        let (result, events) = await bench.bench.run { reader in
            let session = try await reader.prepare(using: bench.bench.token())
            return try await session.readPaymentCard(PaymentCardVerificationRequest(currencyCode: ""))
        }
        #expect(caseName(result) == "invalidCurrencyCode" && events.isEmpty)
    }
}
