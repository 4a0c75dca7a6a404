// SPDX-License-Identifier: Apache-2.0

internal import ISO7816

/// What a trace says, one after the other.
public enum TraceEvent: Sendable, Hashable {
    /// A line of the header.
    case header(TraceHeader.Line)
    /// A command and its response.
    case exchange(TraceExchange)
    /// A command that was not answered.
    case lost(LostCommand)
    /// Comments that no exchange of this tap follows.
    case comments([String])
    /// The card left the field, or was made to.
    case fieldOff
}

/// The grammar, line by line. Keeps at most one exchange back, so that memory does not grow with the trace.
struct TraceLineParser {
    private var line = 0
    private var events: [TraceEvent] = []
    /// An exchange that still waits for a time stamp after it.
    private var complete: TraceExchange?
    private var command: (bytes: [UInt8], line: Int, milliseconds: Int?)?
    private var comments: [String] = []
    private var isInHeader = true
    private var hasHeaderLine = false
    private var hasExchange = false
    /// Whether `# 24ms` stands before its exchange; nil until the first one is seen.
    private var timesStandBefore: Bool?
    private var nextTime: Int?
    private var afterLost = false

    /// Keys that belong to the header wherever they stand before the first exchange.
    private static let headerKeys: Set<String> = ["WHAT", "EXPECT", "SOURCE", "ATR", "PROTOCOL"]

    /// The next event that is complete, if any.
    mutating func popEvent() -> TraceEvent? {
        events.isEmpty ? nil : events.removeFirst()
    }

    /// Takes a line without its line feed.
    mutating func take(_ raw: ArraySlice<UInt8>) throws(TraceError) {
        line += 1
        let text = Self.trimmed(raw)
        if text.isEmpty {
            if hasHeaderLine { isInHeader = false }
        } else if text.first == 0x23 {
            // A carriage return inside a line is no more than a blank there.
            let blanked = text.dropFirst().map { $0 == 0x0D ? 0x20 : $0 }
            guard let remark = String(validating: blanked, as: UTF8.self) else {
                throw TraceError(.notUTF8, line: line, reason: "a comment is not UTF-8")
            }
            // Two of them make a comment of anything, also of what would otherwise be a key or a time.
            if remark.first == "#" {
                takeComment(Self.trimmed(String(remark.dropFirst())))
            } else {
                try takeRemark(Self.trimmed(remark))
            }
        } else {
            try takeHex(text)
        }
    }

    /// Call it once after the last line.
    mutating func finish() throws(TraceError) {
        try endTap("the trace ends")
    }

    // MARK: hex lines

    private mutating func takeHex(_ text: ArraySlice<UInt8>) throws(TraceError) {
        let bytes = try decode(text)
        isInHeader = false
        hasExchange = true
        guard let pending = command else { return try takeCommand(bytes) }
        guard bytes.count >= 2 else {
            throw TraceError(.shortResponse, line: line, reason: "a response has at least 2 bytes, not \(bytes.count)")
        }
        var exchange = TraceExchange(
            command: pending.bytes, response: bytes, milliseconds: pending.milliseconds, comments: comments)
        exchange.line = pending.line
        (complete, command, comments) = (exchange, nil, [])
    }

    private mutating func takeCommand(_ bytes: [UInt8]) throws(TraceError) {
        try check(bytes)
        emitComplete()
        if afterLost { emitFieldOff() }
        command = (bytes, line, nextTime)
        nextTime = nil
    }

    private func check(_ command: [UInt8]) throws(TraceError) {
        do {
            _ = try CommandAPDU(command)
        } catch {
            throw TraceError(.notACommand, line: line, reason: "this is not a command: \(error.reason)")
        }
    }

    private func decode(_ text: some Collection<UInt8>) throws(TraceError) -> [UInt8] {
        do {
            return try Hex.decode(utf8: text)
        } catch {
            let code: TraceError.Code = error.isOddLength ? .oddHex : .notHex
            throw TraceError(code, line: line, reason: error.description)
        }
    }

    // MARK: lines with #

