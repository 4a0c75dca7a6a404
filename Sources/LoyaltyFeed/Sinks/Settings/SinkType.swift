// SPDX-License-Identifier: Apache-2.0

/// One key of a sink's table.
public struct SinkSetting: Sendable {
    /// The key, such as `secret_file`.
    public let key: String
    /// What its value looks like.
    public let kind: SettingKind
    /// Whether a table without it is refused.
    public let isRequired: Bool
    /// What holds when it is not there.
    public let fallback: SettingValue?
    /// What it is for, in a few words.
    public let help: String

    /// A key from its parts.
    public init(
        _ key: String, _ kind: SettingKind, required: Bool = false, default fallback: SettingValue? = nil,
        _ help: String
    ) {
        (self.key, self.kind, self.isRequired, self.fallback, self.help) = (key, kind, required, fallback, help)
    }
}

/// A type of sink: what `type = "…"` in a `[[sink]]` table may say.
public struct SinkType: Sendable {
    /// The name in the configuration.
    public let name: String
    /// What it is, in one line.
    public let help: String
    /// The document that its wire format comes from.
    public let source: String
    /// The keys beyond ``SinkFactory/common``.
    public let settings: [SinkSetting]
    /// Makes a sink of this type from settings that were checked against ``settings``. Opens no connection.
    public let make: @Sendable (SinkSettings) throws(SettingError) -> any Sink

    /// A type from its parts.
    public init(
        _ name: String, help: String, source: String, settings: [SinkSetting],
        make: @escaping @Sendable (SinkSettings) throws(SettingError) -> any Sink
    ) {
        (self.name, self.help, self.source, self.settings, self.make) = (name, help, source, settings, make)
    }
}
