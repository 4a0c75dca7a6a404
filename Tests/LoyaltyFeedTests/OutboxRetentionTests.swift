// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import GRDB
import TestSupport
import Testing

@testable import LoyaltyFeed

/// How long things are kept, whatever the clock does.
@Suite("Outbox, retention")
struct OutboxRetentionTests {
    private static let day = Duration.seconds(86_400)

    private func deliver(_ outbox: Outbox, to cursor: Int64, at date: Date) async throws {
        let report = DeliveryReport(.delivered, detail: "taken")
        var update = LaneUpdate(attempts: [.init(position: cursor, report: report)])
        update.cursor = cursor
        try await outbox.apply(
            update, sink: "a", ids: [:], began: EventTime.milliseconds(date), milliseconds: 1)
    }

    @Test("days are counted from the delivery, not from the tap")
    func fromDelivery() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open()
        try await outbox.register(sinks: ["a"])
        _ = try await outbox.commit(Taps.read(1))
        _ = try await outbox.commit(Taps.read(2))
        // The sink was away for eight days.
        bench.advance(Self.day * 8)
        try await deliver(outbox, to: 1, at: bench.clock.now)
        bench.advance(Self.day)
        try await deliver(outbox, to: 2, at: bench.clock.now)
        #expect(try await outbox.purge() == 0)
        bench.advance(Self.day * 6.5)
        #expect(try await outbox.purge() == 1)
        #expect(try await outbox.taps(after: nil, limit: 9).map(\.record.id) == [Taps.id(2)])
        bench.advance(Self.day)
        #expect(try await outbox.purge() == 1)
    }

    @Test("a date of one's own is the tap's; a delivery in the far future holds nothing back")
    func byDate() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open()
        try await outbox.register(sinks: ["a"])
        for number in 1...3 { _ = try await outbox.commit(Taps.read(number)) }
        for position in 1...3 { try await deliver(outbox, to: Int64(position), at: bench.clock.now) }
        #expect(try await outbox.purge(before: Taps.read(2).began) == 1)
        try await deliver(outbox, to: 3, at: bench.clock.now.addingTimeInterval(86_400 * 3650))
        bench.advance(Self.day * 8)
        #expect(try await outbox.purge() == 2)
    }

    @Test("a parked pass waits for days of a running counter: a clock that is set drops nothing")
    func parked() async throws {
        let bench = try FeedBench()
        var outbox: Outbox? = try bench.open()
        _ = try await outbox?.commit(Taps.parked(1))
        for jump in [56.0 * 365 * 86_400, 86_400, -86_400, -56.0 * 365 * 86_400] {
            bench.clock.advance(by: jump)
            #expect(try await outbox?.dropParked() == 0)
        }
        // Thirty days over three processes.
        for days in [10, 10, 9.5] {
            bench.advance(Self.day * days)
            #expect(try await outbox?.dropParked() == 0)
            outbox = nil
            outbox = try bench.open()
        }
        let last = try #require(outbox)
        #expect(try await last.parked().count == 1)
        var changes = last.changes.makeAsyncIterator()
        bench.advance(Self.day)
        try #require(try await last.dropParked() == 1)
        #expect(await changes.next() == .several)
        #expect(try await last.parked().isEmpty)
        #expect(try await last.check().isEmpty)
    }

    @Test("a pass that an older version parked by the date gets its days from now on")
    func parkedByDate() async throws {
        let bench = try FeedBench()
        do {
            let outbox = try bench.open()
            _ = try await outbox.commit(Taps.parked(1))
            try await outbox.writer.write { db, _ in
                try db.execute(sql: "UPDATE event SET until = 1795225200000")
                try db.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = 'v2'")
            }
        }
        let outbox = try bench.open()
        #expect(try await outbox.dropParked() == 0)
        bench.advance(Self.day * 29)
        #expect(try await outbox.dropParked() == 0)
        bench.advance(Self.day * 2)
        #expect(try await outbox.dropParked() == 1)
    }

    @Test("the engine drops them, and says how many")
    func engine() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open()
        _ = try await outbox.commit(Taps.parked(1))
        let engine = RunningEngine(outbox, bench, [])
        #expect(await eventually { bench.time.sleeperCount >= 1 })
        bench.advance(Self.day * 31)
        #expect(try await eventually { try await outbox.statistics().parked == 0 })
        await engine.end()
    }
}
