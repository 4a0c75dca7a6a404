// SPDX-License-Identifier: Apache-2.0

internal import GRDB

/// Why the outbox did not do what it was asked. Compare ``code``; the texts are for people, and hold no data of a tap.
public struct OutboxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure. Open: a later version may add codes.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// The code's name, stable over versions.
        public let rawValue: String
        /// A code by name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Another process has the outbox, or keeps it locked for long.
        public static let busy = Code(rawValue: "busy")
        /// The disk takes no more. What was asked is not done at all; it works again when there is room.
        public static let full = Code(rawValue: "full")
        /// The directory or one of its files may not be used.
        public static let notAllowed = Code(rawValue: "notAllowed")
        /// There is no outbox here.
        public static let notFound = Code(rawValue: "notFound")
        /// The file was written by a newer version.
        public static let unsuitable = Code(rawValue: "unsuitable")
        /// The file is damaged, or no database.
        public static let damaged = Code(rawValue: "damaged")
        /// The tap is in the outbox already.
        public static let duplicate = Code(rawValue: "duplicate")
        /// This outbox was opened to look after it, not to commit taps.
        public static let notTheCounter = Code(rawValue: "notTheCounter")
        /// An event is larger than any reader of events takes.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// A file that would be overwritten.
        public static let exists = Code(rawValue: "exists")
        /// Anything else.
        public static let failed = Code(rawValue: "failed")
    }

    /// What kind of failure.
    public let code: Code
    /// What is wrong, in one sentence without a full stop.
    public let reason: String
    /// What to do next.
    public let hint: String?

    /// An error from its parts.
    public init(_ code: Code, _ reason: String, hint: String? = nil) {
        (self.code, self.reason, self.hint) = (code, reason, hint)
    }

    /// The reason, with the hint.
    public var description: String { hint.map { "\(reason) (\($0))" } ?? reason }
}

extension OutboxError {
    /// SQLite's codes (https://www.sqlite.org/rescode.html) by what they mean for an outbox.
    private static let codes: [(ResultCode, Code)] = [
        (.SQLITE_BUSY, .busy), (.SQLITE_LOCKED, .busy), (.SQLITE_FULL, .full), (.SQLITE_PERM, .notAllowed),
        (.SQLITE_READONLY, .notAllowed), (.SQLITE_CANTOPEN, .notAllowed), (.SQLITE_AUTH, .notAllowed),
        (.SQLITE_CORRUPT, .damaged), (.SQLITE_NOTADB, .damaged),
    ]

    /// SQLITE_IOERR_WRITE, _FSYNC, _SHMSIZE: a disk that is full, over a quota or over a limit of the process.
    private static let fullCodes: Set<Int32> = [778, 1034, 4874]

    private static let hints: [Code: String] = [
        .full: "make room on the disk; nothing is lost, and it goes on by itself",
        .busy: "try again in a moment",
        .damaged: "put back a backup, or move the file away; keep it, for it may hold taps that nobody has yet",
    ]

    /// What SQLite or a layer of ours said. Never a statement or its arguments, which hold data of taps.
    init(_ error: any Error) {
        if let error = error as? OutboxError {
            self = error
            return
        }
        guard let error = error as? DatabaseError else {
            self.init(.failed, "the outbox failed: \(type(of: error))")
            return
        }
        let extended = error.extendedResultCode.rawValue
        let known = Self.codes.first { $0.0 == error.resultCode }?.1
        let code = Self.fullCodes.contains(extended) ? .full : known ?? .failed
        let words = code == .full ? "the disk takes no more" : error.message ?? "no message"
        self.init(code, "the outbox cannot be used: \(words) (SQLite \(extended))", hint: Self.hints[code])
    }
}
