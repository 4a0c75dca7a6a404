// SPDX-License-Identifier: Apache-2.0

import APDUTrace
import AppleVAS
import EmulatedWallet
import Foundation
import ISO7816
import LoyaltyFeed
import ProximityReader
import Synchronization
import TestSupport
import Testing
import WalletCrypto

@testable import CounterServer

/// What a phone is like, and what comes of its tap.
private struct FailedTap: Sendable, CustomTestStringConvertible {
    let code: String
    var edit: @Sendable (inout PhoneDefinition) -> Void
    var wallet = "apple"
    var testDescription: String { code }

    static let all = [
        FailedTap(code: "locked") { $0.locked = true },
        FailedTap(code: "notPresent") { $0.passes.removeFirst() },
        FailedTap(code: "userActionNeeded") { $0.passes.append($0.passes[0]) },
        FailedTap(code: "torn") { $0.leavesFieldAt = 2 },
        FailedTap(code: "noWallet", edit: { $0.wallet = .none }, wallet: "none"),
        FailedTap(code: "otherWallet", edit: { $0.wallet = .androidPay }, wallet: "google"),
        FailedTap(code: "malformed", edit: { $0.wallet = .nonsense }, wallet: "none"),
        FailedTap(code: "refused") { $0.statusWords.getVASData = 0x6A80 },
    ]
}

