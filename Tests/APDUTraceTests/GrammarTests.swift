// SPDX-License-Identifier: Apache-2.0

import APDUTrace
import CardTesting
import ISO7816
import Testing

@Suite("The grammar of traces")
struct GrammarTests {
    private static let select = "00A404000A4F53452E5641532E303100"

    private func error(_ text: String) throws -> TraceError {
        try #require(#expect(throws: TraceError.self) { try APDUTrace(parsing: text) })
    }

    @Test("header, comments, times, taps")
    func whole() throws {
        let trace = try APDUTrace(
            parsing: """
                # a dump
                # WHAT: a case
                # EXPECT: one
                # EXPECT: two
                # ATR: 3b 80 80 01 01

                # choose the application
                \(Self.select)
                6A82
                # 24ms

                00B0000000
                # 7 ms
                9000
                # FIELD: off
                00C0000000
                9000
                # the end
                """)
        #expect(trace.header.what == "a case" && trace.header.expectations == ["one", "two"])
        #expect(trace.header.atr == [0x3B, 0x80, 0x80, 0x01, 0x01])
        #expect(trace.header.lines.first == .init(key: nil, text: "a dump"))
        #expect(trace.taps.map(\.exchanges.count) == [2, 1])
        #expect(trace.exchanges.map(\.milliseconds) == [24, 7, nil])
        #expect(trace.exchanges[0].comments == ["choose the application"] && trace.exchanges[0].line == 8)
        #expect(trace.taps[1].closingComments == ["the end"])
        #expect(try APDUTrace(parsing: trace.text()) == trace)
    }

    @Test("CRLF, blanks, lower case, byte order mark, no line feed at the end; times before exchanges")
    func tolerant() throws {
        let text = "\u{FEFF}# ATR: 3B00\r\n\r\n # 5ms \r\n 00 b0 00 00 00\t\r\n90 00 \r\n# 6ms\r\n00b0000001\r\n9000"
        let trace = try APDUTrace(parsing: text)
        #expect(trace.exchanges.map(\.milliseconds) == [5, 6])
        #expect(trace.exchanges.map(\.response) == [[0x90, 0], [0x90, 0]])
        #expect(trace.header["ATR"] == "3B00")
    }

    @Test(
        "faults have a line and a code",
        arguments: [
            ("00B00000", 1, .missingResponse), ("#x\n00B00000\n# FIELD: off\n", 2, .missingResponse),
            ("00B00000\n9", 2, .oddHex), ("00B00000\n90", 2, .shortResponse), ("\n00B0\n9000", 2, .notACommand),
            ("hello", 1, .notHex), ("00B00000\n9000\n# LOST: 00", 3, .notACommand), ("# LOST: zz", 1, .notHex),
        ] as [(String, Int, TraceError.Code)])
    func faults(text: String, line: Int, code: TraceError.Code) throws {
        let error = try error(text)
        #expect(error.line == line && error.code == code)
        #expect(error.description.contains("line \(line)"))
    }

    @Test("comments must be UTF-8, lines no longer than an APDU, files there")
    func bytes() throws {
        let utf8 = #expect(throws: TraceError.self) { try APDUTrace(parsing: Array("#ok\n# ".utf8) + [0xFF, 0x0A]) }
        #expect(utf8?.code == .notUTF8 && utf8?.line == 2)
        let long = try error("\n" + String(repeating: "0", count: 262_145))
        #expect(long.code == .lineTooLong && long.line == 2)
        let file = #expect(throws: TraceError.self) { try APDUTrace(file: "/nonexistent/x.apdu") }
        #expect(file?.code == .unreadableFile)
    }

    @Test("any trace is written and read back")
    func roundTrip() throws {
        var random = SeededRandom(seed: 4)
        for _ in 0..<200 {
            let taps = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                var tap = APDUTrace.Tap()
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let comments = Bool.random(using: &random) ? ["NOTE: something", "x"] : []
                    let time = Bool.random(using: &random) ? Int.random(in: 0...99, using: &random) : nil
                    tap.exchanges.append(
                        TraceExchange(
                            command: [0, 0xB0] + random.bytes(2), response: random.bytes(5), milliseconds: time,
                            comments: comments))
                }
                if Bool.random(using: &random) { tap.lost = LostCommand(command: [0, 1, 2, 3], comments: ["gone"]) }
                return tap
            }
            let header = TraceHeader(Bool.random(using: &random) ? [.init(key: "X-Y", text: "z")] : [])
            var trace = APDUTrace(header: header, taps: taps)
            if header.lines.isEmpty == false { trace.header.lines[0].key = "WHAT" }
            #expect(try APDUTrace(parsing: trace.text()) == trace)
        }
    }

    @Test("no bytes make the parser trap")
    func neverTraps() throws {
        var random = SeededRandom(seed: 5)
        let text = Array("# WHAT: x\n\n# 2ms\n00B0000000\n019000\n# FIELD: off\n# LOST: 00B00000\n# é\n".utf8)
        for _ in 0..<5_000 {
            let bytes = random.mutate(Bool.random(using: &random) ? text : random.bytes(50))
            guard let trace = try? APDUTrace(parsing: bytes) else { continue }
            #expect(try APDUTrace(parsing: trace.text()).exchanges == trace.exchanges)
        }
    }
}