    private mutating func takeRemark(_ text: Substring) throws(TraceError) {
        let keyed = Self.keyed(text)
        if !hasExchange, let keyed, isInHeader || Self.headerKeys.contains(keyed.key) {
            if keyed.key != "FIELD", keyed.key != "LOST" { return takeHeader(keyed.key, keyed.value) }
        }
        if let keyed, keyed.key == "FIELD", keyed.value.lowercased() == "off" {
            try endTap("the field goes off")
            return emitFieldOff()
        }
        if let keyed, keyed.key == "LOST" { return try takeLost(keyed.value) }
        if let time = Self.milliseconds(text), takeTime(time) { return }
        takeComment(text)
    }

    private mutating func takeComment(_ text: Substring) {
        if isInHeader { return takeHeader(nil, text) }
        if !text.isEmpty { comments.append(String(text)) }
    }

    private mutating func takeHeader(_ key: String?, _ text: Substring) {
        hasHeaderLine = true
        if key != nil || !text.isEmpty { events.append(.header(TraceHeader.Line(key: key, text: String(text)))) }
    }

    private mutating func takeLost(_ text: Substring) throws(TraceError) {
        guard command == nil else { throw missingResponse("another command follows") }
        let bytes = try decode(text.utf8)
        try check(bytes)
        emitComplete()
        if afterLost { emitFieldOff() }
        var lost = LostCommand(command: bytes, comments: comments)
        lost.line = line
        events.append(.lost(lost))
        (comments, afterLost, hasExchange, isInHeader) = ([], true, true, false)
    }

    /// Whether the time found an exchange to belong to.
    private mutating func takeTime(_ time: Int) -> Bool {
        if command != nil {
            guard command?.milliseconds == nil else { return false }
            command?.milliseconds = time
            return true
        }
        let before = timesStandBefore ?? !hasExchange
        timesStandBefore = before
        if before {
            isInHeader = false
            nextTime = time
            return true
        }
        guard complete != nil, complete?.milliseconds == nil else { return false }
        complete?.milliseconds = time
        return true
    }

    // MARK: ends

    private mutating func endTap(_ what: String) throws(TraceError) {
        guard command == nil else { throw missingResponse(what) }
        emitComplete()
        if !comments.isEmpty { events.append(.comments(comments)) }
        comments = []
    }

    /// Lets go the exchange that waits for a time stamp.
    mutating func emitComplete() {
        if let exchange = complete { events.append(.exchange(exchange)) }
        complete = nil
    }

    private mutating func emitFieldOff() {
        events.append(.fieldOff)
        (afterLost, isInHeader) = (false, false)
    }

    private func missingResponse(_ what: String) -> TraceError {
        TraceError(
            .missingResponse, line: command?.line ?? line, reason: "this command has no response: \(what) before it")
    }
}

extension TraceLineParser {
    /// Whether a comment with this text could be read as something else, and so needs a second `#`.
    static func isMoreThanComment(_ text: String) -> Bool {
        let text = trimmed(text)
        return text.hasPrefix("#") || keyed(text) != nil || milliseconds(text) != nil
    }

    /// Without blanks at either end.
    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return bytes.drop(while: isBlank)
    }

    private static func trimmed(_ text: String) -> Substring {
        var text = text[...]
        while let last = text.utf8.last, isBlank(last) { text = Substring(text.utf8.dropLast()) }
        return Substring(text.utf8.drop(while: isBlank))
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// `KEY: value` with the key in capitals, digits, `-` and `_`.
    private static func keyed(_ text: Substring) -> (key: String, value: Substring)? {
        guard let colon = text.firstIndex(of: ":"), let first = text.utf8.first, (0x41...0x5A).contains(first) else {
            return nil
        }
        let key = text[..<colon]
        let isKey = key.utf8.allSatisfy {
            (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x5F
        }
        return isKey ? (String(key), trimmed(String(text[text.index(after: colon)...]))) : nil
    }

    /// `24ms` or `24 ms`.
    private static func milliseconds(_ text: Substring) -> Int? {
        guard text.hasSuffix("ms") else { return nil }
        let digits = trimmed(String(text.dropLast(2)))
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(digits)
    }
}
