// SPDX-License-Identifier: Apache-2.0

import CardTesting
import EmulatedWallet
import Foundation
import ISO7816
import LoyaltyFeed
import ProximityReader
import Synchronization
import TestSupport
import Testing

@testable import CounterServer

/// The counter on a real pcscd with its virtual reader, which is unplugged and killed. `COUNTERTOP_CHAOS=1` has the
/// long form: 1,000 dropped links and 200 kills.
@Suite(
    "The counter on a reader that comes and goes", .serialized, .timeLimit(.minutes(30)),
    .enabled(if: PrivatePCSCD.unavailableReason == nil, "pcscd with vpcd is not installed"))
struct CounterReaderTests {
    private static let isLong = ProcessInfo.processInfo.environment["COUNTERTOP_CHAOS"] == "1"

    private static var descriptors: Int { ProcessMetrics.openDescriptors ?? 0 }

    /// Puts a phone into the reader, waits for its tap, takes it out.
    private func tap(
        _ bench: CounterBench, _ daemon: PrivatePCSCD, within limit: Duration = .seconds(20)
    ) async throws -> Duration {
        let before = bench.journal.taps.count
        let card = VPCDCard(bench.phone, at: VPCDAddress(port: daemon.port))
        try card.start()
        defer { card.stop() }
        try #require(try await card.waitUntilReady(timeout: .seconds(10)))
        let start = ContinuousClock.now
        try await eventually(within: limit / .seconds(1), "no tap") { bench.journal.taps.count > before }
        return start.duration(to: .now)
    }

    private func bench() throws -> CounterBench { try CounterBench(reader: .pcsc(name: nil)) }

    @Test("A phone is read once as long as it lies there, and again when it comes back")
    func taps() async throws {
        try await PrivatePCSCD.exclusive { daemon in
            let bench = try bench()
            try await bench.running {
                let card = VPCDCard(bench.phone, at: VPCDAddress(port: daemon.port))
                try card.start()
                try await eventually { bench.journal.taps.count == 1 }
                try await Task.sleep(for: .seconds(1))
                #expect(bench.journal.taps.count == 1 && bench.service.state.phase == .done)
                card.stop()
                try await eventually { bench.service.state.phase == .ready }
                _ = try await tap(bench, daemon)
            }
            #expect(bench.journal.taps.allSatisfy { $0.result == .read } && bench.journal.taps.count == 2)
        }
    }

    @Test("pcscd is killed while the counter waits: away with a reason, then back, nothing leaked")
    func killed() async throws {
        try await PrivatePCSCD.exclusive { daemon in
            let bench = try bench()
            try await bench.running {
                try await eventually { bench.service.state.phase == .ready }
                _ = try await tap(bench, daemon)
                let before = Self.descriptors
                for _ in 0..<(Self.isLong ? 200 : 5) {
                    daemon.kill()
                    try await eventually { bench.service.state.phase == .away }
                    #expect(bench.service.state.text.contains("pcscd"))
                    #expect(await !bench.service.readiness().isFine)
                    #expect(await bench.service.health().isFine)
                    try daemon.start()
                    // vpcd looks for a card every 400 ms.
                    let wait = try await tap(bench, daemon)
                    #expect(wait < .seconds(2.5), "\(wait)")
                }
                try await eventually { Self.descriptors <= before + 2 }
                let recoveries = try #require(await bench.service.readers().first?.recoveries)
                #expect(recoveries >= (Self.isLong ? 200 : 5))
            }
            #expect(bench.metrics.text.contains("countertop_reader_connected 0\n"), "the counter has ended")
        }
    }

