// SPDX-License-Identifier: Apache-2.0

internal import ISO7816

extension APDUTrace {
    /// The trace as text, which ``init(parsing:)-(String)`` reads back to an equal trace.
    public func text() -> String {
        var writer = TraceWriter()
        writer.header(header)
        for (index, tap) in taps.enumerated() {
            if index > 0 { writer.line("# FIELD: off") }
            writer.tap(tap)
        }
        return writer.text
    }
}

/// Writes the lines of a trace. Nothing that is written can be read as another kind of line.
struct TraceWriter {
    private(set) var text = ""

    mutating func line(_ line: String) { text += line + "\n" }

    mutating func header(_ header: TraceHeader) {
        for entry in header.lines {
            if let key = entry.key { line(Self.single("# \(key): \(entry.text)")) } else { comment(entry.text) }
        }
        // An empty comment line says that the header is over, also when there is none.
        if header.lines.isEmpty { line("#") }
        line("")
    }

    mutating func tap(_ tap: APDUTrace.Tap) {
        for exchange in tap.exchanges { self.exchange(exchange) }
        if let lost = tap.lost {
            lost.comments.forEach { comment($0) }
            line("# LOST: \(Hex.encode(lost.command))")
        }
        tap.closingComments.forEach { comment($0) }
    }

    mutating func exchange(_ exchange: TraceExchange) {
        exchange.comments.forEach { comment($0) }
        line(Hex.encode(exchange.command))
        line(Hex.encode(exchange.response))
        if let milliseconds = exchange.milliseconds { line("# \(milliseconds)ms") }
    }

    private mutating func comment(_ text: String) {
        line(Self.single("\(TraceLineParser.isMoreThanComment(text) ? "##" : "#") \(text)"))
    }

    /// A comment is one line, whatever is in it.
    private static func single(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\n" || $0 == "\r" ? " " : $0 }))
    }
}
