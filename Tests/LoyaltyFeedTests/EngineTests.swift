// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import Logging
import LoyaltyFeed
import TestSupport
import Testing

/// An engine that runs on a bench until the end of a test.
final class RunningEngine: Sendable {
    let engine: DeliveryEngine
    private let task: Task<Void, Never>

    init(
        _ outbox: Outbox, _ bench: FeedBench, _ sinks: [any Sink], schedules: [String: DeliverySchedule] = [:],
        grace: Duration = .seconds(5)
    ) {
        let engine = DeliveryEngine(
            outbox: outbox, sinks: sinks, schedules: schedules, clock: bench.feedClock,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, grace: grace)
        self.engine = engine
        task = Task { await engine.run() }
    }

    deinit { task.cancel() }

    func end() async {
        task.cancel()
        await task.value
    }
}

/// Waits until it holds; false after ten seconds.
func eventually(_ holds: () async throws -> Bool) async rethrows -> Bool {
    for _ in 0..<2_000 {
        if try await holds() { return true }
        try? await Task.sleep(for: .milliseconds(5))
    }
    return false
}

@Suite("Delivery engine")
struct EngineTests {
    private func commit(_ range: ClosedRange<Int>, to outbox: Outbox) async throws {
        for number in range { _ = try await outbox.commit(Taps.read(number)) }
    }

    private func states(_ outbox: Outbox, _ sink: String = "memory") async throws -> [DeliveryState] {
        try await outbox.deliveries(DeliveryFilter(sink: sink)).reversed().map(\.state)
    }

