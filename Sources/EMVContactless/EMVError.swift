// SPDX-License-Identifier: Apache-2.0

internal import BERTLV
public import ISO7816

/// Why a read could not go on: the card left, what it sent makes no sense, or the configuration is wrong.
///
/// What the specification foresees (declined, try another card, see phone) is an ``EMVOutcome``, not an error. The
/// texts hold no card data. Compare ``code``.
public struct EMVError: Error, Sendable {
    /// The kind of fault. Open: a later version may add codes.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// The code's name, stable over versions.
        public let rawValue: String
        /// A code by name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// No response came; ``EMVError/channelError`` says why.
        public static let channel = Code(rawValue: "channel")
        /// The card's data is not what the specification lets it be.
        public static let malformedCardData = Code(rawValue: "malformedCardData")
        /// A command would be longer than a short APDU holds.
        public static let commandTooLong = Code(rawValue: "commandTooLong")
        /// A key file or list that cannot be used.
        public static let invalidKeyFile = Code(rawValue: "invalidKeyFile")
        /// A setting that cannot be used.
        public static let configuration = Code(rawValue: "configuration")
    }

    /// What is wrong.
    public let code: Code
    /// What is wrong, in words.
    public let reason: String
    /// What to do about it, if that is known.
    public let hint: String?
    /// Bytes from the start of the data to what is wrong, where that is known.
    public let offset: Int?
    /// The transport's error, with code ``Code/channel``.
    public let channelError: CardChannelError?

    /// An error value.
    public init(
        _ code: Code, _ reason: String, hint: String? = nil, offset: Int? = nil, channelError: CardChannelError? = nil
    ) {
        (self.code, self.reason, self.hint) = (code, reason, hint)
        (self.offset, self.channelError) = (offset, channelError)
    }

    /// A transport error as it comes from a channel.
    public init(_ error: CardChannelError) {
        self.init(.channel, error.reason, hint: error.hint, channelError: error)
    }

    /// Bytes from a card that are no TLVs.
    init(_ error: TLVError, in what: String) {
        self.init(.malformedCardData, "\(what): \(error)", offset: error.offset)
    }
}

extension EMVError: CustomStringConvertible {
    /// The reason, with the hint if there is one.
    public var description: String { hint.map { "\(reason); \($0)" } ?? reason }
}
