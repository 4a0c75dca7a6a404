// SPDX-License-Identifier: Apache-2.0

internal import ISO7816

/// Puts commands and answers together while a text is read.
struct TraceBuilder {
    private var trace = APDUTrace()
    private var tap = APDUTrace.Tap()
    private var command: (bytes: [UInt8], line: Int)?
    private var comments: [String] = []

    init(source: String) {
        trace.header.source = source
    }

    /// A comment for the exchange that comes next.
    mutating func comment(_ text: some StringProtocol) {
        if !text.isEmpty { comments.append(String(text)) }
    }

    mutating func header(_ key: String, _ value: String) {
        if trace.header[key] == nil { trace.header[key] = value }
    }

    mutating func cardCame(atr: [UInt8]) {
        if !atr.isEmpty, trace.header.atr == nil { trace.header.atr = atr }
    }

    /// Whether a command waits for its answer.
    var isWaiting: Bool { command != nil }

    /// A command; one that still waits was never answered: the card left.
    mutating func command(_ bytes: [UInt8], line: Int) throws(TraceError) {
        if command != nil { fieldOff() }
        do {
            _ = try CommandAPDU(bytes)
        } catch {
            throw TraceError(.notACommand, line: line, reason: "this is not a command: \(error.reason)")
        }
        command = (bytes, line)
    }

    /// More bytes of the command that waits, whose text goes over several lines.
    mutating func extend(_ bytes: [UInt8], line: Int) throws(TraceError) {
        guard let pending = command else { return }
        command = nil
        try command(pending.bytes + bytes, line: pending.line)
    }

    /// The answer to the command that waits.
    mutating func response(_ bytes: [UInt8], line: Int, milliseconds: Int? = nil) throws(TraceError) {
        guard let pending = command else {
            throw TraceError(.unexpectedLine, line: line, reason: "an answer without a command")
        }
        // No bytes: the reader's way of saying that the card left.
        if bytes.isEmpty { return fieldOff() }
        guard bytes.count >= 2 else {
            throw TraceError(.shortResponse, line: line, reason: "a response has at least 2 bytes, not \(bytes.count)")
        }
        var exchange = TraceExchange(
            command: pending.bytes, response: bytes, milliseconds: milliseconds, comments: comments)
        exchange.line = pending.line
        tap.exchanges.append(exchange)
        (command, comments) = (nil, [])
    }

    /// The card left, or another one came.
    mutating func fieldOff() {
        if let pending = command {
            var lost = LostCommand(command: pending.bytes, comments: comments)
            lost.line = pending.line
            tap.lost = lost
            (command, comments) = (nil, [])
        }
        if !tap.exchanges.isEmpty || tap.lost != nil { trace.taps.append(tap) }
        tap = APDUTrace.Tap()
    }

    mutating func finish() -> APDUTrace {
        fieldOff()
        return trace
    }
}

/// Hex as tools print it.
enum ImportHex {
    static func bytes(_ text: some StringProtocol, line: Int) throws(TraceError) -> [UInt8] {
        do {
            return try Hex.decode(utf8: text.utf8)
        } catch {
            let code: TraceError.Code = error.isOddLength ? .oddHex : .notHex
            throw TraceError(code, line: line, reason: error.description)
        }
    }

    /// The pairs of hex digits at the start of a text, each with a blank after it or at the end.
    static func leading(_ text: Substring) -> [UInt8] {
        var bytes: [UInt8] = []
        for word in text.split(separator: " ", omittingEmptySubsequences: true) {
            guard word.utf8.count == 2, let byte = UInt8(word, radix: 16), word.first != "+", word.first != "-" else {
                break
            }
            bytes.append(byte)
        }
        return bytes
    }

    /// Whether a text is pairs of hex digits with blanks between, at least one.
    static func isPairs(_ text: Substring) -> Bool {
        let words = text.split(separator: " ", omittingEmptySubsequences: true)
        return !words.isEmpty && words.allSatisfy { $0.utf8.count == 2 && $0.allSatisfy(\.isHexDigit) }
    }
}
