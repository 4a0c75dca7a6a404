// SPDX-License-Identifier: Apache-2.0

/// A value of a configuration file, whatever format the file has.
public indirect enum SettingValue: Hashable, Sendable {
    case string(String)
    case integer(Int)
    case double(Double)
    case boolean(Bool)
    case array([SettingValue])
    case table([String: SettingValue])
}

/// A setting that cannot be used. Who read the file knows the line of ``key``.
public struct SettingError: Error, Hashable, Sendable {
    /// The key in its table, such as `secret_file`.
    public let key: String
    /// What is wrong, in one sentence without a full stop.
    public let reason: String
    /// What to do next.
    public let hint: String?

    /// An error from its parts.
    public init(_ key: String, _ reason: String, hint: String? = nil) {
        (self.key, self.reason, self.hint) = (key, reason, hint)
    }
}

/// One `[[sink]]` table of the configuration.
public struct SinkTable: Hashable, Sendable {
    /// `name`: letters, digits, `-` and `_`.
    public let name: String
    /// `type`: `webhook`, `template`, `jsonl`, `nats`, `mqtt`, or a preset's name.
    public let type: String
    /// All other keys.
    public let values: [String: SettingValue]

    /// A table from its parts.
    public init(name: String, type: String, values: [String: SettingValue]) {
        (self.name, self.type, self.values) = (name, type, values)
    }
}

/// What a sink is made with beyond its table.
public struct SinkContext: Sendable {
    /// The counter's `id`.
    public let counterID: String
    /// The tenant, for subjects and topics; `default` when not configured.
    public let tenant: String
    /// The store, likewise.
    public let store: String
    /// The file that a path of the configuration means: relative ones start from the configuration's folder.
    public let resolvePath: @Sendable (String) -> String
    /// Reads a secret from a file, by path or by the name of a systemd credential; refuses files others can read.
    public let readSecret: @Sendable (_ key: String, _ path: String) throws(SettingError) -> [UInt8]

    /// A context from its parts.
    public init(
        counterID: String, tenant: String, store: String,
        resolvePath: @escaping @Sendable (String) -> String = { $0 },
        readSecret: @escaping @Sendable (_ key: String, _ path: String) throws(SettingError) -> [UInt8]
    ) {
        (self.counterID, self.tenant, self.store) = (counterID, tenant, store)
        (self.resolvePath, self.readSecret) = (resolvePath, readSecret)
    }
}
