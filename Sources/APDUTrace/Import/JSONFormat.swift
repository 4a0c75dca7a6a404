// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import ISO7816

extension TraceImport.Format {
    /// A JSON object with `exchanges` (`c`, `r`, `name`, `note`), or with `scenarios` of `taps` of exchanges.
    static let jsonTrace = TraceImport.Format(
        name: "JSON trace", origin: #"{"title": …, "exchanges": [{"name": …, "c": "hex", "r": "hex"}]}"#,
        recognises: { text in
            text.bytes.first { !($0 == 0x20 || (0x09...0x0D).contains($0)) } == 0x7B
        },
        parse: { (text) throws(TraceError) in try JSONTrace.parse(text) })
}

/// The JSON form: what of it is read.
private struct JSONTrace: Decodable {
    struct Exchange: Decodable {
        var name: String?
        var c: String
        var r: String
        var note: String?
        var milliseconds: Int?
    }

    struct Scenario: Decodable {
        var id: String?
        var title: String?
        var taps: [[Exchange]]
    }

    var id: String?
    var title: String?
    var interface: String?
    var exchanges: [Exchange]?
    var taps: [[Exchange]]?
    var scenarios: [Scenario]?

    static func parse(_ text: ImportText) throws(TraceError) -> APDUTrace {
        let json: JSONTrace
        do {
            json = try JSONDecoder().decode(JSONTrace.self, from: Data(text.bytes))
        } catch {
            throw TraceError(.unexpectedLine, line: line(of: error, text), reason: "this JSON is no trace")
        }
        var builder = TraceBuilder(source: "imported from a JSON trace")
        if let title = json.title ?? json.id { builder.header("WHAT", title.oneLine) }
        var places = Places(text)
        for tap in (json.exchanges.map { [$0] } ?? []) + (json.taps ?? []) {
            try read(tap, title: nil, &places, &builder)
        }
        for scenario in json.scenarios ?? [] {
            for tap in scenario.taps { try read(tap, title: scenario.title ?? scenario.id, &places, &builder) }
        }
        return builder.finish()
    }

    private static func line(of error: any Error, _ text: ImportText) -> Int {
        // Foundation names a line in words at best; a broken text begins at 1.
        let words = "\(error)"
        guard let range = words.firstRange(of: "line ") else { return 1 }
        return Int(words[range.upperBound...].prefix { $0.isNumber }) ?? 1
    }

    private static func read(
        _ tap: [Exchange], title: String?, _ places: inout Places, _ builder: inout TraceBuilder
    ) throws(TraceError) {
        if let title { builder.comment(title.oneLine) }
        for pair in try paired(tap, &places) {
            if let name = pair.name { builder.comment(name.oneLine) }
            try builder.command(pair.command, line: pair.line)
            try builder.response(pair.response, line: pair.line, milliseconds: pair.milliseconds)
        }
        builder.fieldOff()
    }

    private struct Pair {
        var name: String?
        var command: [UInt8]
        var response: [UInt8]
        var line: Int
        var milliseconds: Int?
    }

    /// Commands with their answers. In some collections the columns slipped: a row has an answer and the command after
    /// it; such rows are paired anew, and what has no partner is left out, as are answers to unknown commands.
    private static func paired(_ tap: [Exchange], _ places: inout Places) throws(TraceError) -> [Pair] {
        var pairs: [Pair] = []
        var slipped: (command: [UInt8], line: Int)?
        for row in tap {
            let line = places.line(of: row.c)
            let (command, response) = (
                try ImportHex.bytes(row.c, line: line), try ImportHex.bytes(row.r, line: line)
            )
            let milliseconds = row.milliseconds.flatMap { (0...86_400_000).contains($0) ? $0 : nil }
            if let before = slipped, isAnswer(command) {
                pairs.append(Pair(command: before.command, response: command, line: before.line))
                slipped = isCommand(response) && !isAnswer(response) ? (response, line) : nil
            } else if isCommand(command), isAnswer(response) {
                slipped = nil
                pairs.append(
                    Pair(
                        name: row.name, command: command, response: response, line: line, milliseconds: milliseconds))
            } else if isCommand(command), isCommand(response) {
                slipped = (response, line)
            } else if command.isEmpty || isAnswer(command) {
                slipped = isCommand(response) && !isAnswer(response) ? (response, line) : nil
            } else {
                throw TraceError(.notACommand, line: line, reason: "neither command and answer nor the reverse")
            }
        }
        return pairs
    }

    private static func isCommand(_ bytes: [UInt8]) -> Bool { (try? CommandAPDU(bytes)) != nil }

    /// Ends in a status word of ISO/IEC 7816-4, 5.6.
    private static func isAnswer(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 2 else { return false }
        let (sw1, sw2) = (bytes[bytes.count - 2], bytes[bytes.count - 1])
        return sw1 == 0x90 ? sw2 == 0 : (0x61...0x6F).contains(sw1)
    }

    /// Finds lines of commands in the text, from one to the next.
    private struct Places {
        private let text: ImportText
        private var index = 0

        init(_ text: ImportText) { self.text = text }

        mutating func line(of hex: String) -> Int {
            guard !hex.isEmpty else { return text.lines[min(index, text.lines.count - 1)].number }
            for candidate in index..<text.lines.count where text.lines[candidate].text.contains("\"" + hex + "\"") {
                index = candidate
                return text.lines[candidate].number
            }
            return text.lines[min(index, text.lines.count - 1)].number
        }
    }
}

extension String {
    /// Fit for a header or comment line.
    fileprivate var oneLine: String { split(whereSeparator: \.isNewline).joined(separator: " ") }
}
