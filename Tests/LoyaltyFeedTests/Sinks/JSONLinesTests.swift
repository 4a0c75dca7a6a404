// SPDX-License-Identifier: Apache-2.0

import Foundation
import LoyaltyFeed
import TestSupport
import Testing

@Suite struct JSONLinesTests {
    private func lines(_ folder: TemporaryFolder, _ name: String = "events.jsonl") throws -> [String] {
        String(decoding: try folder.read(name), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func text(_ number: UInt64) -> String { String(decoding: sampleEvent(number).body, as: UTF8.self) }

    @Test func `one event a line, in a file that is ours alone`() async throws {
        let folder = try TemporaryFolder()
        let sink = try makeSink("jsonl", ["path": .string(folder.path("events.jsonl"))])
        let reports = await sink.deliver([sampleEvent(1), sampleEvent(2)])
        #expect(reports.map(\.verdict) == [.delivered, .delivered])
        #expect(await sink.deliver([sampleEvent(3)]).map(\.verdict) == [.delivered])
        #expect(try lines(folder) == [text(1), text(2), text(3)])
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path("events.jsonl"))[.posixPermissions]
        #expect(mode as? Int == 0o600)
        await sink.close()
    }

    @Test func `after a crash the last events are not written twice`() async throws {
        let folder = try TemporaryFolder()
        for _ in 0..<2 {
            let sink = try makeSink("jsonl", ["path": .string(folder.path("events.jsonl"))])
            #expect(await sink.deliver([sampleEvent(1), sampleEvent(2)]).allSatisfy { $0.verdict == .delivered })
            await sink.close()
        }
        let sink = try makeSink("jsonl", ["path": .string(folder.path("events.jsonl"))])
        let reports = await sink.deliver([sampleEvent(2), sampleEvent(3)])
        #expect(reports.map(\.detail) == ["stands in the file already", "written and synced"])
        // Each is asked for once: then an event that is sent again on purpose is written again.
        #expect(
            await sink.deliver([sampleEvent(1)]).map(\.detail) == ["stands in the file already"])
        #expect(await sink.deliver([sampleEvent(1)]).map(\.detail) == ["written and synced"])
        #expect(try lines(folder) == [text(1), text(2), text(3), text(1)])
        await sink.close()
    }

    @Test func `events aside that come first after a crash do not make the head come twice`() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("events.jsonl", (1...3).map { text($0) + "\n" }.joined())
        let sink = try makeSink("jsonl", ["path": .string(path)])
        #expect(await sink.deliver([sampleEvent(9)]).map(\.detail) == ["written and synced"])
        #expect(
            await sink.deliver([sampleEvent(2), sampleEvent(3)]).map(\.detail)
                == ["stands in the file already", "stands in the file already"])
        #expect(try lines(folder) == [1, 2, 3, 9].map { text($0) })
        await sink.close()
    }

    @Test func `the last hundred lines of a long file are known, whatever their length`() async throws {
        for length in [10, 700, 3_000, 9_000] {
            let folder = try TemporaryFolder()
            func event(_ number: UInt64) -> OutgoingEvent {
                sampleEvent(number, member: String(repeating: "m", count: length + Int(number) % 7))
            }
            let path = try folder.write(
                "events.jsonl",
                (1...300).map { String(decoding: event($0).body, as: UTF8.self) + "\n" }.joined())
            let sink = try makeSink("jsonl", ["path": .string(path)])
            let reports = await sink.deliver((200...301).map(event))
            let known = reports.map { $0.detail == "stands in the file already" }
            #expect(known == [false] + [Bool](repeating: true, count: 100) + [false], "\(length)")
            await sink.close()
        }
    }

    @Test func `half a line of ours is cut off, at whatever byte`() async throws {
        let whole = text(1) + "\n"
        // The last but one ends with the brace of an inner object.
        for cut in 1..<text(2).utf8.count {
            let folder = try TemporaryFolder()
            try folder.write("events.jsonl", whole + text(2).prefix(cut))
            let sink = try makeSink("jsonl", ["path": .string(folder.path("events.jsonl"))])
            _ = await sink.deliver([sampleEvent(2)])
            await sink.close()
            for line in try lines(folder) {
                #expect(throws: Never.self, "after \(cut) bytes: \(line)") {
                    try JSONSerialization.jsonObject(with: Data(line.utf8))
                }
            }
            #expect(try lines(folder).last == text(2))
        }
    }

    @Test func `a line that only lacks its end stays, and so does what is not ours`() async throws {
        for rest in [text(2), "note to myself"] {
            let folder = try TemporaryFolder()
            try folder.write("events.jsonl", text(1) + "\n" + rest)
            let sink = try makeSink("jsonl", ["path": .string(folder.path("events.jsonl"))])
            _ = await sink.deliver([sampleEvent(3)])
            await sink.close()
            #expect(try lines(folder) == [text(1), rest, text(3)])
        }
    }

    @Test func `a file that was moved is left alone`() async throws {
        let folder = try TemporaryFolder()
        let sink = try makeSink("jsonl", ["path": .string(folder.path("events.jsonl"))])
        _ = await sink.deliver([sampleEvent(1)])
        try FileManager.default.moveItem(atPath: folder.path("events.jsonl"), toPath: folder.path("events.1"))
        _ = await sink.deliver([sampleEvent(2)])
        try FileManager.default.removeItem(atPath: folder.path("events.jsonl"))
        _ = await sink.deliver([sampleEvent(3)])
        #expect(try lines(folder, "events.1") == [text(1)])
        #expect(try lines(folder) == [text(3)])
        await sink.close()
    }

    @Test func `what cannot be written waits`() async throws {
        let folder = try TemporaryFolder()
        for (path, word) in [
            (folder.path("no/such/folder/file"), "No such file"), (folder.path(), "cannot be opened"),
            ("/dev/full", "no plain file"),
        ] {
            let sink = try makeSink("jsonl", ["path": .string(path)])
            let report = try #require(await sink.deliver([sampleEvent()]).first)
            #expect(report.verdict == .unavailable(retryAfter: nil))
            #expect(report.detail.contains(word), "\(report.detail)")
            #expect(leaksNothing([report]))
            await sink.close()
        }
    }
}
