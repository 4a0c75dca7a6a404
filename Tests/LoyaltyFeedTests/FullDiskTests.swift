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