    @Test("The link between card and reader is dropped at any moment: the next tap is read, nothing leaked")
    func dropped() async throws {
        try await PrivatePCSCD.exclusive { daemon in
            let bench = try bench()
            var random = SeededRandom(seed: 5)
            try await bench.running {
                _ = try await tap(bench, daemon)
                let before = (Self.descriptors, daemon.openDescriptors ?? 0)
                for round in 0..<(Self.isLong ? 1_000 : 5) {
                    let card = VPCDCard(bench.phone, at: VPCDAddress(port: daemon.port))
                    try card.start()
                    // vpcd looks for a card every 400 ms; a tap takes a few milliseconds.
                    try await Task.sleep(for: .milliseconds(.random(in: 0...420, using: &random)))
                    card.stop()
                    // Or it would not see that this one is gone.
                    try await Task.sleep(for: .milliseconds(450))
                    try await eventually { bench.service.state.phase == .ready }
                    let reads = bench.journal.taps.filter { $0.result == .read }.count
                    let wait = try await tap(bench, daemon)
                    #expect(wait < .seconds(2.5), "round \(round): \(wait)")
                    #expect(bench.journal.taps.filter { $0.result == .read }.count > reads, "round \(round)")
                }
                try await eventually {
                    Self.descriptors <= before.0 + 2 && (daemon.openDescriptors ?? 0) <= before.1 + 1
                }
            }
        }
    }

    @Test("No pcscd at the start: away, and ready when it comes")
    func late() async throws {
        try await PrivatePCSCD.exclusive { daemon in
            daemon.kill()
            let bench = try bench()
            try await bench.running {
                try await eventually { bench.service.state.phase == .away }
                #expect(await bench.service.readers().first?.problem?.contains("pcscd") == true)
                try daemon.start()
                #expect(try await tap(bench, daemon) < .seconds(2.5))
            }
        }
    }
}

/// A reader that is unplugged by hand, also under a wait.
private final class PluggedReader: CardReader {
    let base: EmulatedReader
    private let isPlugged = Mutex(true)

    init(_ phone: EmulatedPhone) { base = EmulatedReader(phone, name: "plugged", tapping: .manual) }

    func plug(_ isThere: Bool) {
        isPlugged.withLock { $0 = isThere }
        // Wakes who waits.
        base.tap()
        base.takeAway()
    }

    var name: String { base.name }
    var polling: PollingSupport { base.polling }

    private func check() throws(CardChannelError) {
        guard isPlugged.withLock({ $0 }) else {
            throw CardChannelError(.readerGone, reason: "the reader was unplugged")
        }
    }

    func waitForCard(timeout: Duration?) async throws(CardChannelError) -> CardPresence {
        try check()
        let presence = try await base.waitForCard(timeout: timeout)
        try check()
        return presence
    }

    func withCard<Result: Sendable>(
        ending: CardEnding, _ body: @escaping @Sendable (any CardChannel) throws -> Result
    ) async throws -> Result {
        try check()
        return try await base.withCard(ending: ending, body)
    }

    func waitForRemoval(timeout: Duration?) async throws(CardChannelError) -> Bool {
        try check()
        return try await base.waitForRemoval(timeout: timeout)
    }
}

@Suite("The counter on a reader that is unplugged", .timeLimit(.minutes(30)))
struct UnpluggedReaderTests {
    private static let rounds = ProcessInfo.processInfo.environment["COUNTERTOP_CHAOS"] == "1" ? 1_000 : 5

    @Test("Away with a reason, and the next tap works within two seconds of its return")
    func unplugged() async throws {
        let phone = EmulatedPhone(PhoneDefinition())
        let reader = PluggedReader(phone)
        let bench = try CounterBench(reader: .custom(reader))
        phone.become(bench.phone.definition)
        try await bench.running {
            for round in 1...Self.rounds {
                try await eventually { bench.service.state.phase == .ready }
                reader.plug(false)
                try await eventually { bench.service.state.phase == .away }
                #expect(bench.service.state.text.contains("Plug it in"))
                reader.plug(true)
                let start = ContinuousClock.now
                reader.base.tap()
                try await eventually { bench.journal.taps.filter { $0.result == .read }.count == round }
                #expect(start.duration(to: .now) < .seconds(2))
                reader.base.takeAway()
            }
            #expect(await bench.service.readers().first?.recoveries == Self.rounds)
        }
    }
}
