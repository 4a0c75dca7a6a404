// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import TestSupport
import Testing

@testable import LoyaltyFeed

/// Whatever happens in whatever order: numbers have no hole, and every event reaches every sink once.
@Suite("Outbox, any order")
struct OutboxPropertyTests {
    @Test("commits, keys, baskets, purges, restarts, clock jumps", arguments: [1, 2, 3, 4])
    func anyOrder(seed: UInt64) async throws {
        let bench = try FeedBench()
        var random = SeededRandom(seed: seed)
        var outbox: Outbox? = try bench.open(window: .seconds(30))
        var (taps, events) = (0, 0)
        for _ in 0..<250 {
            let choice = Int.random(in: 0..<10, using: &random)
            if choice == 9 {
                outbox = nil
                outbox = try bench.open(window: .seconds(30))
            }
            let current = try #require(outbox)
            switch choice {
            case 0...3:
                taps += 1
                let tap = [Taps.read(taps), Taps.parked(taps), Taps.failed(taps)].randomElement(using: &random)
                events += try await current.commit(try #require(tap)).events.count
            case 4:
                _ = try await current.attachBasket("{}", to: Taps.id(Int.random(in: 1...max(1, taps), using: &random)))
            case 5:
                let even = Bool.random(using: &random)
                _ = try await current.releaseParked { parked in
                    parked.tap.description.hasSuffix("2") == even
                        ? ReleasedPayload(member: "M", deviceTime: Taps.began) : nil
                }
            case 6: bench.advance(.seconds(Int.random(in: 1...20, using: &random)))
            case 7: bench.clock.advance(by: Bool.random(using: &random) ? 86_400 : -86_400)
            default:
                _ = try await current.releaseDue()
                _ = try await current.dropParked()
            }
        }
        let last = try #require(outbox)
        #expect(try await last.check() == [])
        let statistics = try await last.statistics()
        #expect(statistics.lastSequence == UInt64(events))
        #expect(statistics.taps == taps)
        let released = try await last.events(after: 0, limit: 10_000)
        #expect(
            released.map(\.position) == (1...Int64(max(1, released.count))).map { $0 }.prefix(released.count).map { $0 }
        )
        #expect(Set(released.map(\.outgoing.event.id)).count == released.count)
        #expect(released.count + statistics.parked <= events)
    }

    @Test("sinks that fail in every way get every event, most of them in order", arguments: [5, 6])
    func anySink(seed: UInt64) async throws {
        let bench = try FeedBench()
        let outbox = try bench.open()
        let count = 30
        let verdicts: [DeliveryReport.Verdict] = [
            .refused(retryAfter: nil), .unavailable(retryAfter: nil), .unavailable(retryAfter: .seconds(3)),
            .unreachable, .refused(retryAfter: .seconds(2)),
        ]
        let sinks = [1, 5].map { limit in
            MemorySink("by\(limit)", batchLimit: limit) { event, attempt in
                // By the event and the attempt alone, so that a run repeats; the fifth attempt is taken.
                var random = SeededRandom(seed: seed &* 1_000 &+ event.event.sequence &* 10 &+ UInt64(attempt))
                let isTaken = attempt > 4 || Int.random(in: 0..<3, using: &random) > 0
                return isTaken ? .delivered : verdicts.randomElement(using: &random) ?? .delivered
            }
        }
        let engine = RunningEngine(outbox, bench, sinks)
        for number in 1...count { _ = try await outbox.commit(Taps.read(number)) }
        for sink in sinks {
            let isComplete = await eventually {
                bench.advance(.seconds(120))
                return Set(sink.sequences).count == count
            }
            #expect(isComplete, "\(sink.name): \(sink.sequences)")
        }
        let isDrained = try await eventually { try await outbox.statistics().depth == 0 }
        #expect(isDrained)
        await engine.end()
        #expect(sinks[0].sequences.count == count)
        for delivery in try await outbox.deliveries(DeliveryFilter(limit: 1_000)) {
            #expect(delivery.state == .delivered)
            #expect(delivery.attempts.map(\.number) == Array(1...max(1, delivery.attempts.count)))
            #expect(delivery.attempts.last?.verdict == "delivered")
        }
    }
}
