// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import LoyaltyFeed

/// A configuration written as TOML again.
extension CounterConfiguration {
    /// The settings as they hold, each with its origin in a comment, passwords and the like masked.
    ///
    /// - Parameter effective: with defaults, not only what somebody has set.
    public func toml(effective: Bool) -> String {
        var blocks: [(table: String, lines: [String])] = []
        for setting in maskedSettings(effective: effective) {
            let table = String(setting.key.prefix { $0 != "." })
            let name = setting.key.dropFirst(table.count + 1)
            if blocks.last?.table != table { blocks.append((table, [ConfigurationText.header(table)])) }
            blocks[blocks.count - 1].lines.append(
                "\(name) = \(ConfigurationText.literal(setting.value))  # \(setting.origin)")
        }
        return blocks.map { $0.lines.joined(separator: "\n") + "\n" }.joined(separator: "\n")
    }

    /// The settings as they hold, in the order of the tables, passwords and the like masked.
    ///
    /// - Parameter effective: with defaults, not only what somebody has set.
    public func maskedSettings(effective: Bool) -> [ConfigurationSources.Setting] {
        let order = ConfigurationTable.all.map(\.name)
        let rows = sources.settings.filter { effective || $0.origin != .fallback }
        return rows.enumerated().sorted { first, second in
            (ConfigurationText.rank(first.element.key, order), first.offset)
                < (ConfigurationText.rank(second.element.key, order), second.offset)
        }.map {
            .init(key: $0.element.key, value: ConfigurationText.masked($0.element.value), origin: $0.element.origin)
        }
    }

    /// A file to start from: every key with its default and what it is for.
    public static func example() -> String {
        let intro = """
            # A counter of `countertop serve`. Lines that begin with # are defaults or choices.
            # Relative paths begin at this file. A secret never stands here: name its file (chmod 600), or a systemd
            # credential. Flags stand above the environment (COUNTERTOP_...), which stands above this file.
            """
        let tables = ConfigurationTable.all.map { table in
            let more =
                table.name == "sink" ? SinkFactory.common + (SinkFactory.type(named: "jsonl")?.settings ?? []) : []
            let lines = (table.settings + more).map { ConfigurationText.example($0, table) }
            return (["\(table.header)  # \(table.help)"] + lines).joined(separator: "\n")
        }
        return ([intro] + tables + SinkFactory.types.map(ConfigurationText.example)).joined(separator: "\n\n") + "\n"
    }
}

/// Pieces of TOML.
enum ConfigurationText {
    static func header(_ name: String) -> String {
        let bare = name.prefix { $0 != "[" }
        return bare.count < name.count ? "[[\(bare)]]" : "[\(name)]"
    }

    /// The place of a key's table in the order of the tables.
    static func rank(_ key: String, _ order: [String]) -> Int {
        order.firstIndex(of: String(key.prefix { $0 != "." && $0 != "[" })) ?? order.count
    }

    /// A value as TOML writes it (TOML 1.0.0: String, Array, Inline Table).
    static func literal(_ value: SettingValue) -> String {
        switch value {
        case .string(let text): quoted(text)
        case .integer(let number): "\(number)"
        case .double(let number): "\(number)"
        case .boolean(let flag): "\(flag)"
        case .array(let items): "[\(items.map(literal).joined(separator: ", "))]"
        case .table(let table):
            "{ "
                + table.sorted { $0.key < $1.key }.map { "\(quoted($0.key)) = \(literal($0.value))" }
                .joined(separator: ", ") + " }"
        }
    }

    /// A basic string.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    private static let mask = "***"
    private static let secretNames = ["authorization", "token", "secret", "password", "key", "cookie"]

    /// Without what may be a secret although it stands in no setting for one: queries of URLs, fields of requests.
    static func masked(_ value: SettingValue) -> SettingValue {
        switch value {
        case .string(let text): .string(maskedQuery(text))
        case .array(let items): .array(items.map(masked))
        case .table(let table):
            .table(Dictionary(uniqueKeysWithValues: table.map { ($0, isSecret($0, $1) ? .string(mask) : masked($1)) }))
        default: value
        }
    }

    private static func isSecret(_ name: String, _ value: SettingValue) -> Bool {
        guard case .string(let text) = value, !text.contains("{{"), !name.hasSuffix("_file") else { return false }
        return secretNames.contains { name.lowercased().contains($0) }
    }

    private static func maskedQuery(_ text: String) -> String {
        guard text.contains("://"), let mark = text.firstIndex(of: "?"), !text.contains("{{") else { return text }
        return "\(text[...mark])\(mask)"
    }

    /// A key with its default, or as a comment.
    static func example(_ setting: SinkSetting, _ table: ConfigurationTable) -> String {
        let given = examples["\(table.name).\(setting.key)"]
        let value = given.map(quoted) ?? setting.fallback.map(literal) ?? setting.kind.example
        return "\(given == nil ? "# " : "")\(setting.key) = \(value)  # \(setting.help)"
    }

    /// What makes the example a configuration that works.
    private static let examples = [
        "counter.id": "c1", "counter.reader": "emulated:phone.json", "pass.id": "pass.com.example.club",
        "pass.key": "club.pem", "sink.name": "file", "sink.type": "jsonl", "sink.path": "events.jsonl",
    ]

    /// The keys of a type of sink, as comments.
    static func example(_ type: SinkType) -> String {
        let lines = type.settings.map { setting in
            let value = setting.fallback.map(literal) ?? setting.kind.example
            return "#   \(setting.key) = \(value)  # \(setting.help)\(setting.isRequired ? "; needed" : "")"
        }
        return (["# type = \(quoted(type.name)): \(type.help)"] + lines).joined(separator: "\n")
    }
}
