// SPDX-License-Identifier: Apache-2.0

/// The settings of one sink after the check: every key is known, every value is of its kind, defaults are filled in.
public struct SinkSettings: Sendable {
    /// The sink's name.
    public let name: String
    /// The sink's type.
    public let type: String
    /// What the sink is made with beyond its table.
    public let context: SinkContext
    /// The values by key.
    public let values: [String: SettingValue]

    /// Settings that were checked already; ``SinkFactory`` makes them.
    init(name: String, type: String, context: SinkContext, values: [String: SettingValue]) {
        (self.name, self.type, self.context, self.values) = (name, type, context, values)
    }

    /// Whether the key is there, or has a default.
    public func has(_ key: String) -> Bool { values[key] != nil }

    /// A text, URL or path.
    public func text(_ key: String) -> String? {
        if case .string(let text) = values[key] { text } else { nil }
    }

    /// A text that must be there.
    public func required(_ key: String) throws(SettingError) -> String {
        guard let text = text(key) else { throw SettingError(key, "is missing") }
        return text
    }

    /// The file that a path means.
    public func path(_ key: String) -> String? { text(key).map { $0 == "-" ? $0 : context.resolvePath($0) } }

    /// A list of texts; one text alone is a list of one.
    public func texts(_ key: String) -> [String] {
        switch values[key] {
        case .string(let text): [text]
        case .array(let items): items.compactMap { if case .string(let text) = $0 { text } else { nil } }
        default: []
        }
    }

    /// A table of texts, sorted by key.
    public func textTable(_ key: String) -> [(key: String, value: String)] {
        guard case .table(let table) = values[key] else { return [] }
        return table.sorted { $0.key < $1.key }.compactMap { key, value in
            if case .string(let text) = value { (key, text) } else { nil }
        }
    }

    /// A whole number.
    public func whole(_ key: String) -> Int? {
        if case .integer(let number) = values[key] { number } else { nil }
    }

    /// A flag; false when it is not there.
    public func flag(_ key: String) -> Bool { values[key] == .boolean(true) }

    /// A time.
    public func duration(_ key: String) -> Duration? { text(key).flatMap(SettingDuration.parse) }

    /// A list of times; nil when the key is not there.
    public func durations(_ key: String) -> [Duration]? {
        has(key) ? texts(key).compactMap(SettingDuration.parse) : nil
    }

    /// A number as a text, as it goes into a message: `1`, `2.5`.
    public func numberText(_ key: String) -> String? {
        switch values[key] {
        case .integer(let number): "\(number)"
        case .double(let number): "\(number)"
        default: nil
        }
    }

    /// The contents of each file that the key names, without blanks and line ends around them.
    public func secrets(_ key: String) throws(SettingError) -> [[UInt8]] {
        var found: [[UInt8]] = []
        for path in texts(key) { found.append(trimmed(try context.readSecret(key, path))) }
        return found
    }

    /// The text in the file that the key names, on one line.
    public func secretText(_ key: String) throws(SettingError) -> String? {
        guard let bytes = try secrets(key).first else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self), !text.isEmpty,
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { throw SettingError(key, "the file must hold one line of text") }
        return text
    }

    private func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        let blanks: Set<UInt8> = [0x09, 0x0A, 0x0D, 0x20]
        var rest = bytes.drop(while: blanks.contains)
        while let last = rest.last, blanks.contains(last) { rest.removeLast() }
        return Array(rest)
    }
}