    @Test("events go to each sink once and in order, also those from before and after a start")
    func order() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open()
        let sinks = [MemorySink("a"), MemorySink("b", batchLimit: 7)]
        try await commit(1...10, to: outbox)
        let engine = RunningEngine(outbox, bench, sinks)
        try await commit(11...30, to: outbox)
        for sink in sinks {
            #expect(await eventually { sink.sequences == Array(1...30) })
            #expect(sink.attempts == 30)
        }
        #expect(try await eventually { try await outbox.statistics().depth == 0 })
        await engine.end()
        #expect(sinks.map(\.isClosed) == [true, true])
        let bodies = try await outbox.events(after: 0, limit: 100).map(\.outgoing)
        #expect(sinks[0].events == bodies)
    }

    @Test("an event that is refused goes aside, is tried by its own schedule, and is a dead letter at its end")
    func refused() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open()
        let sink = MemorySink { event, _ in event.event.sequence == 2 ? .refused(retryAfter: nil) : .delivered }
        let schedule = try #require(DeliverySchedule([.zero, .seconds(60), .seconds(60)]))
        try await commit(1...3, to: outbox)
        let engine = RunningEngine(outbox, bench, [sink], schedules: ["memory": schedule])
        #expect(await eventually { sink.sequences == [1, 3] })
        #expect(try await eventually { try await states(outbox) == [.delivered, .retrying, .delivered] })
        for attempt in 2...3 {
            #expect(await eventually { bench.time.sleeperCount >= 2 })
            bench.advance(.seconds(70))
            #expect(await eventually { sink.attempts == attempt + 2 })
        }
        #expect(try await eventually { try await states(outbox) == [.delivered, .dead, .delivered] })
        let dead = try #require(try await outbox.deliveries(DeliveryFilter(state: .dead)).first)
        #expect(dead.attempts.map(\.verdict) == ["refused", "refused", "refused"])
        #expect(dead.attempts.map(\.number) == [1, 2, 3])
        sink.change { _, _ in .delivered }
        #expect(try await outbox.resend(.deadLetters(sink: nil)) == 1)
        #expect(await eventually { sink.sequences == [1, 3, 2] })
        #expect(try await eventually { try await states(outbox) == [.delivered, .delivered, .delivered] })
        await engine.end()
    }

    @Test("a sink that does not work holds its own events only, and goes on in order")
    func independent() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open()
        let broken = MemorySink("broken") { _, _ in .unavailable(retryAfter: .seconds(40)) }
        let hanging = MemorySink("hanging", hold: { try? await Task.sleep(for: .seconds(60)) })
        let good = MemorySink("good")
        let engine = RunningEngine(outbox, bench, [broken, hanging, good], grace: .milliseconds(10))
        try await commit(1...20, to: outbox)
        #expect(await eventually { good.sequences == Array(1...20) })
        #expect(broken.attempts == 1)
        #expect(try await states(outbox, "broken").first == .retrying)
        let statistics = try await outbox.statistics()
        #expect(statistics.depth == 20)
        #expect(statistics.oldest == Taps.read(1).began)
        #expect(statistics.sinks.first { $0.name == "broken" }?.heldUntil != nil)
        broken.change { _, _ in .delivered }
        bench.advance(.seconds(45))
        #expect(await eventually { broken.sequences == Array(1...20) })
        await engine.end()
    }

    @Test("a poisoned head is probed past: the events after it do not wait for its schedule")
    func poisoned() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open()
        let sink = MemorySink { event, _ in
            event.event.sequence == 1 ? .unavailable(retryAfter: nil) : .delivered
        }
        try await commit(1...5, to: outbox)
        let engine = RunningEngine(outbox, bench, [sink])
        for (attempts, pause) in [(1, 6), (2, 331)] {
            #expect(await eventually { sink.attempts == attempts })
            #expect(await eventually { bench.time.sleeperCount >= 2 })
            bench.advance(.seconds(pause))
        }
        #expect(await eventually { sink.sequences == [2, 3, 4, 5] })
        let expected: [DeliveryState] = [.retrying, .delivered, .delivered, .delivered, .delivered]
        #expect(try await eventually { try await states(outbox) == expected })
        await engine.end()
    }

    @Test("nobody answers for a week: nothing is given up")
    func unreachable() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open()
        let sink = MemorySink { _, _ in .unreachable }
        try await commit(1...2, to: outbox)
        let engine = RunningEngine(outbox, bench, [sink])
        for attempt in 1...50 {
            #expect(await eventually { sink.attempts >= attempt })
            #expect(await eventually { bench.time.sleeperCount >= 2 })
            bench.advance(.seconds(31))
        }
        #expect(try await states(outbox) == [.retrying, .pending])
        #expect(try await outbox.attempts(event: Taps.id(1)).count <= DeliveryAttempt.kept)
        sink.change { _, _ in .delivered }
        bench.advance(.seconds(31))
        #expect(await eventually { sink.sequences == [1, 2] })
        await engine.end()
    }

    @Test("a disabled sink gets nothing until a resend, and keeps that over a restart")
    func disabled() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open()
        let sink = MemorySink { _, _ in .disabled }
        try await commit(1...3, to: outbox)
        var engine = RunningEngine(outbox, bench, [sink])
        #expect(try await eventually { try await outbox.statistics().sinks.first?.isDisabled == true })
        await engine.end()
        sink.change { _, _ in .delivered }
        engine = RunningEngine(outbox, bench, [sink])
        bench.advance(.seconds(100))
        try await Task.sleep(for: .milliseconds(100))
        #expect(sink.attempts == 1)
        #expect(try await outbox.enable(sink: "memory"))
        #expect(await eventually { sink.sequences == [1, 2, 3] })
        #expect(try await !outbox.enable(sink: "none"))
        await engine.end()
    }

    @Test("resend by time and by event: the same bytes under the same id")
    func resend() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open()
        let sinks = [MemorySink("a", batchLimit: 3), MemorySink("b")]
        try await commit(1...6, to: outbox)
        let engine = RunningEngine(outbox, bench, sinks)
        for sink in sinks { #expect(await eventually { sink.sequences.count == 6 }) }
        #expect(try await eventually { try await outbox.statistics().depth == 0 })
        #expect(try await outbox.resend(.since(Taps.read(4).began, sink: "a")) == 3)
        #expect(await eventually { sinks[0].sequences == [1, 2, 3, 4, 5, 6, 4, 5, 6] })
        #expect(try await outbox.resend(.event(Taps.id(2), sink: nil)) == 2)
        #expect(await eventually { sinks[1].sequences == [1, 2, 3, 4, 5, 6, 2] })
        #expect(sinks[1].events[6] == sinks[1].events[1])
        #expect(try await outbox.resend(.event(Taps.id(99), sink: nil)) == 0)
        await engine.end()
    }

    @Test("many that are sent again to an endpoint that fails are not tried back to back")
    func resendToFailing() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open()
        let sink = MemorySink()
        try await commit(1...30, to: outbox)
        let engine = RunningEngine(outbox, bench, [sink])
        #expect(await eventually { sink.sequences.count == 30 })
        #expect(try await eventually { try await outbox.statistics().depth == 0 })
        sink.change { _, _ in .unavailable(retryAfter: nil) }
        try await outbox.resend(.since(Taps.began, sink: nil))
        #expect(await eventually { sink.attempts == 31 })
        try await Task.sleep(for: .milliseconds(100))
        #expect(sink.attempts == 31)
        sink.change { _, _ in .delivered }
        #expect(
            await eventually {
                bench.advance(.seconds(6))
                return sink.sequences.count == 60
            })
        await engine.end()
    }

    @Test("ended in the middle of an attempt: its outcome is kept, and the next run goes on without loss")
    func cancelled() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open()
        let gate = ManualTime()
        let sink = MemorySink(hold: { await gate.sleep(.seconds(1)) })
        try await commit(1...3, to: outbox)
        var engine = RunningEngine(outbox, bench, [sink])
        #expect(await eventually { gate.sleeperCount == 1 })
        async let ended: Void = engine.end()
        try await Task.sleep(for: .milliseconds(50))
        gate.advance(by: .seconds(2))
        await ended
        #expect(sink.sequences == [1])
        #expect(try await outbox.statistics().sinks.first?.cursor == 1)
        let again = MemorySink()
        engine = RunningEngine(outbox, bench, [again])
        #expect(await eventually { again.sequences == [2, 3] })
        await engine.end()
    }

    @Test("the clock goes a day forward and back: order and completeness do not care")
    func clockJumps() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open()
        let sink = MemorySink { event, attempt in
            event.event.sequence % 4 == 0 && attempt == 1 ? .refused(retryAfter: nil) : .delivered
        }
        let engine = RunningEngine(outbox, bench, [sink])
        for number in 1...24 {
            if number % 6 == 0 { bench.clock.advance(by: number % 12 == 0 ? 86_400 : -86_400) }
            var tap = Taps.read(number)
            tap.began = bench.clock.now
            _ = try await outbox.commit(tap)
        }
        #expect(await eventually { sink.sequences.filter { $0 % 4 != 0 } == (1...24).filter { $0 % 4 != 0 } })
        #expect(
            await eventually {
                bench.advance(.seconds(61))
                return Set(sink.sequences).count == 24
            })
        #expect(sink.sequences.count == 24)
        await engine.end()
    }

    @Test("an event aside is not waited for longer than its step, when the clock was set back")
    func clockBackAside() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open()
        let sink = MemorySink { _, attempt in attempt == 1 ? .refused(retryAfter: nil) : .delivered }
        let engine = RunningEngine(outbox, bench, [sink])
        try await commit(1...1, to: outbox)
        #expect(try await eventually { try await states(outbox) == [.retrying] })
        bench.clock.advance(by: -86_400)
        #expect(
            await eventually {
                bench.time.advance(by: .seconds(61))
                return sink.sequences == [1]
            })
        await engine.end()
    }

    @Test("another process asks for a resend")
    func outside() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open()
        let sink = MemorySink()
        try await commit(1...2, to: outbox)
        let engine = RunningEngine(outbox, bench, [sink])
        #expect(await eventually { sink.sequences == [1, 2] })
        #expect(try await eventually { try await outbox.statistics().depth == 0 })
        let visitor = try Outbox(existingIn: bench.state, options: bench.options())
        #expect(try await visitor.resend(.event(Taps.id(1), sink: "memory")) == 1)
        #expect(
            await eventually {
                bench.advance(.seconds(1))
                return sink.sequences == [1, 2, 1]
            })
        await #expect(throws: OutboxError.self) { try await visitor.commit(Taps.read(9)) }
        await engine.end()
    }

    @Test("a test event goes past the outbox, one attempt at a time")
    func testEvent() async throws {
        let bench = try FeedBench()
        let sink = MemorySink()
        let engine = RunningEngine(try bench.open(), bench, [sink])
        let report = try #require(await engine.engine.testEvent(sink: "memory"))
        #expect(report.verdict == .delivered)
        #expect(sink.events.first?.event.kind == .test)
        // Who keeps the data alone sees it too.
        #expect(sink.events.first?.event.basket == #"{"test":true}"#)
        #expect(sink.events.first?.event.source == "/counters/c1")
        #expect(await engine.engine.testEvent(sink: "none") == nil)
        await engine.end()
    }

    @Test("a week of 1,000 taps a day while the sinks are away drains in order once they are back")
    func week() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open()
        try await withThrowingTaskGroup { group in
            for lot in 0..<7 {
                group.addTask {
                    for number in 1...1_000 { _ = try await outbox.commit(Taps.read(lot * 1_000 + number)) }
                }
            }
            try await group.waitForAll()
        }
        let sinks = [MemorySink("one"), MemorySink("many", batchLimit: 256)]
        for sink in sinks { sink.change { _, _ in .unreachable } }
        let engine = RunningEngine(outbox, bench, sinks)
        for sink in sinks { #expect(await eventually { sink.attempts > 0 }) }
        bench.advance(.seconds(31))
        for sink in sinks {
            #expect(sink.sequences.isEmpty)
            sink.change { _, _ in .delivered }
            #expect(
                await eventually {
                    bench.advance(.seconds(31))
                    return !sink.sequences.isEmpty
                })
            var last = 0
            while sink.sequences.count < 7_000 {
                try await Task.sleep(for: .milliseconds(200))
                try #require(await eventually { sink.sequences.count > last || sink.sequences.count == 7_000 })
                last = sink.sequences.count
            }
            #expect(sink.sequences == Array(1...7_000))
        }
        await engine.end()
        #expect(try await outbox.check().isEmpty)
    }
}
