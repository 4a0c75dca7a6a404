// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import TestSupport
import Testing

@testable import LoyaltyFeed

/// Power goes at any byte: what stood in the write-ahead log up to there is all there is.
@Suite("Power loss")
struct PowerLossTests {
    /// What had been acknowledged when the log had this length.
    private struct Mark {
        var length: Int
        var taps: Set<String>
        var cursor: Int64
        /// Bodies of released events, by id.
        var bodies: [ULID: [UInt8]]
        /// Events that are to be sent again.
        var resent: Set<ULID>
    }

    private struct Recording {
        var database: [UInt8]
        var log: [UInt8]
        var marks: [Mark]
        /// The tap that is purged at the end: there, or gone.
        var purged: ULID
    }

    /// A run from the first migration on: commits, deliveries, a basket, a parked pass, a resend, a purge, and no
    /// checkpoint.
    private func record() async throws -> Recording {
        let bench = try FeedBench()
        var options = bench.options(window: .seconds(30))
        (options.checkpointPages, options.pageSize) = (0, 512)
        let outbox = try Outbox(directory: bench.state, counter: CounterIdentity(id: "c1"), options: options)
        let path = URL(filePath: bench.state + "/outbox.sqlite")
        let log = URL(filePath: bench.state + "/outbox.sqlite-wal")
        var marks: [Mark] = []
        var (taps, cursor): (Set<String>, Int64) = ([], 0)
        func mark() async throws {
            let events = try await outbox.events(after: 0, limit: 100).map(\.outgoing)
            let resent = try await outbox.deliveries(DeliveryFilter(state: .retrying)).map(\.event)
            let length = try FileManager.default.attributesOfItem(atPath: log.path())[.size] as? Int
            marks.append(
                Mark(
                    length: try #require(length), taps: taps, cursor: cursor,
                    bodies: Dictionary(uniqueKeysWithValues: events.map { ($0.event.id, $0.body) }),
                    resent: Set(resent)))
        }
        try await outbox.register(sinks: ["a"])
        for number in 1...4 {
            let tap = number == 2 ? Taps.parked(number) : Taps.read(number)
            taps.insert(try await outbox.commit(tap).id.description)
            try await mark()
            if number == 3 { _ = try await outbox.attachBasket(#"{"order":"A-1"}"#, to: Taps.id(3)) }
            bench.advance(.seconds(31))
            _ = try await outbox.releaseDue()
            let events = try await outbox.events(after: cursor, limit: 10)
            let attempts = events.map {
                LaneUpdate.Attempt(position: $0.position, report: DeliveryReport(.delivered, detail: "taken"))
            }
            cursor = events.last?.position ?? cursor
            var update = LaneUpdate(attempts: attempts)
            update.cursor = cursor
            try await outbox.apply(update, sink: "a", ids: [:], began: 0, milliseconds: 1)
            try await mark()
        }
        _ = try await outbox.releaseParked { _ in ReleasedPayload(member: "M-2", deviceTime: Taps.began) }
        try await mark()
        try await outbox.resend(.event(Taps.id(3), sink: "a"))
        try await mark()
        #expect(try await outbox.purge(before: Taps.read(2).began) == 1)
        try await mark()
        let last = try #require(marks.last)
        #expect(last.resent == [Taps.id(3)])
        #expect(last.bodies.values.contains { String(decoding: $0, as: UTF8.self).contains(#""order":"A-1""#) })
        #expect(Set(last.bodies.keys) == Set([2, 3, 4].map(Taps.id)))
        return Recording(
            database: Array(try Data(contentsOf: path)), log: Array(try Data(contentsOf: log)), marks: marks,
            purged: Taps.id(1))
    }

    @Test("for each prefix of the log the outbox opens, is sound, and has every tap that was acknowledged before")
    func prefixes() async throws {
        let recording = try await record()
        // A frame is 24 bytes and a page, after a header of 32 (https://www.sqlite.org/fileformat2.html#walformat).
        #expect((recording.log.count - 32) % 536 == 0)
        let folder = try TemporaryFolder()
        let everyOne = ProcessInfo.processInfo.environment["COUNTERTOP_EVERY_PREFIX"] == "1"
        var random = SeededRandom(seed: 31)
        let lengths = (0...recording.log.count).filter { length in
            let offset = (length - 32) % 536
            return everyOne || length < 34 || [0, 1, 535].contains(offset)
                || Int.random(in: 0..<400, using: &random) == 0
        }
        var opened = 0
        for length in lengths {
            let state = folder.path("\(length)")
            try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
            try folder.write("\(length)/outbox.sqlite", recording.database)
            try folder.write("\(length)/outbox.sqlite-wal", Array(recording.log.prefix(length)))
            try await check(state, recording, length)
            try FileManager.default.removeItem(atPath: state)
            opened += 1
        }
        #expect(opened == lengths.count)
    }

    private func check(_ state: String, _ recording: Recording, _ length: Int) async throws {
        let mark = recording.marks.last { $0.length <= length }
        let outbox = try Outbox(directory: state, counter: CounterIdentity(id: "c1"))
        let findings = try await outbox.check()
        #expect(findings.isEmpty, "\(length): \(findings)")
        let taps = Set(try await outbox.latestTaps(limit: 100).map(\.record.id.description))
        #expect(taps.union([recording.purged.description]).isSuperset(of: mark?.taps ?? []), "\(length)")
        // Gone with all that belongs to it, or there: the purge is the last thing that happened.
        let isPurged = !taps.contains(recording.purged.description) && mark?.bodies[recording.purged] != nil
        #expect(!isPurged || recording.marks.suffix(2).contains { $0.length == mark?.length }, "\(length)")
        let events = try await outbox.events(after: 0, limit: 100).map(\.outgoing)
        let bodies = Dictionary(uniqueKeysWithValues: events.map { ($0.event.id, $0.body) })
        for (id, body) in mark?.bodies ?? [:] where id != recording.purged {
            #expect(bodies[id] == body, "\(length): \(id)")
        }
        let resent = try await outbox.deliveries(DeliveryFilter(state: .retrying)).map(\.event)
        #expect(Set(resent).isSuperset(of: mark?.resent ?? []), "\(length)")
        let statistics = try await outbox.statistics()
        #expect((statistics.sinks.first?.cursor ?? 0) >= (mark?.cursor ?? 0), "\(length)")
        // And it goes on.
        let next = try await outbox.commit(Taps.read(1_000 + length))
        #expect(next.events.map(\.sequence) == [statistics.lastSequence + 1], "\(length)")
    }
}
