// SPDX-License-Identifier: Apache-2.0

/// A value that a flag of the command line gave.
public struct SettingOverride: Hashable, Sendable {
    /// The setting, such as `http.listen`.
    public let key: String
    /// What the flag said.
    public let text: String
    /// The flag, such as `--listen`.
    public let flag: String

    /// A value from its parts.
    public init(_ key: String, _ text: String, flag: String) { (self.key, self.text, self.flag) = (key, text, flag) }
}
