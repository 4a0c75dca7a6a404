// SPDX-License-Identifier: Apache-2.0

import APDUTrace
import CardTesting
import Foundation
import ISO7816
import TestSupport
import Testing

@Suite("Replay of a stream")
struct StreamingTests {
    private static let read: [UInt8] = [0x00, 0xB0, 0x00, 0x00, 0x10]

    /// The process's resident memory in KiB (proc(5), `VmRSS`); 0 where there is no such file.
    private static func residentKiB() -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return line.split(separator: " ").compactMap { Int($0) }.first ?? 0
    }

    /// A sanitizer keeps what is freed, so that memory says nothing.
    private static let canMeasure =
        FileManager.default.fileExists(atPath: "/proc/self/status")
        && dlsym(nil, "__asan_init") == nil && dlsym(nil, "__tsan_init") == nil

    private static func file(exchanges: Int, in folder: TemporaryFolder) throws -> String {
        let pair = "# again\n00B0000010\n00112233445566778899AABBCCDDEEFF9000\n# 1ms\n"
        return try folder.write("long.apdu", String(repeating: pair, count: exchanges))
    }

    @Test("100,000 exchanges are replayed, and then the card is gone")
    func whole() throws {
        let folder = try TemporaryFolder()
        let channel = StreamingReplayChannel(try TraceStream(file: try Self.file(exchanges: 100_000, in: folder)))
        for _ in 0..<100_000 { _ = try channel.transmit(Self.read) }
        let over = #expect(throws: CardChannelError.self) { try channel.transmit(Self.read) }
        #expect(over?.code == .cardGone && over?.reason.contains("line 399998") == true)
    }

    // In a process of its own, in which no other test takes memory meanwhile.
    @Test("100,000 exchanges take no memory", .enabled(if: canMeasure, "memory cannot be measured here"))
    func memory() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let path = try Self.file(exchanges: 100_000, in: folder)
            let channel = StreamingReplayChannel(try TraceStream(file: path))
            for _ in 0..<10_000 { _ = try channel.transmit(Self.read) }
            let before = Self.residentKiB()
            for _ in 0..<90_000 { _ = try channel.transmit(Self.read) }
            let growth = Self.residentKiB() - before
            #expect(before > 0 && growth < 1_024, "\(growth) KiB more")
        }
    }

    private func channel(_ text: String, _ matching: ReplayMatching = .exact) -> StreamingReplayChannel {
        StreamingReplayChannel(TraceStream(bytes: Array(text.utf8)), matching: matching)
    }

    private static let three = "00B00000\n9000\n00B00001\n9001\n# FIELD: off\n00B00002\n9002\n"

    @Test("a mismatch leaves the place where it was; field marks are passed over")
    func mismatch() throws {
        let channel = channel(Self.three)
        for _ in 0..<2 {
            let error = #expect(throws: CardChannelError.self) { try channel.send("00B00001") }
            #expect(error?.code == .mismatch && error?.reason.contains("line 1") == true)
        }
        #expect(try ["00B00000", "00B00001", "00B00002"].map { try channel.send($0) } == ["9000", "9001", "9002"])
    }

    @Test("skipping goes forward only")
    func skipping() throws {
        let channel = channel(Self.three, .byMeaning)
        #expect(try channel.send("00B00001") == "9001")
        let error = #expect(throws: CardChannelError.self) { try channel.send("00B00000") }
        #expect(error?.code == .cardGone)
    }

    @Test("a lost command is lost again; what follows it goes on")
    func lost() throws {
        let channel = channel("00B00000\n9000\n# LOST: 00B00001\n00B00002\n9002\n")
        #expect(try channel.send("00B00000") == "9000")
        let error = #expect(throws: CardChannelError.self) { try channel.send("00B00001") }
        #expect(error?.code == .cardGone && error?.reason.contains("line 3") == true)
        #expect(try channel.send("00B00002") == "9002")
    }

    @Test("a fault in the text is an error with its line, once it is reached")
    func fault() throws {
        let channel = channel("00B00000\n9000\n00B00001\n9001\nhello\n")
        #expect(try channel.send("00B00000") == "9000")
        #expect(try channel.send("00B00001") == "9001")
        let error = #expect(throws: CardChannelError.self) { try channel.send("00B00002") }
        #expect(error?.code == .other && error?.reason.contains("line 5") == true)
    }

    @Test("a file is read as its bytes are, wherever the pieces end", arguments: [1, 4_096, 65_530, 65_536, 131_072])
    func pieces(padding: Int) throws {
        let folder = try TemporaryFolder()
        let text = "#" + String(repeating: "é", count: padding / 2) + "\n\n" + Self.three
        let path = try folder.write("x.apdu", "\u{FEFF}" + text)
        #expect(try APDUTrace(file: path) == APDUTrace(parsing: text))
        #expect(try APDUTrace(file: path).exchanges.map(\.line) == [3, 5, 8])
    }

    @Test("traces are found by name, and one that is none is an error")
    func discovery() throws {
        let folder = try TemporaryFolder()
        try folder.write("b.apdu", "# WHAT: second\n\n00B00000\n9000\n")
        try folder.write("a.apdu", "# WHAT: first\n")
        try folder.write("c.txt", "hello")
        let cases = try TraceFiles.discover(in: folder.path())
        #expect(cases.map(\.name) == ["a", "b"] && cases.map(\.trace.header.what) == ["first", "second"])
        #expect(cases.map(\.description) == ["a", "b"])
        #expect(try cases.allSatisfy { try APDUTrace(file: $0.path) == $0.trace })
        try folder.write("d.apdu", "hello")
        let error = #expect(throws: TraceError.self) { try TraceFiles.discover(in: folder.path()) }
        #expect(error?.code == .notHex && error?.line == 1)
        #expect(throws: (any Error).self) { try TraceFiles.discover(in: folder.path("none")) }
        #expect(try TraceFiles.discover().isEmpty == false)
    }
}
