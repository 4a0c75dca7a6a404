// SPDX-License-Identifier: Apache-2.0

extension TraceImport.Format {
    /// `opensc-tool -s`: `Sending: …`, `Received (SW1=0x90, SW2=0x00):` and a dump of the data with text beside it
    /// (OpenSC, `opensc-tool.c`).
    static let openscTool = TraceImport.Format(
        name: "opensc-tool", origin: "opensc-tool -s COMMAND",
        recognises: { text in text.hasLine { $0.hasPrefix("Received (SW1=0x") } },
        parse: { (text) throws(TraceError) in try LineFormats.openscTool(text) })

    /// scriptor of pcsc-tools: `> command`, `< answer : meaning`, both over several lines.
    static let scriptor = TraceImport.Format(
        name: "scriptor", origin: "scriptor FILE",
        recognises: { text in
            text.hasLine { $0.hasPrefix("Using given card reader") || $0.hasPrefix("Using T=") }
                || (text.hasLine { $0.hasPrefix("> ") }
                    && text.hasLine { $0.contains(" : Normal processing.") || $0.contains(" : Wrong ") })
        },
        parse: { (text) throws(TraceError) in try LineFormats.scriptor(text) })

    /// pyscard's `ConsoleCardConnectionObserver`: `> command`, `< answer` or `<  [] SW1 SW2` when there is no data.
    static let pyscard = TraceImport.Format(
        name: "pyscard", origin: "pyscard with ConsoleCardConnectionObserver",
        recognises: { text in
            text.hasLine { $0.hasPrefix("> ") && ImportHex.isPairs($0.dropFirst(2)) }
                && text.hasLine { $0.hasPrefix("< ") }
        },
        parse: { (text) throws(TraceError) in try LineFormats.pyscard(text) })

    /// `>>> …` and `<<< …` of tools that log APDUs (Proxmark3's commands with `--apdu`, GlobalPlatformPro's `A>>`).
    static let apduLog = TraceImport.Format(
        name: "APDU log", origin: "hf emv … --apdu, and other tools that print >>> and <<<",
        recognises: { text in
            text.hasLine { LineFormats.arrow($0, ">>") != nil } && text.hasLine { LineFormats.arrow($0, "<<") != nil }
        },
        parse: { (text) throws(TraceError) in try LineFormats.arrows(text) })

    /// Our own, which is apdu4j's.
    static let apdu = TraceImport.Format(
        name: "apdu", origin: "countertop record",
        recognises: { text in
            let first = text.lines.first { !$0.text.trimming(" \t").isEmpty }?.text.trimming(" \t")
            guard let first else { return false }
            return first.hasPrefix("#") || (first.utf8.count >= 8 && first.allSatisfy { $0.isHexDigit || $0 == " " })
        },
        parse: { (text) throws(TraceError) in try APDUTrace(parsing: text.bytes) })
}

enum LineFormats {
    static func openscTool(_ text: ImportText) throws(TraceError) -> APDUTrace {
        var builder = TraceBuilder(source: "imported from opensc-tool")
        var (data, status): ([UInt8], [UInt8]?) = ([], nil)
        var last = 0
        for line in text.lines {
            if line.text.hasPrefix("Sending: ") {
                if let status { try builder.response(data + status, line: last) }
                (data, status) = ([], nil)
                try builder.command(
                    try ImportHex.bytes(line.text.dropFirst(9), line: line.number), line: line.number)
            } else if line.text.hasPrefix("Received (SW1=0x") {
                guard builder.isWaiting, let words = statusWord(line.text) else {
                    throw TraceError(.unexpectedLine, line: line.number, reason: "an answer without a command")
                }
                (status, last) = (words, line.number)
            } else if status != nil {
                // 16 columns of three characters, then the text.
                let bytes = ImportHex.leading(line.text.prefix(48))
                if !bytes.isEmpty, line.text.utf8.count > 48 { data += bytes }
            }
        }
        if let status { try builder.response(data + status, line: last) }
        return builder.finish()
    }

