// SPDX-License-Identifier: Apache-2.0

import BERTLV
import EMVContactless
import Foundation
import HostSystem
import ISO7816
import Synchronization
import Testing

@testable import ProximityReader

/// A reader on which one phone stays: every look brings the next tap, and the presence is the same.
final class RestingReader: CardReader {
    private let taps: [[RecordedExchange]]
    private let next = Mutex(0)

    init(_ taps: [[RecordedExchange]]) { self.taps = taps }

    let name = "resting"
    var polling: PollingSupport { .manual(advice: "none") }

    func waitForCard(timeout: Duration?) async throws(CardChannelError) -> CardPresence {
        CardPresence(atr: [0x3B, 0x80, 0x80, 0x01, 0x01], eventCount: 1)
    }

    func withCard<Result: Sendable>(
        ending: CardEnding, _ body: @escaping @Sendable (any CardChannel) throws -> Result
    ) async throws -> Result {
        let number = next.withLock { next in
            defer { next += 1 }
            return min(next, taps.count - 1)
        }
        return try body(LooseChannel(taps[number]))
    }

    func waitForRemoval(timeout: Duration?) async throws(CardChannelError) -> Bool { true }
}

@Suite("How payment reads behave")
struct PaymentBehaviourTests {
    private static let seePhone: Composed.Tap = [
        Composed.directory(), Composed.application(), Composed.refused("6986"),
    ]

    @Test("A phone that stays in the field is looked at in silence, with the field off between")
    func resting() async throws {
        let bench = try PaymentBench { _ in
        } reader: { _ in
            RestingReader([[Composed.wallet(), Flow.club] + Self.seePhone, Self.seePhone, Self.seePhone, Flow.pays])
        }
        let (result, events) = await bench.read(passes: [Bench.club])
        #expect(try result.get().payment != nil && result.get().passes != nil)
        #expect(events == Sequence.retry + Sequence.good)
        #expect(bench.bench.time.slept >= .milliseconds(3 * 1300))
    }

    @Test("A phone that stays and is torn while it is looked at")
    func restingTorn() async throws {
        let bench = try PaymentBench { _ in
        } reader: { _ in
            RestingReader([Self.seePhone, Self.seePhone, [Composed.directory()], Flow.pays])
        }
        let (result, events) = await bench.read()
        #expect(try result.get().payment != nil)
        #expect(events == Sequence.retry + Sequence.retry + Sequence.good)
    }

    @Test("Cancelled while the sheet waits; the pass that came before is kept aside")
    func cancelled() async throws {
        let bench = try PaymentBench { _ in
        } reader: { _ in
            TapsReader([[Composed.wallet(), Flow.club, Composed.directory()]])
        }
        bench.bench.counter.conditions = []
        var kept: VASReadResult?
        let (result, events) = await bench.bench.run { reader in
            let session = try await reader.prepare(using: bench.bench.token())
            defer { kept = session.passesOfFailedRead }
            bench.bench.counter.conditions = [Condition(.readCancelled)]
            _ = try? await PaymentBench.read(session, PaymentBench.purchase, [Bench.club], false)
            bench.bench.counter.conditions = []
            #expect(try await session.cancelRead() == false)
            return try await PaymentBench.read(session, PaymentBench.purchase, [Bench.club], false)
        }
        #expect(try result.get().payment == nil && result.get().passes != nil)
        #expect(kept == nil)
        #expect(events.prefix(3) == Sequence.cancelled.prefix(3))
    }

    @Test("A read of one's own task that is cancelled in the wait ends with readCancelled")
    func cancelRead() async throws {
        let bench = try PaymentBench { _ in
        } reader: { _ in
            RestingReader([Self.seePhone])
        } set: {
            $0.time = .system
            $0.payment.setLimits(transaction: nil, verification: nil)
        }
        let (result, events) = await bench.bench.run { reader in
            let token = try bench.bench.token { $0.expires = Date().addingTimeInterval(3600) }
            let session = try await reader.prepare(using: token)
            let read = Task { try await session.readPaymentCard(PaymentBench.purchase) }
            try await Task.sleep(for: .milliseconds(300))
            var isCancelled = false
            for _ in 0..<200 where !isCancelled {
                isCancelled = try await session.cancelRead()
                if !isCancelled { try await Task.sleep(for: .milliseconds(20)) }
            }
            #expect(isCancelled)
            return try await read.value
        }
        #expect(caseName(result) == "readCancelled")
        #expect(events == Sequence.retry + Sequence.cancelled)
    }

