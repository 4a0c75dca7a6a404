// SPDX-License-Identifier: Apache-2.0

import AppleVAS
import BERTLV
import EMVContactless
import Foundation
import ISO7816
import Testing

@testable import ProximityReader

/// One row of the one-tap table: what is asked, what is presented, what comes of it.
struct Flow: Sendable, CustomTestStringConvertible {
    enum Payment: String, Sendable { case none, success, cardDeclined, failure }

    let testDescription: String
    var passes: [String] = [Bench.club]
    var stops = false
    var keepsErrors = false
    let taps: [Composed.Tap]
    /// The payment that comes back.
    var payment = Payment.none
    /// Status words of the entries that come back; nil for no result.
    var entries: [String]?
    /// What is thrown instead.
    var error: String?
    var events: [String] = Sequence.good
    /// Commands of each tap.
    var commands: [Int]
    /// Passes that the session keeps of a read that failed.
    var kept = 0

    static let failed = Sequence.failedTap
    static let club = Composed.pass(Bench.club)
    static let pays = Composed.payment
    static let both: Composed.Tap = [Composed.wallet(), club] + pays
}

extension Flow {
    /// Rows of sheet 2.1 and their neighbours.
    static let table: [Flow] = [
        Flow(
            testDescription: "stop, pass and card: the pass ends the tap", stops: true, taps: [both], entries: ["9000"],
            commands: [2]),
        Flow(
            testDescription: "stop, pass without a card", stops: true, taps: [[Composed.wallet(armed: false), club]],
            entries: ["9000"], commands: [2]),
        Flow(
            testDescription: "stop, plastic card", stops: true, taps: [[Composed.noWallet()] + pays], payment: .success,
            commands: [4]),
        Flow(
            testDescription: "stop, wallet without the pass, with a card", stops: true,
            taps: [[Composed.wallet(), Composed.pass(Bench.club, "6A83")] + pays], payment: .success, commands: [5]),
        Flow(
            testDescription: "stop, wallet with neither", stops: true,
            taps: [[Composed.wallet(armed: false), Composed.pass(Bench.club, "6A83"), Composed.noDirectory()]],
            error: "cardReadFailed", events: failed, commands: [3]),
        Flow(
            testDescription: "both: pass and card", taps: [both], payment: .success, entries: ["9000"], commands: [5]),
        Flow(
            testDescription: "both: pass, no card armed",
            taps: [[Composed.wallet(armed: false), club, Composed.noDirectory()]], entries: ["9000"], commands: [3]),
        Flow(
            testDescription: "both: pass, the application refuses",
            taps: [
                [Composed.wallet(armed: false), club, Composed.directory(), Composed.application()]
                    + [Composed.refused("6985")]
            ],
            entries: ["9000"], commands: [5]),
        Flow(
            testDescription: "both: plastic card, one command more", taps: [[Composed.noWallet("6D00")] + pays],
            payment: .success, commands: [4]),
        Flow(
            testDescription: "both: another maker's wallet", taps: [[Composed.wallet("AndroidPay")] + pays],
            payment: .success, commands: [4]),
        Flow(
            testDescription: "both: no such pass, URL pushed, card",
            taps: [[Composed.wallet(), Composed.pass(Bench.club, "6A83")] + pays], payment: .success, commands: [5]),
        Flow(
            testDescription: "both: one pass of two, card", passes: [Bench.club, Bench.cafe],
            taps: [[Composed.wallet(), club, Composed.pass(Bench.cafe, "6A83")] + pays], payment: .success,
            entries: ["9000", "6A83"], commands: [6]),
        Flow(
            testDescription: "both: two passes, card", passes: [Bench.club, Bench.cafe],
            taps: [[Composed.wallet(), club, Composed.pass(Bench.cafe)] + pays], payment: .success,
            entries: ["9000", "9000"], commands: [6]),
        Flow(
            testDescription: "no passes asked: no VAS command", passes: [], taps: [pays], payment: .success,
            commands: [3]),
        Flow(
            testDescription: "nothing at all", taps: [[Composed.noWallet(), Composed.noDirectory()]],
            error: "cardReadFailed", events: failed, commands: [2]),
    ]

