// SPDX-License-Identifier: Apache-2.0

/// Makes sinks from `[[sink]]` tables.
public enum SinkFactory {
    /// Every type there is, in the order in which they are listed to people.
    public static let types: [SinkType] =
        [
            WebhookSink.type, TemplateSink.type, JSONLinesSink.type, NATSSink.type, MQTTSink.type,
        ] + Preset.all.map(\.type)

    /// The keys that every type has besides `name` and `type`. Who runs the deliveries reads them.
    public static let common: [SinkSetting] = [
        SinkSetting("schedule", .durations, "the waits between attempts, instead of the ten steps over three days")
    ]

    /// The type of this name.
    public static func type(named name: String) -> SinkType? { types.first { $0.name == name } }

    /// A sink, ready to deliver; reads its secret files, opens no connection.
    ///
    /// - Throws: `SettingError` with the key that is unknown, missing, or has a value that does not do.
    public static func make(_ table: SinkTable, _ context: SinkContext) throws(SettingError) -> any Sink {
        let type = try checkedType(table)
        return try type.make(try settings(table, type, context))
    }

    /// The sink's own schedule (`schedule = ["0s", "1s"]`); nil when the default holds.
    public static func schedule(_ table: SinkTable) throws(SettingError) -> [Duration]? {
        guard let value = table.values["schedule"] else { return nil }
        if let fault = SettingKind.durations.fault(value) { throw SettingError("schedule", fault) }
        guard case .array(let items) = value else { return nil }
        return items.compactMap { if case .string(let text) = $0 { SettingDuration.parse(text) } else { nil } }
    }

    private static func checkedType(_ table: SinkTable) throws(SettingError) -> SinkType {
        let name = table.name.utf8
        guard (1...64).contains(name.count), name.allSatisfy(isNameCharacter) else {
            throw SettingError("name", "must be 1 to 64 letters, digits, - and _")
        }
        guard let type = type(named: table.type) else {
            throw SettingError(
                "type", "there is no sink of the type \"\(table.type)\"", hint: nearest(table.type, types.map(\.name)))
        }
        return type
    }

    private static func settings(
        _ table: SinkTable, _ type: SinkType, _ context: SinkContext
    ) throws(SettingError) -> SinkSettings {
        let known = common + type.settings
        var values = table.values
        for key in values.keys.sorted() where !known.contains(where: { $0.key == key }) {
            throw SettingError(
                key, "a \(type.name) sink has no such key", hint: nearest(key, type.settings.map(\.key)))
        }
        for setting in known {
            if let value = values[setting.key] {
                if let fault = setting.kind.fault(value) { throw SettingError(setting.key, fault) }
            } else if let fallback = setting.fallback {
                values[setting.key] = fallback
            } else if setting.isRequired {
                throw SettingError(setting.key, "a \(type.name) sink needs it: \(setting.help)")
            }
        }
        return SinkSettings(name: table.name, type: type.name, context: context, values: values)
    }

    private static func isNameCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    /// The word that was meant, or all words.
    static func nearest(_ word: String, _ words: [String]) -> String {
        let near = words.first { $0.lowercased().hasPrefix(word.lowercased().prefix(3)) && word.count >= 3 }
        return near.map { "did you mean \"\($0)\"?" } ?? "known: \(words.joined(separator: ", "))"
    }
}
