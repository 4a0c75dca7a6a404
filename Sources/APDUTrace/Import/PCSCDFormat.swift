// SPDX-License-Identifier: Apache-2.0

extension TraceImport.Format {
    /// pcscd's log with `--apdu`: `TIME [THREAD] APDU: …` and `SW: …`, TIME in microseconds since the line before
    /// (pcsc-lite, `debuglog.c`).
    static let pcscd = TraceImport.Format(
        name: "pcscd", origin: "pcscd --foreground --apdu (with --info, --debug or --color)",
        recognises: { text in text.hasLine(within: .max) { PCSCDLine($0)?.kind == .command } },
        parse: { (text) throws(TraceError) in try PCSCDLine.parse(text) })
}

/// One line of pcscd's log.
private struct PCSCDLine {
    enum Kind { case command, response, atr, other }

    let microseconds: Int
    let kind: Kind
    let rest: Substring

    private static let marks: [(String, Kind)] = [("APDU: ", .command), ("SW: ", .response), ("Card ATR: ", .atr)]

    init?(_ line: Substring) {
        // A logger such as journald may stand before.
        var words = line.drop { $0 == " " }
        var time = Self.time(words)
        while time == nil, let blank = words.firstIndex(of: " "), words.startIndex < blank {
            words = words[blank...].drop { $0 == " " }
            time = Self.time(words)
        }
        guard let time else { return nil }
        var rest = words.dropFirst(9)
        if rest.first == "[", let end = rest.firstIndex(of: "]") { rest = rest[rest.index(after: end)...] }
        rest = rest.trimming(" ")
        microseconds = time
        let mark = Self.marks.first { rest.hasPrefix($0.0) }
        (kind, self.rest) = (mark?.1 ?? .other, mark.map { rest.dropFirst($0.0.count) } ?? rest)
    }

    /// Eight digits and a blank.
    private static func time(_ words: Substring) -> Int? {
        guard words.utf8.count > 8, words.dropFirst(8).first == " " else { return nil }
        let digits = words.prefix(8)
        return digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(digits) : nil
    }

    static func parse(_ text: ImportText) throws(TraceError) -> APDUTrace {
        var builder = TraceBuilder(source: "imported from pcscd's log")
        var elapsed = 0
        for line in text.lines {
            guard let entry = PCSCDLine(line.text) else { continue }
            elapsed += min(entry.microseconds, 1 << 40)
            switch entry.kind {
            case .command:
                try builder.command(try ImportHex.bytes(entry.rest, line: line.number), line: line.number)
                elapsed = 0
            case .response:
                let bytes = try ImportHex.bytes(entry.rest, line: line.number)
                guard builder.isWaiting else { continue }
                try builder.response(bytes, line: line.number, milliseconds: (elapsed + 500) / 1000)
            case .atr:
                builder.cardCame(atr: (try? ImportHex.bytes(entry.rest, line: line.number)) ?? [])
            case .other:
                if entry.rest.contains("Card inserted into") || entry.rest.contains("Card Removed From") {
                    builder.fieldOff()
                }
            }
        }
        return builder.finish()
    }
}

extension Substring {
    /// Without these characters at either end.
    func trimming(_ characters: String) -> Substring {
        var text = self
        while let last = text.last, characters.contains(last) { text.removeLast() }
        return text.drop { characters.contains($0) }
    }
}
