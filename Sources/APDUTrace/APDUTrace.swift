// SPDX-License-Identifier: Apache-2.0

/// A recorded conversation with cards: what the recorder writes, the replayer reads and the tests discover.
///
/// The text is apdu4j's dump format (github.com/martinpaljak/apdu4j, `DumpFormat`): `#` lines are header and comments,
/// then command and response as alternating hex lines. `# FIELD: off` divides taps. See `apdu-traces/README.md`.
public struct APDUTrace: Sendable, Hashable {
    /// One stay of a card in the field.
    public struct Tap: Sendable, Hashable {
        /// What was said, in order.
        public var exchanges: [TraceExchange]
        /// The last command, when the card left instead of answering it.
        public var lost: LostCommand?
        /// Comments after the last exchange.
        public var closingComments: [String]

        /// A tap.
        public init(exchanges: [TraceExchange] = [], lost: LostCommand? = nil, closingComments: [String] = []) {
            (self.exchanges, self.lost, self.closingComments) = (exchanges, lost, closingComments)
        }

        var isEmpty: Bool { exchanges.isEmpty && lost == nil && closingComments.isEmpty }
    }

    /// The lines at the head.
    public var header: TraceHeader
    /// The taps, in order; none is empty.
    public var taps: [Tap]

    /// A trace made by hand.
    public init(header: TraceHeader = TraceHeader(), taps: [Tap] = []) { (self.header, self.taps) = (header, taps) }

    /// All exchanges of all taps.
    public var exchanges: [TraceExchange] { taps.flatMap(\.exchanges) }

    /// Reads a whole text.
    public init(parsing text: String) throws(TraceError) { try self.init(parsing: Array(text.utf8)) }

    /// Reads a whole text as bytes, which must be UTF-8.
    public init(parsing bytes: [UInt8]) throws(TraceError) {
        var stream = TraceStream(bytes: bytes)
        try self.init(reading: &stream)
    }

    /// Reads a whole file; use ``TraceStream`` for one that may be too large for memory.
    public init(file path: String) throws(TraceError) {
        var stream = try TraceStream(file: path)
        try self.init(reading: &stream)
    }

    /// Reads what is left of a stream.
    public init(reading stream: inout TraceStream) throws(TraceError) {
        self.init()
        var tap = Tap()
        while let event = try stream.next() {
            switch event {
            case .header(let line): header.lines.append(line)
            case .exchange(let exchange): tap.exchanges.append(exchange)
            case .lost(let command): tap.lost = command
            case .comments(let comments): tap.closingComments += comments
            case .fieldOff:
                if !tap.isEmpty { taps.append(tap) }
                tap = Tap()
            }
        }
        if !tap.isEmpty { taps.append(tap) }
    }
}
