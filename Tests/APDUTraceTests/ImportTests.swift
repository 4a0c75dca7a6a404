// SPDX-License-Identifier: Apache-2.0

import APDUTrace
import CardTesting
import Foundation
import ISO7816
import Testing

@Suite("Import")
struct ImportTests {
    static let folder = TraceFiles.folder + "/import"

    /// The conversation that all samples hold.
    private static let commands = [
        "00A404000A4F53452E5641532E303100",
        "80CA0101289F220201009F252099E75ACA679B3CBB9DE229EF3D80B01A2A33A38AD4F5A58E7C21B0B083CA47AA00",
        "80CA0101289F220201009F25200C7664A88F1872673EA1F2DF3BB33DA3AC47F474A704FEA264DDF3BBA6329EBB00",
    ]
    private static let answers = [
        "6F1D50084170706C655061799F210201009F2404DEADBEEF9F23040000001A9000",
        "70159F2A0811223344556677889F27076D656D626572319000", "6A83",
    ]

    static let samples: [(file: String, format: String)] = [
        ("opensc-tool-s.txt", "opensc-tool"), ("pcsc-spy-diffable.txt", "pcsc-spy"),
        ("pcsc-spy.raw.txt", "pcsc-spy (raw)"),
        ("pcsc-spy.txt", "pcsc-spy"), ("pcscd-apdu-color.txt", "pcscd"), ("pcscd-apdu-info.txt", "pcscd"),
        ("pcscd-debug-apdu.txt", "pcscd"), ("pyscard-console-observer.txt", "pyscard"), ("scriptor.txt", "scriptor"),
        ("proxmark3-trace-list.txt", "Proxmark3"), ("apdu-log.txt", "APDU log"), ("json-trace.json", "JSON trace"),
    ]

    @Test("each tool's text is known by its content and says the same", arguments: samples)
    func sample(_ file: String, _ format: String) throws {
        let imported = try TraceImport(file: Self.folder + "/" + file)
        #expect(imported.format == format)
        #expect(imported.trace.taps.count == 1)
        #expect(imported.trace.exchanges.map { Hex.encode($0.command) } == Self.commands)
        #expect(imported.trace.exchanges.map { Hex.encode($0.response) } == Self.answers)
        #expect(try APDUTrace(parsing: imported.trace.text()) == imported.trace)
    }

    @Test("cut at every line and with lines damaged: a trace or an error with a line, never more", arguments: samples)
    func damaged(_ file: String, _ format: String) throws {
        let bytes = Array(FileManager.default.contents(atPath: Self.folder + "/" + file) ?? Data())
        var random = SeededRandom(seed: 5)
        for round in 0..<150 {
            var text = bytes
            if round < 75 {
                text = Array(text.prefix(Int.random(in: 0...text.count, using: &random)))
            } else {
                for _ in 0..<4 where !text.isEmpty {
                    text[Int.random(in: 0..<text.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
            }
            do throws(TraceError) {
                let trace = try TraceImport(text).trace
                #expect((try? APDUTrace(parsing: trace.text())) == trace)
            } catch {
                #expect(error.line > 0 || error.code == .unknownFormat)
            }
        }
    }

    @Test("times, the answer to reset, comments")
    func details() throws {
        let pcscd = try TraceImport(file: Self.folder + "/pcscd-apdu-info.txt").trace
        #expect(pcscd.header.atr == [0x3B, 0x80, 0x80, 0x01, 0x01])
        #expect(pcscd.exchanges.allSatisfy { $0.milliseconds != nil })
        let proxmark = try TraceImport(file: Self.folder + "/proxmark3-trace-list.txt").trace
        #expect(proxmark.exchanges.map(\.milliseconds) == [1, 5, 1])
        let json = try TraceImport(file: Self.folder + "/json-trace.json").trace
        #expect(json.header.what == "SELECT and two requests for passes" && json.exchanges[2].milliseconds == 12)
    }

    @Test("what is no format's, and where a text is wrong")
    func errors() throws {
        let cases: [(text: String, code: TraceError.Code, line: Int)] = [
            ("hello\nworld\n", .unknownFormat, 0), ("", .unknownFormat, 0),
            ("> 00 A4 04 00\n< 9X 00\n", .unexpectedLine, 0),
            ("> 00 A4 04 00 00\n< 90 0Z\n", .notHex, 2),
            ("> 00 A4 04\n< 90 00\n", .notACommand, 1),
            (#"{"exchanges":[{"c":"00A4","r":"12"}]}"#, .notACommand, 1),
            (#"{"exchanges": 5"#, .unexpectedLine, 1),
        ]
        for (text, code, line) in cases {
            do throws(TraceError) {
                let trace = try TraceImport(Array(text.utf8)).trace
                Issue.record("\(text) was read: \(trace.exchanges.count)")
            } catch {
                if code == .unexpectedLine, line == 0 { continue }
                #expect(error.code == code && error.line == line, "\(text): \(error)")
            }
        }
    }

    @Test("an imported trace is redacted unless it is told otherwise")
    func redacted() throws {
        let (command, response) = PlantedCard.record
        let text = "> \(command)\n< \(response)\n"
        let pairs = try text.split(separator: "\n").map { line in
            String(line.prefix(2)) + (try Hex.decode(line.dropFirst(2)).map { Hex.encode([$0]) }.joined(separator: " "))
        }
        let bytes = Array(pairs.joined(separator: "\n").utf8)
        #expect(try TraceImport(bytes, redactor: nil).trace.text().contains(PlantedCard.account))
        let trace = try TraceImport(bytes).trace
        #expect(!trace.text().contains(PlantedCard.account) && trace.header["REDACTED"] != nil)
    }

    @Test(
        "the JSON traces of the vectors, and the composed scenarios",
        .enabled(if: Vectors.root != nil, "COUNTERTOP_VECTORS is not set"))
    func vectors() throws {
        let files = Vectors.traces
        #expect(!files.isEmpty)
        for file in files {
            let trace = try TraceImport(file: file, redactor: nil).trace
            #expect(!trace.exchanges.isEmpty, "\(file)")
        }
    }
}

/// The vectors that are not part of this package.
enum Vectors {
    static let root = ProcessInfo.processInfo.environment["COUNTERTOP_VECTORS"].flatMap { $0.isEmpty ? nil : $0 }

    /// Recorded payment taps and composed scenarios.
    static var traces: [String] {
        guard let root else { return [] }
        return ["/emv/traces", "/emv/composed"].flatMap { folder in
            ((try? FileManager.default.contentsOfDirectory(atPath: root + folder)) ?? []).sorted()
                .filter { $0.hasSuffix(".json") }.map { root + folder + "/" + $0 }
        }
    }
}