    /// Declines and refusals.
    static let refusals: [Flow] = [
        Flow(
            testDescription: "declined: thrown, the pass is kept aside",
            taps: [[Composed.wallet(), club, Composed.directory(), Composed.application(), Composed.paid(cid: 0)]],
            error: "paymentCardDeclined", events: failed, commands: [5], kept: 1),
        Flow(
            testDescription: "declined with includeErrorInReadResult", keepsErrors: true,
            taps: [[Composed.wallet(), club, Composed.directory(), Composed.application(), Composed.paid(cid: 0)]],
            payment: .cardDeclined, entries: ["9000"], commands: [5]),
        Flow(
            testDescription: "another interface", passes: [], keepsErrors: true,
            taps: [[Composed.directory(), Composed.application(), Composed.refused("6984")]], error: "cardReadFailed",
            events: failed, commands: [3]),
        Flow(
            testDescription: "an application that nobody here has", passes: [],
            taps: [[Composed.directory(["F000000001"])]], error: "cardNotSupported", events: failed, commands: [1]),
        Flow(
            testDescription: "data that make no sense", passes: [],
            taps: [[Composed.directory(), Composed.application(), Composed.processing([0x77, 0x05, 0x82, 0x90, 0])]],
            error: "cardReadFailed", events: failed, commands: [3]),
        Flow(
            testDescription: "read but incomplete, with includeErrorInReadResult", passes: [], keepsErrors: true,
            taps: [
                [Composed.directory(), Composed.application()]
                    + [
                        Composed.processing(
                            Composed.bytes("77198202004057134761739001010119D28122010000000000000F9000"))
                    ]
            ],
            payment: .failure, commands: [3]),
    ]

    /// More than one tap.
    static let retries: [Flow] = [
        Flow(
            testDescription: "locked, then unlocked",
            taps: [[Composed.wallet(armed: false), Composed.pass(Bench.club, "6287")], both], payment: .success,
            entries: ["9000"], events: Sequence.retry + Sequence.good, commands: [2, 5]),
        Flow(
            testDescription: "locked twice, then unlocked",
            taps: [
                [Composed.wallet(), Composed.pass(Bench.club, "6287")],
                [Composed.wallet(), Composed.pass(Bench.club, "6287")], both,
            ],
            payment: .success, entries: ["9000"], events: Sequence.retry + Sequence.retry + Sequence.good,
            commands: [2, 2, 5]),
        Flow(
            testDescription: "see phone: the payment again, the pass not",
            taps: [
                [Composed.wallet(), club, Composed.directory(), Composed.application(), Composed.refused("6986")], pays,
            ],
            payment: .success, entries: ["9000"], events: Sequence.retry + Sequence.good, commands: [5, 3]),
        Flow(
            testDescription: "see phone without passes", passes: [],
            taps: [[Composed.directory(), Composed.application(), Composed.refused("6986")], pays], payment: .success,
            events: Sequence.retry + Sequence.good, commands: [3, 3]),
        Flow(
            testDescription: "torn in the payment: the pass is kept and not asked for again",
            taps: [[Composed.wallet(), club, Composed.directory()], pays], payment: .success, entries: ["9000"],
            events: Sequence.retry + Sequence.good, commands: [4, 3]),
        Flow(
            testDescription: "torn between two passes: only the second is asked for again",
            passes: [Bench.club, Bench.cafe],
            taps: [[Composed.wallet(), club], [Composed.wallet(), Composed.pass(Bench.cafe)] + pays],
            payment: .success, entries: ["9000", "9000"], events: Sequence.retry + Sequence.good, commands: [3, 5]),
        Flow(
            testDescription: "torn in the payment, and nobody comes back: the pass is the result",
            taps: [[Composed.wallet(), club, Composed.directory()]], entries: ["9000"],
            events: Sequence.retry + ["readyForTap", "readCompleted", "userInterfaceDismissed"], commands: [4]),
        Flow(
            testDescription: "torn plastic: the wallet is asked for again, it may be a phone now",
            taps: [[Composed.noWallet(), Composed.directory()], both], payment: .success, entries: ["9000"],
            events: Sequence.retry + Sequence.good, commands: [3, 5]),
        Flow(
            testDescription: "locked, and nobody comes back",
            taps: [[Composed.wallet(armed: false), Composed.pass(Bench.club, "6287")]], error: "readCancelled",
            events: Sequence.retry + Sequence.cancelled, commands: [2]),
    ]
}