    private static func statusWord(_ line: Substring) -> [UInt8]? {
        let words = line.split { !$0.isHexDigit && $0 != "x" }.filter { $0.hasPrefix("0x") }
        let bytes = words.compactMap { UInt8($0.dropFirst(2), radix: 16) }
        return bytes.count == 2 ? bytes : nil
    }

    static func scriptor(_ text: ImportText) throws(TraceError) -> APDUTrace {
        var builder = TraceBuilder(source: "imported from scriptor")
        var answer: [UInt8]?
        for line in text.lines {
            let words = line.text.trimming(" ")
            if words.hasPrefix("> "), ImportHex.isPairs(words.dropFirst(2)) {
                answer = nil
                try builder.command(try ImportHex.bytes(words.dropFirst(2), line: line.number), line: line.number)
            } else if words.hasPrefix("< "), builder.isWaiting {
                answer = []
                try take(words.dropFirst(2), line.number, &answer, &builder)
            } else if answer != nil {
                try take(words, line.number, &answer, &builder)
            } else if builder.isWaiting, ImportHex.isPairs(words) {
                // A long command goes on: put it together again.
                try builder.extend(try ImportHex.bytes(words, line: line.number), line: line.number)
            } else if words.hasPrefix("# ") {
                builder.comment(words.dropFirst(2))
            }
        }
        return builder.finish()
    }

    /// A line of an answer, which ends with ` : meaning`.
    private static func take(
        _ words: Substring, _ line: Int, _ answer: inout [UInt8]?, _ builder: inout TraceBuilder
    ) throws(TraceError) {
        let parts = words.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let bytes = try ImportHex.bytes(parts.first ?? "", line: line)
        answer = (answer ?? []) + bytes
        guard parts.count == 2, let whole = answer else { return }
        answer = nil
        try builder.response(whole, line: line)
    }

    static func pyscard(_ text: ImportText) throws(TraceError) -> APDUTrace {
        var builder = TraceBuilder(source: "imported from pyscard")
        for line in text.lines {
            if line.text.hasPrefix("> ") {
                try builder.command(
                    try ImportHex.bytes(line.text.dropFirst(2), line: line.number), line: line.number)
            } else if line.text.hasPrefix("< ") {
                let words = line.text.dropFirst(2).trimming(" ")
                let pairs = words.hasPrefix("[]") ? words.dropFirst(2) : words
                try builder.response(try ImportHex.bytes(pairs, line: line.number), line: line.number)
            } else if line.text.hasPrefix("connecting to ") || line.text.hasPrefix("disconnecting from ") {
                builder.fieldOff()
            }
        }
        return builder.finish()
    }

    /// The hex behind `>>`, `>>>`, `A>>` or `>> T=1 (5+7)`; nil for other lines.
    static func arrow(_ line: Substring, _ mark: String) -> Substring? {
        guard let range = line.firstRange(of: mark), line[..<range.lowerBound].utf8.count <= 24 else { return nil }
        var rest = line[range.upperBound...].drop { $0 == ">" || $0 == "<" || $0 == " " || $0 == ":" }
        if let close = rest.lastIndex(of: ")") { rest = rest[rest.index(after: close)...] }
        rest = rest.trimming(" ")
        return !rest.isEmpty && rest.allSatisfy { $0.isHexDigit || $0 == " " } ? rest : nil
    }

    static func arrows(_ text: ImportText) throws(TraceError) -> APDUTrace {
        var builder = TraceBuilder(source: "imported from an APDU log")
        for line in text.lines {
            if let hex = arrow(line.text, ">>") {
                try builder.command(try ImportHex.bytes(hex, line: line.number), line: line.number)
            } else if let hex = arrow(line.text, "<<"), builder.isWaiting {
                try builder.response(try ImportHex.bytes(hex, line: line.number), line: line.number)
            }
        }
        return builder.finish()
    }
}
