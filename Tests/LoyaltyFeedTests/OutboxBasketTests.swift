// SPDX-License-Identifier: Apache-2.0

import GRDB
import Testing

@testable import LoyaltyFeed

/// Baskets that come in an odd order, or twice, and who may attach them.
@Suite("Outbox, baskets")
struct OutboxBasketTests {
    @Test("a parked pass gets its basket, and keeps it when the key arrives")
    func parked() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open(window: .seconds(30))
        _ = try await outbox.commit(Taps.parked(1))
        #expect(try await outbox.attachBasket(#"{ "order": "A-1" }"#, to: Taps.id(1)) == .attached)
        #expect(try await outbox.statistics().parked == 1)
        #expect(try await outbox.events(after: 0, limit: 9).isEmpty)
        // The same once more is no other one.
        #expect(try await outbox.attachBasket(#"{"order":"A-1"}"#, to: Taps.id(1)) == .attached)
        #expect(try await outbox.attachBasket(#"{"order":"A-2"}"#, to: Taps.id(1)) == .tooLate)
        _ = try await outbox.releaseParked { _ in ReleasedPayload(member: "M-1", deviceTime: Taps.began) }
        let event = try #require(try await outbox.events(after: 0, limit: 9).first?.outgoing.event)
        #expect(event.basket == #"{"order":"A-1"}"#)
        #expect(event.member == "M-1")
        #expect(try await outbox.check().isEmpty)
    }

    @Test("who did not hear the answer and asks again is told the same")
    func again() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open(window: .seconds(30))
        _ = try await outbox.commit(Taps.read(1))
        _ = try await outbox.commit(Taps.read(2))
        for _ in 1...2 { #expect(try await outbox.attachBasket(#"{"order":"A-1"}"#, to: Taps.id(1)) == .attached) }
        #expect(try await outbox.attachBasket(#"{"order":"A-2"}"#, to: Taps.id(1)) == .tooLate)
        #expect(try await outbox.events(after: 0, limit: 9).count == 1)
        bench.advance(.seconds(31))
        _ = try await outbox.releaseDue()
        #expect(try await outbox.attachBasket(#"{"order":"A-1"}"#, to: Taps.id(2)) == .tooLate)
    }

    @Test("who only looks after an outbox releases nothing")
    func visitor() async throws {
        let bench = try FeedBench()
        let outbox = try bench.open(window: .seconds(30))
        _ = try await outbox.commit(Taps.parked(1))
        let visitor = try Outbox(existingIn: bench.state, options: bench.options(window: .seconds(30)))
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await visitor.commit(Taps.read(2)) },
            { _ = try await visitor.attachBasket("{}", to: Taps.id(1)) },
            { _ = try await visitor.releaseDue() },
            { _ = try await visitor.releaseParked { _ in ReleasedPayload(member: "M", deviceTime: Taps.began) } },
            { _ = try await visitor.dropParked() },
        ]
        for call in calls {
            let error = await #expect(throws: OutboxError.self) { try await call() }
            #expect(error?.code == .notTheCounter)
        }
        #expect(try await outbox.statistics().parked == 1)
    }

    @Test("a number that was given twice is no tap that was")
    func duplicates() {
        func isDuplicate(_ column: String) -> Bool {
            OutboxRows.isDuplicate(
                DatabaseError(
                    resultCode: .SQLITE_CONSTRAINT_UNIQUE, message: "UNIQUE constraint failed: \(column)"))
        }
        #expect(isDuplicate("tap.id") && isDuplicate("event.id"))
        #expect(!isDuplicate("event.position") && !isDuplicate("tap.number"))
    }
}
