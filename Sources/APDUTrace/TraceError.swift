// SPDX-License-Identifier: Apache-2.0

/// Why a text is not a trace, and in which line. Compare ``code``; the text is for people and holds no card data.
public struct TraceError: Error, Hashable, Sendable {
    /// The kind of fault. Open: a later version may add codes.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// The code's name, stable over versions.
        public let rawValue: String
        /// A code by name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A line is neither hex nor a `#` line.
        public static let notHex = Code(rawValue: "notHex")
        /// A hex line ends after half a byte.
        public static let oddHex = Code(rawValue: "oddHex")
        /// A command line is not an APDU.
        public static let notACommand = Code(rawValue: "notACommand")
        /// A response line has fewer than two bytes.
        public static let shortResponse = Code(rawValue: "shortResponse")
        /// A command stands alone: the trace, or the tap, ends before its response.
        public static let missingResponse = Code(rawValue: "missingResponse")
        /// A line is longer than any APDU can be.
        public static let lineTooLong = Code(rawValue: "lineTooLong")
        /// A comment is not UTF-8.
        public static let notUTF8 = Code(rawValue: "notUTF8")
        /// The file cannot be read.
        public static let unreadableFile = Code(rawValue: "unreadableFile")
    }

    /// What is wrong.
    public let code: Code
    /// The line, counted from 1; 0 when the file itself could not be read.
    public let line: Int
    /// What is wrong, in words.
    public let reason: String

    init(_ code: Code, line: Int, reason: String) { (self.code, self.line, self.reason) = (code, line, reason) }
}

extension TraceError: CustomStringConvertible {
    /// The reason with its line.
    public var description: String { line > 0 ? "trace, line \(line): \(reason)" : "trace: \(reason)" }
}