@Suite("One tap: the table of results, declines, repeated taps")
struct FlowTests {
    @Test("Results, events and commands of one tap", arguments: Flow.table + Flow.refusals + Flow.retries)
    func flow(_ flow: Flow) async throws {
        let taps = TapsReader(flow.taps)
        let bench = try PaymentBench { _ in
        } reader: { _ in
            taps
        }
        var options = PaymentCardReader.Options()
        options.includeErrorInReadResult = flow.keepsErrors
        var kept: VASReadResult?
        let (result, events) = await bench.bench.run(options: options) { reader in
            let session = try await reader.prepare(using: bench.bench.token())
            defer { kept = session.passesOfFailedRead }
            return try await PaymentBench.read(session, PaymentBench.purchase, flow.passes, flow.stops)
        }
        #expect(caseName(result) == flow.error)
        #expect(events == flow.events)
        #expect(taps.sent.map(\.count) == flow.commands)
        #expect((kept?.entries.count ?? 0) == flow.kept)
        guard let both = try? result.get() else { return }
        #expect((both.payment.map { "\($0.outcome)" } ?? "none") == flow.payment.rawValue)
        #expect(both.payment != nil || both.passes != nil)
        #expect(both.passes?.entries.map { StatusWord(rawValue: $0.statusWord).description } == flow.entries)
        #expect(both.passes.map { $0.entries.map(\.id) == flow.passes } ?? true)
        if let payment = both.payment { try check(payment, bench) }
    }

    private func check(_ payment: PaymentCardReadResult, _ bench: PaymentBench) throws {
        #expect(payment.applicationTypeIdentifier == "03" && !payment.id.isEmpty)
        #expect(!payment.pinBypassed && !payment.isPINFallback)
        #expect(payment.cardEffectiveState == nil && payment.cardExpirationState == nil)
        #expect(try bench.sealed(0x57, in: payment)?.hasPrefix(Composed.pan) == true)
        let general = try #require(payment.generalCardData.flatMap { Data(base64Encoded: $0) })
        #expect(!Hex.encode(Array(general)).contains(Composed.pan))
    }

    @Test("Outcomes in Apple's words")
    func verdicts() {
        let rows: [(EMVOutcome, String)] = [
            (EMVOutcome(.onlineRequest, .onlineCryptogram), "read"), (EMVOutcome(.approved, .approvedOffline), "read"),
            (EMVOutcome(.requestOnlinePIN, .onlineCryptogram), "read"),
            (EMVOutcome(.endApplication, .readOnly), "read"),
            (EMVOutcome(.tryAgain, .seePhone), "restart"), (EMVOutcome(.declined, .cardDeclined), "declined"),
            (EMVOutcome(.tryAnotherInterface, .otherInterface), "failed(cardReadFailed)"),
            (EMVOutcome(.tryAnotherInterface, .notAllowedContactless), "failed(paymentReadFailed)"),
            (EMVOutcome(.endApplication, .notAPaymentCard), "failed(cardReadFailed)"),
            (EMVOutcome(.endApplication, .noSupportedApplication), "failed(cardNotSupported)"),
            (EMVOutcome(.endApplication, .magStripeMode), "failed(cardNotSupported)"),
            (EMVOutcome(.endApplication, .nothingConfigured), "failed(paymentReadFailed)"),
            (EMVOutcome(.endApplication, .malformedData), "failed(cardReadFailed)"),
        ]
        for (outcome, expected) in rows {
            let text = "\(PaymentVerdict(outcome))".replacing(
                "ProximityReader.PaymentCardReaderSession.ReadError.", with: "")
            #expect(text == expected, "\(outcome.reason.code)")
        }
    }

    @Test("An amount that is over every limit is refused as the sheet comes up")
    func limit() async throws {
        let bench = try PaymentBench { _ in
        } reader: { _ in
            TapsReader([Flow.both])
        } set: {
            $0.payment.setLimits(transaction: 1250, verification: nil)
        }
        let (result, events) = await bench.read(passes: [Bench.club])
        #expect(caseName(result) == "paymentReadFailed")
        #expect(events == ["readNotCompleted", "userInterfaceDismissed"])
        #expect(bench.bench.counter.lastTap?.payment?.reason.code == "notAllowedContactless")
        let (cheap, _) = await bench.read(PaymentCardTransactionRequest(amount: 12.49, currencyCode: "EUR"))
        #expect(try cheap.get().payment != nil)
    }

