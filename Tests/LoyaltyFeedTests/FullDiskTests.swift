// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import TestSupport
import Testing

@testable import LoyaltyFeed

@Suite("Full disk")
struct FullDiskTests {
    @Test("a full database: a clear error, nothing half done, and on it goes when there is room")
    func full() async throws {
        let bench = try FeedBench()
        var options = bench.options()
        options.maximumPages = 40
        let outbox = try Outbox(directory: bench.state, counter: CounterIdentity(id: "c1"), options: options)
        var committed: [ULID] = []
        var failure: OutboxError?
        for number in 1...1_000 where failure == nil {
            do throws(OutboxError) {
                committed.append(try await outbox.commit(Taps.read(number)).id)
            } catch {
                failure = error
            }
        }
        #expect(failure?.code == .full)
        #expect(failure?.hint?.contains("room") == true)
        #expect(try await outbox.check().isEmpty)
        #expect(try await outbox.latestTaps(limit: 2_000).map(\.record.id) == committed)
        await #expect(throws: OutboxError.self) { try await outbox.commit(Taps.read(2_000)) }
        // Room, while it is open.
        try await outbox.writer.database.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA max_page_count = 4000")
        }
        let next = try await outbox.commit(Taps.read(3_000))
        #expect(next.events.first?.sequence == UInt64(committed.count) + 1)
    }
}

extension FullDiskTests {
    @Test("a delivery that cannot be written down is not made again and again")
    func deliveries() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open()
        _ = try await outbox.commit(Taps.read(1))
        try await Self.run(
            "CREATE TRIGGER stop BEFORE INSERT ON attempt BEGIN SELECT raise(ABORT, 'no room'); END", outbox)
        let sink = MemorySink()
        let engine = RunningEngine(outbox, bench, [sink])
        #expect(await eventually { sink.attempts == 1 })
        for _ in 1...5 {
            bench.advance(.seconds(2))
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try await outbox.statistics().sinks.first?.cursor == 0)
        try await Self.run("DROP TRIGGER stop", outbox)
        let isWritten = await eventually {
            bench.advance(.seconds(2))
            return (try? await outbox.statistics().sinks.first?.cursor) == 1
        }
        #expect(isWritten)
        #expect(sink.attempts == 1)
        await engine.end()
    }

    private static func run(_ sql: String, _ outbox: Outbox) async throws {
        try await outbox.writer.write { db, _ in try db.execute(sql: sql) }
    }
}
