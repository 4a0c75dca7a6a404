// SPDX-License-Identifier: Apache-2.0

/// Why a broker or a database could not be used.
public struct BrokerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is. Open: a later version may add codes.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// The code's name.
        public let rawValue: String
        /// A code by name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Nobody answered, or the connection was lost.
        public static let unreachable = Code(rawValue: "unreachable")
        /// The other side does not let us in, or does not let us do this.
        public static let denied = Code(rawValue: "denied")
        /// No answer in time.
        public static let timedOut = Code(rawValue: "timedOut")
        /// Somebody asked us to stop.
        public static let stopped = Code(rawValue: "stopped")
        /// What was asked for is not there, such as a stream.
        public static let notFound = Code(rawValue: "notFound")
        /// A setting cannot be used.
        public static let invalidSetting = Code(rawValue: "invalidSetting")
        /// The server answered with an error.
        public static let refused = Code(rawValue: "refused")
        /// One value does not fit; trying again would not help.
        public static let invalidData = Code(rawValue: "invalidData")
    }

    /// What kind of failure it is.
    public let code: Code
    /// What happened, in one sentence without a full stop and without a secret.
    public let reason: String
    /// What to do next.
    public let hint: String?

    /// An error from its parts.
    public init(_ code: Code, _ reason: String, hint: String? = nil) {
        (self.code, self.reason, self.hint) = (code, reason, hint)
    }

    /// Code and reason.
    public var description: String { "\(code.rawValue): \(reason)" }
}
