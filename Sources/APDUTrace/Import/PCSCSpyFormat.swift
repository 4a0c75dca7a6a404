// SPDX-License-Identifier: Apache-2.0

extension TraceImport.Format {
    /// The log of libpcscspy as it comes out of its pipe: `THREAD@>|seconds|microseconds|function`, parameters,
    /// `THREAD@<|…` (pcsc-lite, `libpcscspy.c`).
    static let pcscSpyRaw = TraceImport.Format(
        name: "pcsc-spy (raw)", origin: "the pipe or log file of libpcscspy",
        recognises: { text in text.hasLine { $0.contains("@>|") && $0.contains("|SCard") } },
        parse: { (text) throws(TraceError) in try SpyRaw.parse(text) })

    /// What pcsc-spy makes of it for people, with or without `--diffable`.
    static let pcscSpy = TraceImport.Format(
        name: "pcsc-spy", origin: "pcsc-spy, or pcsc-spy --diffable",
        recognises: { text in
            text.hasLine { $0.trimming(" \t") == "SCardTransmit" || $0.trimming(" \t") == "SCardConnect" }
        },
        parse: { (text) throws(TraceError) in try SpyText.parse(text) })
}

private enum SpyRaw {
    /// What a thread is doing; threads' lines may be mixed.
    struct Call {
        var name = ""
        var start = 0
        var parameters: [(text: Substring, line: Int)] = []
    }

    static func parse(_ text: ImportText) throws(TraceError) -> APDUTrace {
        var builder = TraceBuilder(source: "imported from pcsc-spy")
        var calls: [Substring: Call] = [:]
        for line in text.lines {
            guard let at = line.text.firstIndex(of: "@") else { continue }
            let thread = line.text[..<at]
            let body = line.text[line.text.index(after: at)...]
            if body.hasPrefix(">|") {
                let fields = body.split(separator: "|", omittingEmptySubsequences: false)
                guard fields.count >= 4 else { throw unexpected(line) }
                calls[thread] = Call(name: String(fields[3]), start: time(fields))
            } else if body.hasPrefix("<|") {
                let fields = body.split(separator: "|", omittingEmptySubsequences: false)
                guard fields.count >= 4 else { throw unexpected(line) }
                guard let call = calls.removeValue(forKey: thread) else { continue }
                try end(call, microseconds: time(fields) - call.start, &builder)
            } else {
                calls[thread]?.parameters.append((body, line.number))
            }
        }
        return builder.finish()
    }

    private static func time(_ fields: [Substring]) -> Int {
        let (seconds, microseconds) = (Int(fields[1]) ?? 0, Int(fields[2]) ?? 0)
        return (seconds % 1_000_000_000) * 1_000_000 + min(max(microseconds, 0), 1_000_000)
    }

    private static func unexpected(_ line: ImportText.Line) -> TraceError {
        TraceError(.unexpectedLine, line: line.number, reason: "this line of pcsc-spy's log is cut short")
    }

    /// Handle, protocol, its size, send length, command, protocol, its size, receive length, answer.
    private static func end(_ call: Call, microseconds: Int, _ builder: inout TraceBuilder) throws(TraceError) {
        switch call.name {
        case "SCardTransmit":
            guard call.parameters.count >= 5 else { return }
            let sent = call.parameters[4]
            try builder.command(try ImportHex.bytes(sent.text, line: sent.line), line: sent.line)
            let answer = call.parameters.count >= 9 ? call.parameters[8] : (text: Substring(""), line: sent.line)
            try builder.response(
                try ImportHex.bytes(answer.text, line: answer.line), line: answer.line,
                milliseconds: max(0, microseconds + 500) / 1000)
        case "SCardConnect", "SCardReconnect", "SCardDisconnect": builder.fieldOff()
        case "SCardStatus", "SCardGetStatusChange":
            let atr = call.parameters.last { $0.text.hasPrefix("3B ") || $0.text.hasPrefix("3F ") }
            if let atr { builder.cardCame(atr: (try? ImportHex.bytes(atr.text, line: atr.line)) ?? []) }
        default: break
        }
    }
}

private enum SpyText {
    private enum Buffer { case none, sent, received }

    static func parse(_ text: ImportText) throws(TraceError) -> APDUTrace {
        var builder = TraceBuilder(source: "imported from pcsc-spy")
        var (isTransmit, buffer) = (false, Buffer.none)
        var (sent, received): ([UInt8], [UInt8]) = ([], [])
        var line1 = 0
        for line in text.lines {
            let words = line.text.trimming(" \t")
            if words.hasPrefix("SCard") {
                isTransmit = words == "SCardTransmit"
                (sent, received, buffer, line1) = ([], [], .none, line.number)
                if ["SCardConnect", "SCardReconnect", "SCardDisconnect"].contains(words) { builder.fieldOff() }
            } else if words.hasPrefix("i bSendBuffer") {
                buffer = .sent
            } else if words.hasPrefix("o bRecvBuffer") {
                buffer = .received
            } else if words.hasPrefix("=>") {
                if isTransmit, !sent.isEmpty {
                    try builder.command(sent, line: line1)
                    try builder.response(received, line: line.number, milliseconds: milliseconds(words))
                }
                (isTransmit, buffer) = (false, .none)
            } else if let range = words.firstRange(of: "Atr: ") {
                builder.cardCame(atr: ImportHex.leading(words[range.upperBound...]))
            } else if isTransmit, buffer != .none {
                guard let bytes = dump(words) else {
                    buffer = .none
                    continue
                }
                if buffer == .sent { sent += bytes } else { received += bytes }
            }
        }
        return builder.finish()
    }

    /// `i  0010 CA 67 … text`: offset, up to 16 bytes in columns of three, text.
    private static func dump(_ words: Substring) -> [UInt8]? {
        guard words.hasPrefix("i ") || words.hasPrefix("o ") else { return nil }
        let rest = words.dropFirst(2).drop { $0 == " " }
        guard rest.prefix(4).utf8.count == 4, rest.prefix(4).allSatisfy(\.isHexDigit) else { return nil }
        return ImportHex.leading(rest.dropFirst(4).prefix(49))
    }

    /// `[0.000140]` in seconds; `[??.??]` in the diffable form.
    private static func milliseconds(_ words: Substring) -> Int? {
        guard let open = words.lastIndex(of: "["), let seconds = Double(words[open...].trimming("[]")),
            seconds >= 0, seconds < 1_000_000
        else { return nil }
        return Int((seconds * 1000).rounded())
    }
}
