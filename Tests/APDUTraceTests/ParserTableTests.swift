// SPDX-License-Identifier: Apache-2.0

import APDUTrace
import CardTesting
import ISO7816
import Testing

/// A text that is no trace, with what must be said of it.
struct FaultRow: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: [UInt8]
    let code: TraceError.Code
    let line: Int

    private init(_ name: String, _ text: String, _ code: TraceError.Code, _ line: Int, tail: [UInt8] = []) {
        (testDescription, self.text, self.code, self.line) = (name, Array(text.utf8) + tail, code, line)
    }

    static let all =
        notHex + commands + responses + [
            FaultRow("a comment that is not UTF-8", "# a\n\n#", .notUTF8, 3, tail: [0xC3, 0x28]),
            FaultRow("a header value that is not UTF-8", "# WHAT: ", .notUTF8, 1, tail: [0xFF, 0x0A]),
            FaultRow("half a character at the end", "00B00000\n9000\n## ", .notUTF8, 3, tail: [0xE2, 0x82]),
            FaultRow("a line that is too long", "\n\n" + blanks(262_145), .lineTooLong, 3),
            FaultRow("a line that is too long, with more after it", "#\n" + blanks(262_145) + "\n00", .lineTooLong, 2),
        ]

    private static func blanks(_ count: Int) -> String { String(repeating: " ", count: count) }

    private static let notHex = [
        FaultRow("words", "00B00000\n9000\nhello\n", .notHex, 3),
        FaultRow("a word within hex", "00B0x000\n9000", .notHex, 1),
        FaultRow("a response in words", "00B00000\nok", .notHex, 2),
        FaultRow("another comment sign", "// a\n", .notHex, 1),
        FaultRow("LOST and words", "# LOST: soon", .notHex, 1),
        FaultRow("half a byte in a command", "\n\n00B0000\n", .oddHex, 3),
        FaultRow("half a byte in a response", "00B00000\r\n900\r\n", .oddHex, 2),
        FaultRow("half a byte in LOST", "# a\n# LOST: 00B0000", .oddHex, 2),
    ]

    private static let commands = [
        FaultRow("three bytes", "00B000\n9000", .notACommand, 1),
        FaultRow("Lc that does not fit", "00B00000\n9000\n00A4040005AA\n9000", .notACommand, 3),
        FaultRow("LOST without a command", "\n# LOST:\n", .notACommand, 2),
        FaultRow("LOST with half a command", "00B00000\n9000\n# LOST: 00B0\n", .notACommand, 3),
    ]

    private static let responses = [
        FaultRow("one byte", "00B00000\n90\n", .shortResponse, 2),
        FaultRow("one byte, later", "# a\n\n00B00000\n# 5ms\n90\n", .shortResponse, 5),
        FaultRow("the end", "# a\n\n00B00000\n9000\n00B00001\n\n# b\n", .missingResponse, 5),
        FaultRow("the end of the field", "00B00001\n# FIELD: off\n9000\n", .missingResponse, 1),
        FaultRow("a lost command", "00B00000\n9000\n00B00001\n# LOST: 00B00002\n", .missingResponse, 3),
    ]
}

@Suite("Lines of traces")
struct ParserTableTests {
    @Test("what is wrong has its code and its line", arguments: FaultRow.all)
    func faults(row: FaultRow) {
        let error = #expect(throws: TraceError.self) { try APDUTrace(parsing: row.text) }
        #expect(error?.code == row.code && error?.line == row.line, "\(error?.description ?? "none")")
        #expect(error?.description.hasPrefix("trace, line \(row.line): ") == true)
    }

    @Test("the error's text shows no card data")
    func noData() {
        for text in ["5413330089600010x", "541333008960001", "00A4040008541333\n9000", "00B00000\n54"] {
            let error = #expect(throws: TraceError.self) { try APDUTrace(parsing: text) }
            #expect(error?.description.contains("54") == false)
        }
    }

    @Test("a stream is over after its error, and gave what came before")
    func stream() throws {
        var stream = TraceStream(bytes: Array("00B00000\n9000\n# FIELD: off\n00B00001\n90\n00B00002\n9000\n".utf8))
        #expect(try stream.next() == .exchange(TraceExchange(command: [0, 0xB0, 0, 0], response: [0x90, 0])))
        #expect(try stream.next() == .fieldOff)
        #expect(throws: TraceError.self) { try stream.next() }
        #expect(try stream.next() == nil)
    }

