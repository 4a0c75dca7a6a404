// SPDX-License-Identifier: Apache-2.0

/// Everything that is wrong with a configuration, as far as it can be told at once.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One thing that is wrong.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// The kind of fault.
        public let code: Code
        /// Where the value came from.
        public let origin: SettingOrigin
        /// The setting, such as `http.listen` or `sink[0].url`; nil when the fault is not one setting's.
        public let key: String?
        /// What is wrong, in one sentence without a full stop and without a secret.
        public let reason: String
        /// What to do about it.
        public let hint: String?

        /// A fault from its parts.
        public init(_ code: Code, at origin: SettingOrigin, key: String? = nil, _ reason: String, hint: String? = nil) {
            (self.code, self.origin, self.key, self.reason, self.hint) = (code, origin, key, reason, hint)
        }

        /// `FILE:LINE:COLUMN: key: reason`; a flag or a variable stands in the place of the file.
        public var description: String {
            [origin.description, key, reason].compactMap(\.self).joined(separator: ": ")
        }
    }

    /// The kind of a fault. Open: a later version may add codes.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// The code's name, stable over versions.
        public let rawValue: String
        /// A code by name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A file that cannot be read.
        public static let unreadableFile = Code(rawValue: "unreadableFile")
        /// A file that others can read although it holds a secret.
        public static let filePermissions = Code(rawValue: "filePermissions")
        /// A file that is not TOML.
        public static let invalidSyntax = Code(rawValue: "invalidSyntax")
        /// A key or a table that does not exist.
        public static let unknownKey = Code(rawValue: "unknownKey")
        /// A setting that is needed and not there.
        public static let missingKey = Code(rawValue: "missingKey")
        /// A value that cannot be used.
        public static let invalidValue = Code(rawValue: "invalidValue")
        /// A secret that stands in the file itself.
        public static let inlineSecret = Code(rawValue: "inlineSecret")
    }

    /// The faults, by line; at least one.
    public let problems: [Problem]

    /// An error from its faults.
    public init(_ problems: [Problem]) { self.problems = problems }

    /// All faults, a line each.
    public var description: String {
        problems.map { problem in problem.description + (problem.hint.map { "; \($0)" } ?? "") }
            .joined(separator: "\n")
    }
}