@Suite("The counter at work, with an emulated phone", .timeLimit(.minutes(2)))
struct CounterServiceTests {
    @Test("A tap is read, decrypted, recorded and kept before it is done")
    func tap() async throws {
        let gate = Mutex<[CounterState.Phase]>([])
        let service = Mutex<CounterService?>(nil)
        let journal = MemoryJournal {
            let phase = service.withLock { $0?.state.phase }
            gate.withLock { $0.append(phase ?? .stopped) }
        }
        let bench = try CounterBench(journal: journal)
        service.withLock { $0 = bench.service }
        let states = bench.service.states
        let seen = Task {
            var phases: [CounterState.Phase] = []
            for await state in states { phases.append(state.phase) }
            return phases
        }
        let outcome = try await bench.running { try await bench.service.tapOnce() }
        #expect(outcome.events.count == 1 && outcome.failure == nil)
        let tap = try #require(journal.taps.first)
        #expect(journal.taps.count == 1 && tap.id == outcome.id && tap.result == .read && tap.mode == "vas")
        #expect(tap.wallet == "apple" && tap.readerName == "emulated:" && tap.latencyMilliseconds > 0)
        let pass = try #require(tap.passes.first)
        guard case .read(member: "M-1", let keyID, _) = pass.outcome else {
            throw ControlError(.unavailable, "\(pass)")
        }
        #expect(keyID == VASKey.id(of: bench.key.publicKey).description && pass.statusWord == 0x9000)
        #expect(gate.withLock { $0 } == [.hold])
        let phases = await seen.value
        #expect(phases.starts(with: [.starting, .ready, .hold, .done]) && phases.last == .stopped, "\(phases)")
        let trace = try APDUTrace(parsing: try #require(tap.trace))
        #expect(trace.exchanges.count == 2 && trace.header.what == "a tap for \(CounterBench.club)")
    }

    @Test("Two passes in one tap are two events; a pass without its key is parked")
    func parked() async throws {
        let bench = try CounterBench(passes: [CounterBench.club, CounterBench.cafe]) { key in
            var ring = VASKeyRing()
            ring.add(key, passTypeIdentifier: CounterBench.cafe)
            return ring
        }
        let outcome = try await bench.running { try await bench.service.tapOnce() }
        #expect(outcome.events.count == 2 && outcome.failure == nil)
        let passes = try #require(bench.journal.taps.first?.passes)
        guard case .parked(let cryptogram, let keyID) = passes[0].outcome,
            case .read(member: "C-2", _, _) = passes[1].outcome
        else { throw ControlError(.unavailable, "not parked") }
        #expect(cryptogram.count > 56 && keyID.lowercased() == Hex.encode(cryptogram.prefix(4)).lowercased())
        #expect(bench.metrics.text.contains("countertop_unknown_key_total 1\n"))
        #expect(bench.metrics.text.contains(#"countertop_decrypt_failures_total{reason="unknownKey"} 1"#))
    }

    @Test("New keys count from the next tap on")
    func newKeys() async throws {
        let bench = try CounterBench(keys: { _ in VASKeyRing() })
        try await bench.running {
            _ = try await bench.service.tapOnce()
            var ring = VASKeyRing()
            ring.add(bench.key)
            bench.service.replaceKeys(ring)
            _ = try await bench.service.tapOnce()
        }
        let kinds = bench.journal.taps.map { tap in
            if case .parked = tap.passes.first?.outcome { "parked" } else { "read" }
        }
        #expect(kinds == ["parked", "read"])
    }

    @Test("A tap that brings nothing is kept with its reason, and the next phone is read", arguments: FailedTap.all)
    fileprivate func failed(_ row: FailedTap) async throws {
        let bench = try CounterBench(phone: row.edit)
        try await bench.running {
            let outcome = try await bench.service.tapOnce()
            #expect(outcome.events.isEmpty && outcome.failure?.code == row.code)
            #expect(outcome.failure?.text.isEmpty == false && outcome.failure?.hint != nil)
            try await eventually { bench.service.state.phase == .ready }
            bench.phone.become(PhoneDefinition(passes: [CounterBench.pass(CounterBench.club, "M-2", bench.key)]))
            #expect(try await bench.service.tapOnce().events.count == 1)
        }
        let taps = bench.journal.taps
        #expect(taps.count == 2 && taps.first?.wallet == row.wallet && taps.first?.trace != nil)
        guard case .failed(row.code, _) = taps[0].result else {
            Issue.record("\(taps[0].result)")
            return
        }
        #expect(
            bench.metrics.text.contains(#"countertop_taps_total{result="\#(row.code)",wallet="\#(row.wallet)"} 1"#))
    }

    @Test("A tap that cannot be kept says so, has no done, and the next one works")
    func notKept() async throws {
        let bench = try CounterBench()
        bench.journal.isFull = true
        try await bench.running {
            await #expect(throws: ControlError.self) { try await bench.service.tapOnce() }
            #expect(bench.service.state.phase != .done)
            bench.journal.isFull = false
            let outcome = try await bench.service.tapOnce()
            #expect(outcome.events.count == 1)
        }
        #expect(bench.journal.taps.count == 1)
        #expect(bench.metrics.text.contains(#"countertop_taps_total{result="notKept",wallet="unknown"} 1"#))
    }

    @Test("Taps asked for at once are made one after the other, each with its own answer")
    func queue() async throws {
        let bench = try CounterBench()
        let ids = try await bench.running {
            try await withThrowingTaskGroup(of: ULID.self) { group in
                for _ in 0..<50 { group.addTask { try await bench.service.tapOnce().id } }
                return try await group.reduce(into: [ULID]()) { $0.append($1) }
            }
        }
        #expect(Set(ids).count == 50 && Set(bench.journal.taps.map(\.id)) == Set(ids))
        #expect(bench.phone.tapCount == 50)
    }

    @Test("Hundreds of taps a second")
    func speed() async throws {
        let bench = try CounterBench()
        let start = ContinuousClock.now
        try await bench.running { for _ in 0..<300 { _ = try await bench.service.tapOnce() } }
        let seconds = start.duration(to: .now) / .seconds(1)
        #expect(seconds < 15, "300 taps took \(seconds) s")
    }

    @Test("A phone that taps on its own")
    func every() async throws {
        let bench = try CounterBench(set: { $0.tap = .every(.milliseconds(5)) })
        try await bench.running { try await eventually { bench.journal.taps.count >= 5 } }
    }

    @Test("A tap under way is finished when the counter ends; the ones that wait are told")
    func end() async throws {
        let isOpen = Mutex(false)
        let isHere = Mutex(false)
        let bench = try CounterBench(
            journal: MemoryJournal {
                isHere.withLock { $0 = true }
                while !isOpen.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(1)) }
            })
        let work = Task { await bench.service.run() }
        let first = Task { try await bench.service.tapOnce() }
        try await eventually { isHere.withLock { $0 } }
        let second = Task { try await bench.service.tapOnce() }
        work.cancel()
        isOpen.withLock { $0 = true }
        #expect(try await first.value.events.count == 1 && bench.journal.taps.count == 1)
        await #expect(throws: ControlError.self) { try await second.value }
        await work.value
        #expect(bench.service.state.phase == .stopped)
        await #expect(throws: ControlError.self) { try await bench.service.tapOnce() }
    }