    @Test(
        "two signs make a comment of anything",
        arguments: [
            "FIELD: off", "LOST: 00B00000", "24ms", "24 ms", "ATR: 3B00", "WHAT: x", "# more", "## more", "X-1_Y: z",
        ])
    func doubled(comment: String) throws {
        let text = "# WHAT: x\n\n00B00000\n9000\n## \(comment)\n00B00001\n9000\n##\(comment)\n"
        let trace = try APDUTrace(parsing: text)
        #expect(trace.taps.count == 1 && trace.header.lines.count == 1)
        #expect(
            trace.exchanges.map(\.comments) == [[], [comment]] && trace.exchanges.allSatisfy { $0.milliseconds == nil })
        #expect(trace.taps[0].closingComments == [comment])
        #expect(trace.text().contains("## \(comment)\n"))
        #expect(try APDUTrace(parsing: trace.text()) == trace)
    }

    @Test("a comment that cannot be mistaken is written with one sign")
    func single() throws {
        for comment in ["select", "ms", "a: b", "5 ms later", "what: x", "é☕", "1:2"] {
            let exchange = TraceExchange(command: [0, 0xB0, 0, 0], response: [0x90, 0], comments: [comment])
            let trace = APDUTrace(taps: [.init(exchanges: [exchange])])
            #expect(trace.text().contains("\n# \(comment)\n"))
            #expect(try APDUTrace(parsing: trace.text()) == trace)
        }
    }

    @Test("line ends inside a comment become blanks, read or written")
    func carriageReturns() throws {
        let read = try APDUTrace(parsing: "00B00000\n9000\n# a\rb\r\n00B00001\r\n9000\r\n# WHAT\r: x\r\r\n")
        #expect(read.exchanges.map(\.comments) == [[], ["a b"]] && read.taps[0].closingComments == ["WHAT : x"])
        #expect(try APDUTrace(parsing: read.text()) == read)
        let hostile = "a\n# FIELD: off\r\n00B00000\r9000"
        var trace = APDUTrace(header: TraceHeader([.init(key: "WHAT", text: hostile)]))
        let exchange = TraceExchange(command: [0, 0xB0, 0, 0], response: [0x90, 0], comments: [hostile])
        trace.taps = [.init(exchanges: [exchange], lost: .init(command: [0, 1, 2, 3], comments: [hostile]))]
        let back = try APDUTrace(parsing: trace.text())
        let blanked = String(hostile.unicodeScalars.map { $0 == "\n" || $0 == "\r" ? " " : Character($0) })
        #expect(back.exchanges.map(\.comments) == [[blanked]] && back.taps.count == 1)
        #expect(back.taps[0].lost?.comments == [blanked] && back.header.what == blanked)
    }

    @Test("a second LOST begins another tap, and so does a command after it")
    func losses() throws {
        let trace = try APDUTrace(
            parsing: "00B00000\n9000\n# LOST: 00B00001\n# LOST: 00B00002\n00B00003\n9000\n# FIELD: off\n# FIELD: off\n")
        #expect(trace.taps.map(\.exchanges.count) == [1, 0, 1])
        #expect(trace.taps.map(\.lost?.command.last) == [1, 2, nil])
        #expect(trace.taps.map(\.lost?.line) == [3, 4, nil] && trace.exchanges.map(\.line) == [1, 5])
    }

    @Test("header lines: keys, several values, setting and removing")
    func header() throws {
        var header = try APDUTrace(parsing: "# EXPECT: a\n# note\n# EXPECT: b\n# X-KEY: 1\n\n").header
        #expect(header.expectations == ["a", "b"] && header["X-KEY"] == "1" && header["NONE"] == nil)
        header["EXPECT"] = "c"
        #expect(header.lines.map(\.text) == ["c", "note", "1"])
        header.atr = [0x3B, 0x00]
        (header.what, header.source, header.transmissionProtocol) = ("w", "s", "T=1")
        #expect(header["ATR"] == "3B00" && header["PROTOCOL"] == "T=1" && header["SOURCE"] == "s")
        header["X-KEY"] = nil
        header.atr = nil
        #expect(header.lines.map(\.key) == ["EXPECT", nil, "WHAT", "SOURCE", "PROTOCOL"])
        #expect(try APDUTrace(parsing: APDUTrace(header: header).text()).header == header)
        #expect(TraceHeader([.init(key: "ATR", text: "soon")]).atr == nil)
    }

    @Test("the longest APDUs fit on their lines")
    func longest() throws {
        let command = try CommandAPDU(
            cla: 0, ins: 0xD6, p1: 0, p2: 0, data: [UInt8](repeating: 0x5A, count: 65_535), ne: 65_536)
        let exchange = TraceExchange(command: command.bytes, response: [UInt8](repeating: 1, count: 65_538))
        let trace = APDUTrace(taps: [.init(exchanges: [exchange])])
        #expect(try APDUTrace(parsing: trace.text()) == trace)
    }
}
