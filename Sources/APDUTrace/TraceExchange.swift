// SPDX-License-Identifier: Apache-2.0

/// One command and what the card answered.
public struct TraceExchange: Sendable {
    /// The command, 4 to 65,544 bytes.
    public var command: [UInt8]
    /// The response, at least 2 bytes; empty only in a ``TraceRedaction`` for a command that was never answered.
    public var response: [UInt8]
    /// How long the card took, in milliseconds, when it was measured.
    public var milliseconds: Int?
    /// What the `#` lines before the command say, without the `#`.
    public var comments: [String]
    /// The line of the command in the text it was read from, counted from 1; 0 for one that was not read.
    public internal(set) var line: Int

    /// An exchange made by hand or recorded.
    public init(command: [UInt8], response: [UInt8], milliseconds: Int? = nil, comments: [String] = []) {
        (self.command, self.response, self.milliseconds, self.comments) = (command, response, milliseconds, comments)
        line = 0
    }
}

extension TraceExchange: Hashable {
    /// Equal in all but the line.
    public static func == (a: TraceExchange, b: TraceExchange) -> Bool {
        a.command == b.command && a.response == b.response && a.milliseconds == b.milliseconds
            && a.comments == b.comments
    }

    /// Agrees with `==`.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(command)
        hasher.combine(response)
    }
}

/// A command that the card never answered, because it left the field: the line `# LOST: <command>`.
///
/// apdu4j's grammar has no word for it; as a comment line it does not disturb other readers of the format.
public struct LostCommand: Sendable, Hashable {
    /// The command, 4 to 65,544 bytes.
    public var command: [UInt8]
    /// What the `#` lines before it say.
    public var comments: [String]
    /// The line in the text it was read from; 0 for one that was not read.
    public internal(set) var line: Int

    /// A lost command.
    public init(command: [UInt8], comments: [String] = []) {
        (self.command, self.comments, line) = (command, comments, 0)
    }

    /// Equal in all but the line.
    public static func == (a: LostCommand, b: LostCommand) -> Bool {
        a.command == b.command && a.comments == b.comments
    }

    /// Agrees with `==`.
    public func hash(into hasher: inout Hasher) { hasher.combine(command) }
}
