// SPDX-License-Identifier: Apache-2.0

internal import ISO7816

/// The `#` lines at the head of a trace, in order.
///
/// `# KEY: value` lines and free comments. A key is in capitals; the same key may stand several times.
public struct TraceHeader: Sendable, Hashable {
    /// One line of it.
    public struct Line: Sendable, Hashable {
        /// The key in capitals, nil for a comment.
        public var key: String?
        /// The value, or the comment.
        public var text: String

        /// A line.
        public init(key: String?, text: String) { (self.key, self.text) = (key, text) }
    }

    /// All lines, in the order of the text.
    public var lines: [Line]

    /// A header of these lines.
    public init(_ lines: [Line] = []) { self.lines = lines }

    /// The first value of a key; setting replaces all values of it, nil removes them.
    public subscript(key: String) -> String? {
        get { lines.first { $0.key == key }?.text }
        set {
            let place = lines.firstIndex { $0.key == key } ?? lines.endIndex
            lines.removeAll { $0.key == key }
            if let newValue { lines.insert(Line(key: key, text: newValue), at: min(place, lines.endIndex)) }
        }
    }

    /// All values of a key, in order.
    public func values(_ key: String) -> [String] { lines.filter { $0.key == key }.map(\.text) }

    /// `# WHAT:`, the case in a sentence.
    public var what: String? {
        get { self["WHAT"] }
        set { self["WHAT"] = newValue }
    }

    /// `# EXPECT:` lines, what a terminal makes of the trace.
    public var expectations: [String] { values("EXPECT") }

    /// `# SOURCE:`, recorded or synthetic, and by what.
    public var source: String? {
        get { self["SOURCE"] }
        set { self["SOURCE"] = newValue }
    }

    /// `# PROTOCOL:`, such as `T=1`.
    public var transmissionProtocol: String? {
        get { self["PROTOCOL"] }
        set { self["PROTOCOL"] = newValue }
    }

    /// `# ATR:`, the card's answer to reset; nil when there is none or it is not hex.
    public var atr: [UInt8]? {
        get { self["ATR"].flatMap { try? Hex.decode($0) } }
        set { self["ATR"] = newValue.map { Hex.encode($0) } }
    }
}
