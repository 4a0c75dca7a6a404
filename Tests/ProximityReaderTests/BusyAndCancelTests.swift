// SPDX-License-Identifier: Apache-2.0

import EmulatedWallet
import Foundation
import HostSystem
import ISO7816
import Synchronization
import Testing

@testable import ProximityReader

@Suite("One at a time; cancel until a card is detected", .timeLimit(.minutes(10)))
struct BusyAndCancelTests {
    /// A bench whose phone comes by hand, and that phone's reader.
    private func manual(
        _ phone: (inout PhoneDefinition) -> Void = { _ in }, set: (inout Counter.Configuration) -> Void = { _ in }
    ) throws -> (Bench, EmulatedReader) {
        let made = Mutex<EmulatedReader?>(nil)
        let bench = try Bench(phone) { phone in
            let reader = EmulatedReader(phone, tapping: .manual)
            made.withLock { $0 = reader }
            return reader
        } set: {
            set(&$0)
        }
        return (bench, try #require(made.withLock { $0 }))
    }

    /// Waits for an event of a reader whose stream nobody else reads: two loops share the events between them.
    private func watch(_ reader: PaymentCardReader, until event: String) async {
        for await seen in reader.events where seen.name == event { return }
    }

    /// Begins a read and waits for its first event of this name.
    private func begin(
        _ session: PaymentCardReaderSession, until event: String
    ) async -> Task<VASReadResult, any Error> {
        let (names, continuation) = AsyncStream<String>.makeStream()
        let task = Task {
            defer { continuation.finish() }
            return try await session.readVAS(Bench.request(Bench.club)) { continuation.yield($0.name) }
        }
        for await name in names where name == event { break }
        return task
    }

    @Test("cancelRead ends a waiting read, once")
    func cancel() async throws {
        let (bench, _) = try manual()
        let token = try bench.token()
        let (result, events) = await bench.run { reader in
            let session = try await reader.prepare(using: token)
            #expect(try await !session.cancelRead())
            let read = Task { try await session.readVAS(Bench.request(Bench.club)) }
            while try await !session.cancelRead() { try await Task.sleep(for: .milliseconds(1)) }
            #expect(try await !session.cancelRead())
            return try await read.value
        }
        #expect(caseName(result) == "readCancelled")
        #expect(events == Sequence.cancelled)
    }

    @Test("After a cancelled read the next one works")
    func cancelThenRead() async throws {
        let (bench, phone) = try manual()
        let token = try bench.token()
        let (result, events) = await bench.run { reader in
            let session = try await reader.prepare(using: token)
            let first = Task { try await session.readVAS(Bench.request(Bench.club)) }
            while try await !session.cancelRead() { try await Task.sleep(for: .milliseconds(1)) }
            _ = try? await first.value
            phone.tap()
            return try await session.readVAS(Bench.request(Bench.club))
        }
        #expect(try bench.messages(result) == ["M-1"])
        #expect(events == Sequence.cancelled + Sequence.good)
    }

    @Test("Once a card is detected cancelRead is too late, and the read goes on")
    func tooLate() async throws {
        let bench = try Bench { $0.answerDelay = 50 }
        let token = try bench.token()
        let reader = PaymentCardReader(counter: bench.counter)
        let session = try await reader.prepare(using: token)
        let read = Task { try await session.readVAS(Bench.request(Bench.club)) }
        await watch(reader, until: "cardDetected")
        #expect(try await !session.cancelRead())
        #expect(try bench.messages(await read.result) == ["M-1"])
    }

    @Test("A torn tap makes cancelling possible again")
    func cancelAfterTear() async throws {
        let (bench, phone) = try manual {
            $0.leavesFieldAt = 2
            $0.leavesFieldTaps = 1
        }
        let token = try bench.token()
        let (result, events) = await bench.run { reader in
            let session = try await reader.prepare(using: token)
            phone.tap()
            let read = Task { try await session.readVAS(Bench.request(Bench.club)) }
            while bench.counter.lastTap == nil { try await Task.sleep(for: .milliseconds(1)) }
            while try await !session.cancelRead() { try await Task.sleep(for: .milliseconds(1)) }
            return try await read.value
        }
        #expect(caseName(result) == "readCancelled")
        // The cancellation may come before or after the sheet asks again.
        let after = Array(events.dropFirst(3))
        #expect(Array(events.prefix(3)) == Sequence.retry)
        #expect(after == Sequence.cancelled)
    }

    @Test("A cancellation while a locked phone is polled ends the read, between two looks", arguments: [true, false])
    func cancelWhilePolling(ofTheTask: Bool) async throws {
        let bench = try Bench {
            $0.locked = true
            $0.answerDelay = 2
        } reader: {
            EmulatedReader($0)
        } set: {
            $0.policy.activationWindow = .seconds(86_400)
        }
        let token = try bench.token()
        let (result, events) = await bench.run { reader in
            let session = try await reader.prepare(using: token)
            let read = Task { try await session.readVAS(Bench.request(Bench.club)) }
            while bench.phone.tapCount < 5 { try await Task.sleep(for: .milliseconds(1)) }
            if ofTheTask { read.cancel() } else { #expect(try await session.cancelRead()) }
            return try await read.value
        }
        #expect(caseName(result) == "readCancelled")
        #expect(events == Sequence.retry + Sequence.cancelled)
    }

    @Test("Cancelling the task is as cancelRead")
    func taskCancelled() async throws {
        let (bench, _) = try manual()
        let token = try bench.token()
        let (result, events) = await bench.run { reader in
            let session = try await reader.prepare(using: token)
            let read = await begin(session, until: "readyForTap")
            read.cancel()
            return try await read.value
        }
        #expect(caseName(result) == "readCancelled")
        #expect(events == Sequence.cancelled)
    }

    @Test("No tap in time closes the sheet as the merchant would")
    func timeout() async throws {
        let (bench, _) = try manual { _ in
        } set: {
            $0.policy.tapTimeout = .milliseconds(20)
        }
        let (result, events) = await bench.read()
        #expect(caseName(result) == "readCancelled")
        #expect(events == Sequence.cancelled)
    }

    @Test("A second read is refused while one is on the screen, from any reader of the counter")
    func secondRead() async throws {
        let (bench, _) = try manual()
        let token = try bench.token()
        let (result, events) = await bench.run { reader in
            let session = try await reader.prepare(using: token)
            let read = await begin(session, until: "readyForTap")
            let second = await Task { try await session.readVAS(Bench.request(Bench.club)) }.result
            #expect(caseName(second) == "readerSessionBusy")
            let other = PaymentCardReader(counter: bench.counter)
            let otherSession = try await other.prepare(using: token)
            #expect(try await !otherSession.cancelRead())
            let third = await Task { try await otherSession.readVAS(Bench.request(Bench.club)) }.result
            #expect(caseName(third) == "readerSessionBusy")
            #expect(try await session.cancelRead())
            return try await read.value
        }
        #expect(caseName(result) == "readCancelled")
        #expect(events.last == "userInterfaceDismissed")
    }

    @Test("A second preparation is refused while one runs")
    func secondPreparation() async throws {
        let bench = try Bench { _ in
        } set: {
            $0.conditions = [.slowPreparation(.seconds(1))]
            $0.time.sleep = { _ in try? await Task.sleep(for: .milliseconds(2)) }
        }
        let token = try bench.token()
        let reader = PaymentCardReader(counter: bench.counter)
        async let first = reader.prepare(using: token)
        await watch(reader, until: "updateProgress")
        let second = await Task { try await PaymentCardReader(counter: bench.counter).prepare(using: token) }.result
        #expect(caseName(second) == "readerBusy")
        _ = try await first
    }

    @Test("A session is handed out again while it is good; a new merchant gets a new one")
    func sessionReuse() async throws {
        let bench = try Bench()
        let reader = PaymentCardReader(counter: bench.counter)
        let first = try await reader.prepare(using: bench.token())
        let again = try await reader.prepare(using: bench.token { $0.expires += 3600 })
        #expect(first === again)
        let other = try await reader.prepare(using: bench.token { $0.merchantID = "merchant.other" })
        #expect(other !== first)
        let old = await Task { try await first.readVAS(Bench.request(Bench.club)) }.result
        #expect(caseName(old) == "noReaderSession")
        bench.counter.conditions = [Condition(.sessionLost)]
        bench.counter.conditions = []
        let fresh = try await reader.prepare(using: bench.token { $0.merchantID = "merchant.other" })
        #expect(fresh !== other)
    }

    @Test("Losing the session under a waiting read ends it")
    func lostWhileWaiting() async throws {
        let (bench, _) = try manual()
        let token = try bench.token()
        let (result, events) = await bench.run { reader in
            let session = try await reader.prepare(using: token)
            let read = await begin(session, until: "readyForTap")
            bench.counter.conditions = [Condition(.sessionLost)]
            return try await read.value
        }
        #expect(caseName(result) == "noReaderSession")
        #expect(events == ["readyForTap", "notReady", "readNotCompleted", "userInterfaceDismissed"])
    }

    @Test("A session lost from the start tells so once it is there")
    func lostFromTheStart() async throws {
        let bench = try Bench { _ in
        } set: {
            $0.conditions = [Condition(.sessionLost)]
        }
        let (result, events) = await bench.read()
        #expect(caseName(result) == "noReaderSession")
        #expect(events == ["notReady"])
    }

    @Test("The token's time is checked at each read")
    func tokenExpiresDuringSession() async throws {
        let bench = try Bench()
        let token = try bench.token()
        let (result, events) = await bench.run { reader in
            let session = try await reader.prepare(using: token)
            _ = try await session.readVAS(Bench.request(Bench.club))
            bench.time.advance(.seconds(48 * 3600))
            return try await session.readVAS(Bench.request(Bench.club))
        }
        #expect(caseName(result) == "readerTokenExpired")
        #expect(events == Sequence.good)
    }

    @Test("A hundred races between a card and a cancellation: one of them wins")
    func races() async throws {
        for round in 0..<100 {
            let (bench, phone) = try manual()
            let token = try bench.token()
            let (result, events) = await bench.run { reader in
                let session = try await reader.prepare(using: token)
                let read = await begin(session, until: "readyForTap")
                let cancel = Task { try await session.cancelRead() }
                if round.isMultiple(of: 2) { await Task.yield() }
                phone.tap()
                let cancelled = try await cancel.value
                let result = await read.result
                #expect(cancelled == (caseName(result) == "readCancelled"))
                return try result.get()
            }
            #expect(caseName(result) == nil || caseName(result) == "readCancelled")
            #expect(events.last == "userInterfaceDismissed")
        }
    }
}
