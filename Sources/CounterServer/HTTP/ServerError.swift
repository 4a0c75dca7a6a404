// SPDX-License-Identifier: Apache-2.0

/// Why a service does not start. Compare ``code``; the texts are for people.
public struct ServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault. Open: a later version may add codes.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// The code's name, stable over versions.
        public let rawValue: String
        /// A code by name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A text that is no address to listen at.
        public static let invalidAddress = Code(rawValue: "invalidAddress")
        /// Others could reach the service, and it would answer everybody.
        public static let exposed = Code(rawValue: "exposed")
        /// Certificate or key cannot be used.
        public static let invalidTLS = Code(rawValue: "invalidTLS")
        /// Nothing can listen at the address.
        public static let unavailable = Code(rawValue: "unavailable")
    }

    /// What is wrong.
    public let code: Code
    /// What is wrong, in one sentence without a full stop.
    public let reason: String
    /// What to do about it, if that is known.
    public let hint: String?

    /// An error value.
    public init(_ code: Code, _ reason: String, hint: String? = nil) {
        (self.code, self.reason, self.hint) = (code, reason, hint)
    }

    /// The reason, with the hint if there is one.
    public var description: String { reason + (hint.map { "; \($0)" } ?? "") }
}
