// SPDX-License-Identifier: Apache-2.0

internal import LoyaltyFeed

/// Puts flags over environment over file over defaults, and collects what is wrong on the way.
struct SettingResolver {
    let document: SettingDocument
    let paths: SettingPaths
    let environment: [String: String]
    let overrides: [SettingOverride]
    private(set) var problems: [ConfigurationError.Problem] = []
    private(set) var resolved: [ConfigurationSources.Setting] = []

    init(
        _ document: SettingDocument, _ paths: SettingPaths, _ environment: [String: String],
        _ overrides: [SettingOverride]
    ) {
        (self.document, self.paths, self.environment, self.overrides) = (document, paths, environment, overrides)
    }

    /// Where a key of the file stands.
    func origin(of key: String) -> SettingOrigin {
        guard let file = document.file else { return .fallback }
        let place = document.outline.place(of: key)
        return .file(file, line: place?.line ?? 1, column: place?.column)
    }

    /// Where a setting got its value from, wherever that was.
    func source(of key: String) -> SettingOrigin {
        resolved.last { $0.key == key }.map(\.origin).flatMap { $0 == .fallback ? nil : $0 } ?? origin(of: key)
    }

    /// Keeps a default that depends on the environment.
    mutating func resolve(default text: String, _ key: String, _ origin: SettingOrigin) -> String {
        resolved.append(.init(key: key, value: .string(text), origin: origin))
        return text
    }

    /// More than anybody reads; a hostile file could have any number, each with a search for what was meant.
    static let problemLimit = 100

    mutating func report(
        _ code: ConfigurationError.Code, _ key: String, _ reason: String, hint: String? = nil,
        at origin: SettingOrigin? = nil
    ) {
        guard problems.count < Self.problemLimit else { return }
        problems.append(.init(code, at: origin ?? source(of: key), key: key, reason, hint: hint))
    }

    /// Tables and keys beside the tables, which no setting is.
    mutating func checkTables() {
        let names = ConfigurationTable.all.map(\.name)
        for name in document.root.keys.sorted() where !names.contains(name) && problems.count < Self.problemLimit {
            let homes = ConfigurationTable.all.filter { table in table.settings.contains { $0.key == name } }
            let hint =
                NearestWord.find(name, among: names).map { "did you mean [\($0)]?" }
                ?? homes.first.map { "it belongs into \($0.header)" }
                ?? "there are \(ConfigurationTable.all.map(\.header).joined(separator: ", "))"
            report(.unknownKey, name, "there is no such table or key", hint: hint)
        }
    }

    /// Variables that look like a setting's and are none's.
    mutating func checkVariables() {
        let tables = ConfigurationTable.all.filter { !$0.isList }
        let known = tables.flatMap { table in table.settings.compactMap { table.variable(for: $0.key) } }
        for name in environment.keys.sorted() where !known.contains(name) {
            guard tables.contains(where: { name.hasPrefix("COUNTERTOP_\($0.name.uppercased())_") }) else { continue }
            let near = NearestWord.find(name, among: known).map { "did you mean \($0)?" }
            problems.append(.init(.unknownKey, at: .environment(name), "there is no such variable", hint: near))
        }
    }

    /// The values of a table of which there is one.
    mutating func table(_ table: ConfigurationTable) -> SettingRow {
        var values: [String: SettingValue] = [:]
        switch document.root[table.name] {
        case .table(let found): values = found
        case nil: break
        default: report(.invalidValue, table.name, "must be a table: \(table.header)")
        }
        return row(values, table, prefix: table.name, more: [])
    }

    /// The values of the tables of which there may be several; `more` gives the keys that depend on what stands in one.
    mutating func rows(
        _ table: ConfigurationTable, more: ([String: SettingValue]) -> [SinkSetting]? = { _ in [] }
    ) -> [SettingRow] {
        let found: [SettingValue]
        switch document.root[table.name] {
        case .array(let items): found = items
        case nil: return []
        default:
            report(.invalidValue, table.name, "must be written \(table.header): there may be several")
            return []
        }
        var rows: [SettingRow] = []
        for (index, item) in found.enumerated() {
            let prefix = "\(table.name)[\(index)]"
            if case .table(let values) = item {
                rows.append(row(values, table, prefix: prefix, more: more(values)))
            } else {
                report(.invalidValue, prefix, "must be a table")
            }
        }
        return rows
    }

