// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Testing

@testable import LoyaltyFeed

/// A phone that says far too much, and a row that cannot be read, stop nobody else.
@Suite("Overlong and unreadable events")
struct OverlongTests {
    /// 66 kB of quotes are 132 kB of JSON, which no reader of events takes.
    private static let huge = String(repeating: "\"", count: 66_000)

    @Test("a message that is too long is a pass that failed, and the tap is kept")
    func message() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open()
        let committed = try await outbox.commit(Taps.read(1, member: Self.huge))
        #expect(committed.events.isEmpty)
        let record = try #require(try await outbox.tap(Taps.id(1))?.record)
        #expect(
            record.passes.map(\.outcome) == [
                .failed(code: "messageTooLong", reason: "its message has more than 1024 bytes")
            ])
        #expect(
            record.result
                == .failed(code: "messageTooLong", reason: "the pass: its message has more than 1024 bytes"))
        let parked = try await outbox.commit(Taps.parked(2, cryptogram: [UInt8](repeating: 7, count: 65_056)))
        #expect(parked.events.isEmpty)
        // Beside one that is all right, and with a card.
        var two = Taps.read(3)
        two.passes.append(Taps.read(3, member: Self.huge).passes[0])
        #expect(try await outbox.commit(two).events.count == 1)
        var paid = Taps.read(4, member: Self.huge)
        paid.payment = .init(scheme: "visa", outcome: "onlineRequest")
        #expect(try await outbox.commit(paid).events.map(\.kind) == [.payment])
        let longest = String(repeating: "\"", count: TapEvent.messageLimit)
        #expect(try await outbox.commit(Taps.read(5, member: longest)).events.count == 1)
        #expect(try await outbox.events(after: 0, limit: 9).count == 3)
    }

    @Test("a parked pass with too long a message is released without it")
    func released() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open()
        _ = try await outbox.commit(Taps.parked(1))
        let count = try await outbox.releaseParked { _ in
            ReleasedPayload(member: Self.huge, deviceTime: Taps.began)
        }
        #expect(count == 1)
        let event = try #require(try await outbox.events(after: 0, limit: 9).first?.outgoing.event)
        #expect(event.member == nil && event.partitionKey == nil)
    }

    @Test("a body that no reader takes is not written")
    func body() throws {
        var event = sampleEvent().event
        event.member = Self.huge
        let error = #expect(throws: OutboxError.self) { _ = try OutboxRows.text(of: event) }
        #expect(error?.code == .tooLarge)
        // The largest that is: a message of quotes, and a basket.
        event.member = String(repeating: "\"", count: TapEvent.messageLimit)
        event.basket = "{\"a\":\"\(String(repeating: "x", count: TapEvent.basketLimit - 8))\"}"
        #expect(try OutboxRows.text(of: event).utf8.count < TapEvent.bodyLimit)
    }

    @Test("a row that cannot be read is given up with its id; those around it go out", arguments: [1, 3])
    func row(batch: Int) async throws {
        let bench = try FeedBench()
        let outbox = try bench.open()
        for number in 1...6 { _ = try await outbox.commit(Taps.read(number)) }
        try await outbox.writer.write { db, _ in
            try db.execute(sql: "UPDATE event SET body = '{}' WHERE sequence IN (2, 3, 6)")
        }
        let sink = MemorySink(batchLimit: batch)
        let engine = RunningEngine(outbox, bench, [sink])
        #expect(await eventually { sink.sequences == [1, 4, 5] })
        #expect(try await eventually { try await outbox.statistics().sinks.first?.dead == 3 })
        let dead = try await outbox.deliveries(DeliveryFilter(state: .dead))
        #expect(dead.map(\.event) == [6, 3, 2].map(Taps.id))
        #expect(dead.allSatisfy { $0.attempts.map(\.detail).first?.contains("cannot be read") == true })
        // Sent again, they are given up again.
        #expect(try await outbox.resend(.since(Taps.began, sink: nil)) == 6)
        #expect(await eventually { sink.sequences == [1, 4, 5, 1, 4, 5] })
        #expect(try await eventually { try await outbox.statistics().sinks.first?.dead == 3 })
        #expect(try await outbox.events(after: 1, limit: 1).map(\.position) == [4])
        #expect(try await outbox.events(after: 0, limit: 9).map(\.position) == [1, 4, 5])
        #expect(try await outbox.events(after: 5, limit: 9).isEmpty)
        await engine.end()
    }

    @Test("one that waits and cannot be read does not keep the others waiting")
    func waiting() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open(window: .seconds(30))
        for number in 1...2 { _ = try await outbox.commit(Taps.read(number)) }
        _ = try await outbox.commit(Taps.parked(3))
        _ = try await outbox.commit(Taps.parked(4))
        try await outbox.writer.write { db, _ in
            try db.execute(sql: "UPDATE event SET body = '{}' WHERE sequence IN (1, 3)")
        }
        bench.advance(.seconds(31))
        #expect(try await outbox.releaseDue() == nil)
        #expect(try await outbox.parked().map(\.tap) == [Taps.id(4)])
        let count = try await outbox.releaseParked { _ in ReleasedPayload(member: "M", deviceTime: Taps.began) }
        #expect(count == 1)
        #expect(try await outbox.events(after: 0, limit: 9).map(\.position) == [2, 3])
        #expect(try await outbox.attachBasket("{}", to: Taps.id(3)) == .tooLate)
        #expect(try await outbox.check().isEmpty)
    }
}
