// SPDX-License-Identifier: Apache-2.0

/// The one seam: bytes to a card, bytes back.
///
/// A cable, an emulated phone, a recorded trace and a scripted test are interchangeable behind it, and every rule of
/// transport (61xx, 6Cxx, chaining, logging, recording) is a decorator of it.
///
/// Synchronous on purpose: nothing can slip between two APDUs of one exchange. A channel belongs to one thread at a
/// time, and to the scope that handed it out; when that scope ends, ``transmit(_:)`` throws.
public protocol CardChannel {
    /// Sends one command and waits for its response.
    ///
    /// - Parameter command: 4 to 65,544 bytes.
    /// - Returns: the response, at least 2 bytes, status word last. Any status word is a response, not an error.
    /// - Throws: ``CardChannelError`` when no response came: the card left, the reader or its service is gone, a
    ///   deadline passed.
    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8]
}

extension CardChannel {
    /// Sends a command as a value and takes the response as one.
    public func transmit(_ command: CommandAPDU) throws(CardChannelError) -> ResponseAPDU {
        let bytes = try transmit(command.bytes)
        do {
            return try ResponseAPDU(bytes)
        } catch {
            // Fewer than two bytes is how PC/SC reports a card that left in the middle of a transmit.
            throw CardChannelError(.cardGone, reason: "the card answered \(bytes.count) bytes: it left the field")
        }
    }
}

/// Why no response came from a card. Compare ``code``; the texts are for people.
public struct CardChannelError: Error, Sendable {
    /// The kind of fault. Open: a later version may add codes.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// The code's name, stable over versions.
        public let rawValue: String
        /// A code by name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The card left the field, or was swapped for another.
        public static let cardGone = Code(rawValue: "cardGone")
        /// No card came in time, or there is none.
        public static let noCard = Code(rawValue: "noCard")
        /// The reader was unplugged, or there is none by that name.
        public static let readerGone = Code(rawValue: "readerGone")
        /// The smart card service is not running, died or refuses us.
        public static let serviceGone = Code(rawValue: "serviceGone")
        /// The caller, or the cancellation of its task, ended the wait.
        public static let cancelled = Code(rawValue: "cancelled")
        /// A deadline passed; a stuck transmit is abandoned, not waited for.
        public static let timedOut = Code(rawValue: "timedOut")
        /// Another program holds the card, or reset it.
        public static let interfered = Code(rawValue: "interfered")
        /// A recorded exchange and the command sent do not agree.
        public static let mismatch = Code(rawValue: "mismatch")
        /// The channel cannot carry this command or answer (too long, too short, scope over).
        public static let unsupported = Code(rawValue: "unsupported")
        /// Anything else.
        public static let other = Code(rawValue: "other")
    }

    /// What happened.
    public let code: Code
    /// What happened, in words; no card data in it.
    public let reason: String
    /// What the person can do about it, if anything.
    public let hint: String?
    /// The transport's own code, such as a PC/SC `SCARD_E_…` value.
    public let rawCode: UInt32?

    /// An error value.
    public init(_ code: Code, reason: String, hint: String? = nil, rawCode: UInt32? = nil) {
        (self.code, self.reason, self.hint, self.rawCode) = (code, reason, hint, rawCode)
    }
}

extension CardChannelError: CustomStringConvertible {
    /// The reason alone; the hint is for a line of its own.
    public var description: String { reason }
}
