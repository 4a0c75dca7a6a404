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
    }

    private struct Recording {
        var database: [UInt8]
        var log: [UInt8]
        var marks: [Mark]
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
        func mark() throws {
            let length = try FileManager.default.attributesOfItem(atPath: log.path())[.size] as? Int
            marks.append(Mark(length: try #require(length), taps: taps, cursor: cursor))
        }
        try await outbox.register(sinks: ["a"])
        for number in 1...4 {
            let tap = number == 2 ? Taps.parked(number) : Taps.read(number)
            taps.insert(try await outbox.commit(tap).id.description)
            try mark()
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
            try mark()
        }
        _ = try await outbox.releaseParked { _ in ReleasedPayload(member: "M-2", deviceTime: Taps.began) }
        try await outbox.resend(.event(Taps.id(1), sink: "a"))
        try mark()
        return Recording(
            database: Array(try Data(contentsOf: path)), log: Array(try Data(contentsOf: log)), marks: marks)
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
            try await check(state, recording.marks.last { $0.length <= length }, length)
            try FileManager.default.removeItem(atPath: state)
            opened += 1
        }
        #expect(opened == lengths.count)
    }

    private func check(_ state: String, _ mark: Mark?, _ length: Int) async throws {
        let outbox = try Outbox(directory: state, counter: CounterIdentity(id: "c1"))
        let findings = try await outbox.check()
        #expect(findings.isEmpty, "\(length): \(findings)")
        let taps = Set(try await outbox.latestTaps(limit: 100).map(\.record.id.description))
        #expect(taps.isSuperset(of: mark?.taps ?? []), "\(length)")
        let statistics = try await outbox.statistics()
        #expect((statistics.sinks.first?.cursor ?? 0) >= (mark?.cursor ?? 0), "\(length)")
        // And it goes on.
        let next = try await outbox.commit(Taps.read(1_000 + length))
        #expect(next.events.map(\.sequence) == [statistics.lastSequence + 1], "\(length)")
    }
}