    @Test("returnReadResultImmediately: the result before the sheet is gone, the next read after it")
    func immediately() async throws {
        let bench = try PaymentBench { _ in
        } reader: { _ in
            TapsReader([Flow.both, Flow.both])
        }
        var options = PaymentCardReader.Options()
        options.returnReadResultImmediately = true
        let (result, events) = await bench.bench.run(options: options) { reader in
            let session = try await reader.prepare(using: bench.bench.token())
            _ = try await session.readPaymentCard(PaymentBench.purchase)
            return try await session.readPaymentCard(PaymentBench.purchase)
        }
        #expect(try result.get().outcome == .success)
        #expect(events == Sequence.good + Sequence.good)
    }

    @Test("The reader's own merchants serve a request without any; the deprecated forms tell their handler")
    func deprecatedForms() async throws {
        let bench = try PaymentBench { _ in
        } reader: { _ in
            TapsReader([Flow.both, Flow.both, Flow.both])
        }
        let heard = Mutex([String]())
        let options = PaymentCardReader.Options(vasMerchants: [.init(id: Bench.club)])
        let (result, events) = await bench.bench.run(options: options) { reader in
            let session = try await reader.prepare(using: bench.bench.token())
            let note: (PaymentCardReaderSession.Event) -> Void = { event in heard.withLock { $0.append(event.name) } }
            _ = try await session.readPaymentCard(PaymentBench.purchase, eventHandler: note)
            _ = try await session.readPaymentCard(
                PaymentCardVerificationRequest(currencyCode: "EUR"), eventHandler: note)
            return try await session.readPaymentCard(
                PaymentBench.purchase, vasRequest: VASRequest(), stopOnVASResult: false, eventHandler: note)
        }
        #expect(try result.get().0 != nil && result.get().1?.entries.map(\.id) == [Bench.club])
        #expect(events == Sequence.good + Sequence.good + Sequence.good)
        let old = ["readyForTap", "cardDetected", "removeCard", "completed"]
        #expect(heard.withLock { $0 } == old + old + old)
    }

    @Test("A second read is refused while one is on the screen")
    func busy() async throws {
        let bench = try PaymentBench { _ in
        } reader: { _ in
            RestingReader([Self.seePhone])
        } set: {
            $0.time = .system
        }
        let (result, _) = await bench.bench.run { reader in
            let token = try bench.bench.token { $0.expires = Date().addingTimeInterval(3600) }
            let session = try await reader.prepare(using: token)
            let read = Task { try await session.readPaymentCard(PaymentBench.purchase) }
            try await Task.sleep(for: .milliseconds(200))
            await #expect {
                try await session.readPaymentCard(PaymentBench.purchase)
            } throws: { error in
                (error as? PaymentCardReaderSession.ReadError)?.errorName == "readerSessionBusy"
            }
            read.cancel()
            return try await read.value
        }
        #expect(caseName(result) == "readCancelled")
    }

    @Test("The card's dates, for store and forward")
    func dates() {
        typealias Row = (effective: String?, expiration: String?, states: String)
        let rows: [Row] = [
            ("200101", "301231", "active notExpired"), ("300101", "251231", "inactive expired"),
            (nil, nil, "unknown unknown"), ("209901", "2512", "invalid invalid"),
            ("260805", "260805", "active notExpired"),
        ]
        for row in rows {
            let data = CardData()
            if let date = row.effective { data.set(0x5F25, Composed.bytes(date)) }
            if let date = row.expiration { data.set(0x5F24, Composed.bytes(date)) }
            let dates = CardDates(data, on: EMVDate(year: 2026, month: 8, day: 5, secondOfDay: 40_000))
            #expect("\(dates.effective) \(dates.expiration)" == row.states)
        }
    }
}
