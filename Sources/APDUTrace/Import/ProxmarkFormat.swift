// SPDX-License-Identifier: Apache-2.0

extension TraceImport.Format {
    /// Proxmark3's list of frames: `Start | End | Src | Data | CRC | Annotation` (proxmark3, doc/trace_notes.md and
    /// listings in its issues). Times are carrier periods, 1/13.56 MHz. `!` marks parity errors; long frames go on in
    /// lines without times.
    static let proxmark = TraceImport.Format(
        name: "Proxmark3", origin: "trace list -t 14a, hf 14a list",
        recognises: { text in
            text.hasLine { line in
                line.contains("|") && line.contains("Start") && line.contains("Src") && line.contains("Data")
            } || text.hasLine { FrameLine($0)?.isFromReader != nil }
        },
        parse: { (text) throws(TraceError) in try Proxmark.parse(text) })
}

/// One line of the list.
private struct FrameLine {
    let start: Int
    let end: Int
    /// nil in a line that goes on with the frame before.
    let isFromReader: Bool?
    let bytes: [UInt8]
    let isCRCWrong: Bool

    init?(_ line: Substring) {
        let columns = line.split(separator: "|", omittingEmptySubsequences: false).map { $0.trimming(" \t") }
        guard columns.count >= 5 else { return nil }
        let sources = ["Rdr": true, "Tag": false]
        guard columns[2].isEmpty || sources[String(columns[2])] != nil else { return nil }
        isFromReader = sources[String(columns[2])]
        // A list of issue or paste numbers may stand before the time.
        start = Int(columns[0].split(separator: " ").last ?? "") ?? -1
        end = Int(columns[1]) ?? -1
        guard isFromReader == nil ? columns[0].isEmpty && columns[1].isEmpty : start >= 0 && end >= 0 else {
            return nil
        }
        var bytes: [UInt8] = []
        for word in columns[3].split(separator: " ") {
            let digits = word.trimming("!'")
            // `26(7)`: a short frame of seven bits.
            guard digits.utf8.count == 2, let byte = UInt8(digits, radix: 16) else { break }
            bytes.append(byte)
        }
        guard !bytes.isEmpty || isFromReader != nil else { return nil }
        (self.bytes, isCRCWrong) = (bytes, columns[4].contains("!crc"))
    }
}

private struct Proxmark {
    private struct Frame {
        var bytes: [UInt8]
        var start: Int
        var end: Int
        var isFromReader: Bool
        var line: Int
    }

    static func parse(_ text: ImportText) throws(TraceError) -> APDUTrace {
        var frames: [Frame] = []
        for line in text.lines {
            guard let entry = FrameLine(line.text) else { continue }
            if let isFromReader = entry.isFromReader {
                frames.append(
                    Frame(
                        bytes: entry.bytes, start: entry.start, end: entry.end, isFromReader: isFromReader,
                        line: line.number))
            } else if !frames.isEmpty {
                frames[frames.count - 1].bytes += entry.bytes
            }
        }
        var protocolState = Proxmark()
        for frame in frames { try protocolState.take(frame) }
        return protocolState.builder.finish()
    }

    private var builder = TraceBuilder(source: "imported from a Proxmark3 list")
    /// Whether the protocol of APDUs is on: after RATS or ATTRIB, or the first block.
    private var awaitsATS = false
    private var isActive = false
    private var command: [UInt8] = []
    private var commandLine = 0
    private var commandEnd = 0
    private var answer: [UInt8] = []
    private var lastReader: [UInt8]?

    private mutating func take(_ frame: Frame) throws(TraceError) {
        guard frame.bytes.count >= 3, ISO14443.isCRCValid(frame.bytes) else {
            // Wake-up, anti-collision and noise. A new activation ends a tap.
            if frame.isFromReader, frame.bytes == [0x52] || frame.bytes == [0x26] || frame.bytes.first == 0x05 {
                end()
            }
            return
        }
        let block = Array(frame.bytes.dropLast(2))
        if frame.isFromReader, !isActive || block[0] == 0xE0 && block.count == 2 {
            // RATS (ISO/IEC 14443-4, 5.6.1); HALT and SELECT have no block's form.
            if block[0] == 0xE0, block.count == 2 {
                end()
                awaitsATS = true
                return
            }
            if [0x93, 0x95, 0x97, 0x50].contains(block[0]) { return }
        }
        if awaitsATS, !frame.isFromReader {
            (awaitsATS, isActive) = (false, true)
            return
        }
        guard let block = ISO14443.Block(block) else { return }
        isActive = true
        try take(block, frame)
    }

    private mutating func take(_ block: ISO14443.Block, _ frame: Frame) throws(TraceError) {
        // A block that is sent again counts once.
        switch (block.kind, frame.isFromReader) {
        case (.information, true):
            defer { lastReader = frame.bytes }
            if frame.bytes == lastReader, answer.isEmpty, builder.isWaiting { return }
            command += block.information
            if commandLine == 0 { commandLine = frame.line }
            guard !block.isChained else { return }
            if !command.isEmpty { try builder.command(command, line: commandLine) }
            (command, commandLine, commandEnd, answer) = ([], 0, frame.end, [])
        case (.information, false):
            guard builder.isWaiting else { return }
            answer += block.information
            guard !block.isChained else { return }
            let periods = max(0, frame.start - commandEnd)
            // 13.56 MHz: 13,560 periods are a millisecond.
            try builder.response(answer, line: frame.line, milliseconds: (periods + 6_780) / 13_560)
            answer = []
        case (.supervisory, true) where block.isDeselect: end()
        default: break
        }
    }

    private mutating func end() {
        builder.fieldOff()
        (isActive, awaitsATS, command, commandLine, answer, lastReader) = (false, false, [], 0, [], nil)
    }
}