    @Test("The mode in 9F26: 0 stops on a pass, 1 goes on, 2 reads passes alone", arguments: [true, false])
    func modes(_ stops: Bool) async throws {
        let taps = TapsReader([Flow.both, Flow.both])
        let bench = try PaymentBench { _ in
        } reader: { _ in
            taps
        }
        let (result, _) = await bench.bench.run { reader in
            let session = try await reader.prepare(using: bench.bench.token())
            _ = try await PaymentBench.read(session, PaymentBench.purchase, [Bench.club], stops)
            return try await session.readVAS(Bench.request(Bench.club))
        }
        #expect(caseName(result) == nil)
        let asked = taps.sent.map { tap in tap.filter { $0.starts(with: [0x80, 0xCA]) }.map { Hex.encode($0) } }
        #expect(asked.allSatisfy { $0.count == 1 })
        #expect(asked.first?.first?.contains(stops ? "9F260400800000" : "9F260400800001") == true)
        #expect(asked.last?.first?.contains("9F260400800002") == true)
    }

    @Test("The URL of a merchant without a pass goes to the phone in the same tap")
    func url() async throws {
        let taps = TapsReader([[Composed.wallet(), Composed.pass(Bench.club, "6A83")] + Flow.pays])
        let bench = try PaymentBench { _ in
        } reader: { _ in
            taps
        }
        let url = "https://example.com/join"
        let (result, _) = await bench.bench.run { reader in
            let merchant = VASRequest.Merchant(id: Bench.club, url: URL(string: url))
            return try await reader.prepare(using: bench.bench.token()).readPaymentCard(
                PaymentBench.purchase, vasRequest: VASRequest(vasMerchants: [merchant]), stopOnVASResult: false)
        }
        #expect(try result.get().0 != nil && result.get().1 == nil)
        let text = taps.sent.joined().map { Hex.encode($0) }.joined()
        #expect(text.contains(Hex.encode(Array(url.utf8))))
    }

    @Test("A list of names is never tried on a phone, and tried on a card only when switched on")
    func names() async throws {
        for (first, switched, commands) in [
            (Composed.wallet(), true, 3), (Composed.noWallet(), false, 2), (Composed.noWallet(), true, 16),
            (Composed.wallet("AndroidPay"), true, 2),
        ] {
            let taps = TapsReader([
                [first, Composed.pass(Bench.club, "6A83"), Composed.noDirectory()] + [Composed.paid()]
            ])
            let bench = try PaymentBench { _ in
            } reader: { _ in
                taps
            } set: {
                $0.payment.configuration.triesConfiguredNames = switched
            }
            let (result, _) = await bench.read(passes: [Bench.club])
            #expect(caseName(result) == "cardReadFailed")
            #expect(taps.sent.map(\.count) == [commands])
        }
    }

    @Test("A payment alone finds out whether it is a phone before it tries names")
    func namesWithoutPasses() async throws {
        let taps = TapsReader([[Composed.wallet(), Composed.noDirectory(), Composed.paid()]])
        let bench = try PaymentBench { _ in
        } reader: { _ in
            taps
        } set: {
            $0.payment.configuration.triesConfiguredNames = true
        }
        let (result, _) = await bench.read()
        #expect(caseName(result) == "cardReadFailed" && taps.sent.map(\.count) == [2])
    }

    @Test("Preferred applications go before the card's own order")
    func preferred() async throws {
        let second = "A0000000032010"
        let card = [Composed.directory([Composed.visa, second]), Composed.application(second), Composed.paid()]
        let taps = TapsReader([card])
        let bench = try PaymentBench { _ in
        } reader: { _ in
            taps
        }
        var request = PaymentBench.purchase
        request.preferredAIDList = [Data(Composed.bytes("A0000000032010"))]
        let (result, _) = await bench.read(request)
        #expect(try result.get().payment != nil)
        #expect(taps.sent.first?.count == 3)
    }

    @Test("Only test numbers, when the counter is told so")
    func testCardsOnly() async throws {
        // In no published range; its check digit is wrong, so it is nobody's.
        for (pan, error) in [(Composed.pan, nil), ("4929123456789019", "cardNotSupported")] {
            let card = [Composed.directory(), Composed.application(), Composed.paid(pan: pan)]
            let bench = try PaymentBench { _ in
            } reader: { _ in
                TapsReader([card])
            } set: {
                $0.payment.testCardsOnly = true
            }
            var options = PaymentCardReader.Options()
            options.includeErrorInReadResult = true
            let (result, _) = await bench.read(options: options)
            #expect(caseName(result) == error)
            if error != nil { #expect(bench.bench.counter.lastTap?.payment?.reason.code == "notATestCard") }
        }
    }
}