    /// - Parameter more: nil when nobody knows which other keys there may be.
    private mutating func row(
        _ values: [String: SettingValue], _ table: ConfigurationTable, prefix: String, more: [SinkSetting]?
    ) -> SettingRow {
        let own = table.settings
        let known = own + (more ?? []).filter { setting in !own.contains { $0.key == setting.key } }
        checkKeys(values, known, table, prefix, isOpen: more == nil)
        var row = SettingRow(prefix: prefix)
        for setting in known {
            row.values[setting.key] = resolve(setting, values[setting.key], table, "\(prefix).\(setting.key)")
        }
        return row
    }

    private mutating func checkKeys(
        _ values: [String: SettingValue], _ known: [SinkSetting], _ table: ConfigurationTable, _ prefix: String,
        isOpen: Bool
    ) {
        let names = known.map(\.key)
        for key in values.keys.sorted() where problems.count < Self.problemLimit {
            let path = "\(prefix).\(key)"
            if let fault = InlineSecret.find(key, values[key], known: names) {
                report(.inlineSecret, path, fault.reason, hint: fault.hint, at: origin(of: path))
            } else if !isOpen, !names.contains(key) {
                let home = ConfigurationTable.all.first { $0.settings.contains { $0.key == key } }
                let hint =
                    NearestWord.find(key, among: names).map { "did you mean \($0)?" }
                    ?? home.map { "it belongs into \($0.header)" }
                    ?? "\(table.header) has \(names.joined(separator: ", "))"
                report(.unknownKey, path, "\(table.header) has no such key", hint: hint, at: origin(of: path))
            }
        }
    }

    private mutating func resolve(
        _ setting: SinkSetting, _ written: SettingValue?, _ table: ConfigurationTable, _ key: String
    ) -> SettingValue? {
        guard let (value, origin) = candidate(setting, written, table, key) else {
            if setting.isRequired {
                report(.missingKey, key, "is missing", hint: setting.help, at: self.origin(of: key))
            }
            return nil
        }
        if let fault = setting.kind.fault(value) {
            report(.invalidValue, key, fault, at: origin)
            return nil
        }
        let whole = paths.absolute(value, setting.kind, fromFile: origin.isFile)
        resolved.append(.init(key: key, value: whole, origin: origin))
        return whole
    }

    private func candidate(
        _ setting: SinkSetting, _ written: SettingValue?, _ table: ConfigurationTable, _ key: String
    ) -> (SettingValue, SettingOrigin)? {
        if let flag = overrides.last(where: { $0.key == key }) {
            return (Self.value(of: flag.text, setting.kind), .flag(flag.flag))
        }
        // An empty variable is as good as none, as elsewhere in the tool.
        if let name = table.variable(for: setting.key), let text = environment[name], !text.isEmpty {
            return (Self.value(of: text, setting.kind), .environment(name))
        }
        if let written { return (written, origin(of: key)) }
        return setting.fallback.map { ($0, .fallback) }
    }

    /// A text from outside the file as the kind wants it: a list is divided at commas.
    private static func value(of text: String, _ kind: SettingKind) -> SettingValue {
        let list = text.split(separator: ",").map { SettingValue.string(String($0)) }
        let number = Int(text).map { SettingValue.integer($0) }
        let readings = [.string(text), number, .array(list)].compactMap(\.self)
        return readings.first { kind.fault($0) == nil } ?? number ?? .string(text)
    }
}

extension ConfigurationTable {
    /// As it stands in the file.
    var header: String { isList ? "[[\(name)]]" : "[\(name)]" }
}

extension SettingOrigin {
    /// Whether the value stands in the file.
    var isFile: Bool { if case .file = self { true } else { false } }
}

/// The values of one table after they were checked.
struct SettingRow {
    let prefix: String
    var values: [String: SettingValue] = [:]

    func text(_ key: String) -> String? { if case .string(let text) = values[key] { text } else { nil } }
    func whole(_ key: String) -> Int? { if case .integer(let number) = values[key] { number } else { nil } }
    func duration(_ key: String) -> Duration? { text(key).flatMap(SettingDuration.parse) }

    /// A list of texts; one alone is a list of one.
    func texts(_ key: String) -> [String] {
        guard case .array(let items) = values[key] else { return text(key).map { [$0] } ?? [] }
        return items.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }
}
