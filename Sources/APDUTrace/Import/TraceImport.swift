// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Reads what other tools print about a conversation with a card.
///
/// Which tool's text it is, is seen from its content. An imported trace is redacted like a recorded one, unless it is
/// told otherwise.
public struct TraceImport: Sendable {
    /// A kind of text and how to read it.
    public struct Format: Sendable {
        /// The tool's name.
        public let name: String
        /// What makes the tool print it.
        public let origin: String
        /// Whether a text looks like this tool's.
        let recognises: @Sendable (ImportText) -> Bool
        /// Reads the text.
        let parse: @Sendable (ImportText) throws(TraceError) -> APDUTrace
    }

    /// All formats, in the order in which they are tried.
    public static let formats: [Format] = [
        .jsonTrace, .pcscSpyRaw, .pcscSpy, .pcscd, .proxmark, .openscTool, .scriptor, .apduLog, .pyscard, .apdu,
    ]

    /// The trace.
    public let trace: APDUTrace
    /// Which format it was.
    public let format: String

    /// The most that is read: as much as 100,000 exchanges take in the longest format.
    public static let maximumSize = 256 << 20

    /// Reads a text.
    ///
    /// - Throws: `unknownFormat` for a text that is no format's; the other codes name a line.
    public init(
        _ bytes: [UInt8], redactor: TraceRedactor? = .standard
    ) throws(TraceError) {
        let text = ImportText(bytes)
        guard let format = Self.formats.first(where: { $0.recognises(text) }) else {
            throw TraceError(
                .unknownFormat, line: 0,
                reason: "this is no text of \(Self.formats.map(\.name).joined(separator: ", "))")
        }
        let trace = try format.parse(text)
        guard !trace.taps.isEmpty else {
            throw TraceError(.unknownFormat, line: 0, reason: "this text of \(format.name) holds no command")
        }
        self.format = format.name
        self.trace = redactor.map { $0.redact(trace) } ?? trace
    }

    /// Reads a file.
    public init(file path: String, redactor: TraceRedactor? = .standard) throws(TraceError) {
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw TraceError(.unreadableFile, line: 0, reason: "cannot be read: \(error.localizedDescription)")
        }
        try self.init(Array(data), redactor: redactor)
    }
}

extension TraceError.Code {
    /// A text of no known format.
    public static let unknownFormat = TraceError.Code(rawValue: "unknownFormat")
    /// A line is not what the format has in this place.
    public static let unexpectedLine = TraceError.Code(rawValue: "unexpectedLine")
}

/// A text with its lines, without colours and carriage returns.
struct ImportText: Sendable {
    /// One line with its number, counted from 1.
    struct Line: Sendable {
        let number: Int
        let text: Substring
    }

    let bytes: [UInt8]
    let lines: [Line]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        let text = String(decoding: Self.withoutColour(bytes), as: UTF8.self)
        lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated().map { index, line in
            Line(number: index + 1, text: Substring(line))
        }
    }

    /// Whether one of the first lines is like this.
    func hasLine(within count: Int = 2000, _ matches: (Substring) -> Bool) -> Bool {
        lines.prefix(count).contains { matches($0.text) }
    }

    /// Without `ESC [ … letter` (ECMA-48, 5.4) and carriage returns.
    private static func withoutColour(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(where: { $0 == 0x1B || $0 == 0x0D }) else { return bytes }
        var (result, index): ([UInt8], Int) = ([], 0)
        result.reserveCapacity(bytes.count)
        while index < bytes.count {
            if bytes[index] == 0x1B, index + 1 < bytes.count, bytes[index + 1] == 0x5B {
                index += 2
                while index < bytes.count, !(0x40...0x7E).contains(bytes[index]) { index += 1 }
            } else if bytes[index] != 0x0D {
                result.append(bytes[index])
            }
            index += 1
        }
        return result
    }
}
