// SPDX-License-Identifier: Apache-2.0

public import ISO7816

/// Why a tap could not be read to its end, with everything that was read before.
///
/// Compare ``code``; the texts are for people.
public struct VASError: Error, Sendable, CustomStringConvertible {
    /// The kind of fault. Open: a later version may add codes.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// The code's name, stable over versions.
        public let rawValue: String
        /// A code by name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The channel failed; ``VASError/cause`` tells how.
        public static let interrupted = Code(rawValue: "interrupted")
        /// A merchant that no command can carry; nothing was sent.
        public static let invalidRequest = Code(rawValue: "invalidRequest")
    }

    /// What happened.
    public let code: Code
    /// What happened, in words; no pass data in it.
    public let reason: String
    /// What the person can do about it, if anything.
    public let hint: String?
    /// The channel's error when the code is `interrupted`.
    public let cause: CardChannelError?
    /// What the phone said of itself, when it got that far.
    public let selection: VASSelection?
    /// The answers before the interruption, in order: a phone hands out each pass once per authentication, so these
    /// will not come again.
    public let entries: [VASEntry]
    /// The merchants without an answer, in order.
    public let unread: [VASMerchant]

    init(_ code: Code, reason: String, hint: String? = nil) {
        (self.code, self.reason, self.hint, cause, selection, entries, unread) = (code, reason, hint, nil, nil, [], [])
    }

    init(_ cause: CardChannelError, selection: VASSelection?, entries: [VASEntry], unread: [VASMerchant]) {
        (code, reason, hint, self.cause) = (.interrupted, cause.reason, cause.hint, cause)
        (self.selection, self.entries, self.unread) = (selection, entries, unread)
    }

    /// The reason.
    public var description: String { reason }
}
