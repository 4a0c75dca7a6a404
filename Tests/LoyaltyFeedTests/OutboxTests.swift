// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import LoyaltyFeed

@Suite("Outbox")
struct OutboxTests {
    @Test("a tap is there, with its event, after the outbox was opened again")
    func durable() async throws {
        let bench = try FeedBench()
        let committed = try await bench.open().commit(Taps.read(1))
        #expect(
            committed.events == [
                EventSummary(id: Taps.id(1), sequence: 1, position: 1, kind: .loyalty)
            ])
        let outbox = try bench.open()
        let stored = try #require(try await outbox.tap(Taps.id(1)))
        var record = Taps.read(1)
        record.trace = nil
        #expect(stored.record == record)
        #expect(stored.hasTrace)
        #expect(try await outbox.trace(of: Taps.id(1)) == Taps.read(1).trace)
        let event = try #require(try await outbox.events(after: 0, limit: 10).first)
        #expect(event.position == 1)
        #expect(event.outgoing.event.member == "M-1")
        #expect(event.outgoing.event.source == "/counters/c1")
        #expect(try await outbox.check().isEmpty)
    }
}