    @Test("A pass and a payment in one tap; a payment alone", arguments: [[CounterBench.club], []])
    func payment(passes: [String]) async throws {
        let bench = try CounterBench(
            passes: passes, payment: (12.5, "EUR"),
            phone: { phone in
                phone.paymentCard = PaymentCard(.visa)
                phone.paymentCard?.armed = true
            })
        let outcome = try await bench.running { try await bench.service.tapOnce() }
        let tap = try #require(bench.journal.taps.first)
        #expect(outcome.failure == nil && tap.payment == .init(scheme: "visa", outcome: "onlineRequest"))
        #expect(tap.mode == (passes.isEmpty ? "pay" : "vasAndPay") && tap.passes.count == passes.count)
    }

    @Test("A recorded tap runs again, the same; without its pass it is another")
    func replay() async throws {
        let bench = try CounterBench()
        _ = try await bench.running { try await bench.service.tapOnce() }
        let trace = try #require(bench.journal.taps.first?.trace)
        let same = try await bench.service.replay(trace)
        #expect(same.isSame && same.lines.contains("readCompleted"), "\(same.lines)")
        let other = try CounterBench(passes: [CounterBench.cafe])
        #expect(try await !other.service.replay(trace).isSame)
        await #expect(throws: ControlError.self) { try await bench.service.replay("no trace") }
        #expect(bench.journal.taps.count == 1)
    }

    @Test("A trace as the reader: its taps come by themselves, then the counter waits to be ended")
    func trace() async throws {
        let bench = try CounterBench()
        _ = try await bench.running { try await bench.service.tapOnce() }
        let folder = try TemporaryFolder()
        let file = try folder.write("tap.apdu", try #require(bench.journal.taps.first?.trace))
        let again = try CounterBench(reader: .replay(file: file))
        try await again.running {
            try await eventually { again.service.state.phase == .stopped }
            #expect(again.journal.taps.count == 1)
            await #expect(throws: ControlError.self) { try await again.service.tapOnce() }
            #expect(await again.service.readers().map(\.kind) == ["replay"])
        }
    }

    @Test("Alive while it runs, ready while there is a reader")
    func health() async throws {
        let bench = try CounterBench()
        #expect(await !bench.service.health().isFine)
        #expect(await !bench.service.readiness().isFine)
        try await bench.running {
            try await eventually { await bench.service.readiness().isFine }
            #expect(await bench.service.health().isFine)
            let reader = try #require(await bench.service.readers().first)
            #expect(reader.isUsed && reader.isConnected && reader.kind == "emulated")
        }
        #expect(await !bench.service.health().isFine)
    }

    @Test("A tap that goes on for too long is no life")
    func pulse() async throws {
        let pulse = Pulse(limit: .milliseconds(1))
        #expect(!pulse.check().isFine)
        pulse.start()
        #expect(pulse.check().isFine)
        pulse.work()
        try await Task.sleep(for: .milliseconds(5))
        #expect(!pulse.check().isFine && pulse.check(patience: .seconds(10)).isFine)
        pulse.rest()
        #expect(pulse.check().isFine)
    }
}
