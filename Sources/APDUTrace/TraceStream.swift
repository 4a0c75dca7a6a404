// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Reads a trace one event at a time, in constant memory: about one line and one exchange are held.
///
/// After an error it is over. Not thread-safe.
public struct TraceStream {
    /// The longest line that is taken: the longest APDU in hex with as many blanks again.
    public static let maximumLineLength = 262_144

    private let source: (_ count: Int) throws -> [UInt8]
    private var buffer: [UInt8] = []
    private var position = 0
    private var lines = 0
    private var isAtEnd = false
    private var isOver = false
    /// Thrown after what came before it.
    private var failure: TraceError?
    private var parser = TraceLineParser()

    /// A stream over bytes at hand.
    public init(bytes: [UInt8]) {
        source = { _ in [] }
        (buffer, isAtEnd) = (bytes, true)
        skipByteOrderMark()
    }

    /// A stream over a file, which is closed when the stream goes.
    public init(file path: String) throws(TraceError) {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw TraceError(.unreadableFile, line: 0, reason: "cannot open \(path)")
        }
        source = { count in Array(try file.read(upToCount: count) ?? Data()) }
        try fill()
        skipByteOrderMark()
    }

    /// The next event; nil when all is read.
    public mutating func next() throws(TraceError) -> TraceEvent? {
        while true {
            if let event = parser.popEvent() { return event }
            if let failure {
                self.failure = nil
                throw failure
            }
            if isOver { return nil }
            do {
                if let line = try nextLine() {
                    try parser.take(line)
                } else {
                    isOver = true
                    try parser.finish()
                }
            } catch {
                isOver = true
                failure = error
                parser.emitComplete()
            }
        }
    }

    private mutating func nextLine() throws(TraceError) -> ArraySlice<UInt8>? {
        var searched = position
        while true {
            if let end = buffer[searched...].firstIndex(of: 0x0A) {
                defer { position = end + 1 }
                return try line(position..<end)
            }
            searched = buffer.count
            guard !isAtEnd else {
                guard position < buffer.count else { return nil }
                defer { position = buffer.count }
                return try line(position..<buffer.count)
            }
            guard buffer.count - position <= Self.maximumLineLength else { throw tooLong() }
            searched -= position
            try fill()
        }
    }

    private mutating func line(_ range: Range<Int>) throws(TraceError) -> ArraySlice<UInt8> {
        guard range.count <= Self.maximumLineLength else { throw tooLong() }
        lines += 1
        return buffer[range]
    }

    /// Drops what is read and appends the next piece of the source.
    private mutating func fill() throws(TraceError) {
        buffer.removeFirst(position)
        position = 0
        do {
            let piece = try source(65_536)
            isAtEnd = piece.isEmpty
            buffer += piece
        } catch {
            throw TraceError(.unreadableFile, line: lines, reason: "cannot read on: \(error.localizedDescription)")
        }
    }

    private mutating func skipByteOrderMark() {
        if buffer.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    private func tooLong() -> TraceError {
        TraceError(.lineTooLong, line: lines + 1, reason: "a line is longer than any APDU")
    }
}
