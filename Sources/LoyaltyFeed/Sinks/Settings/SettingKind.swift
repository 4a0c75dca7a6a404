// SPDX-License-Identifier: Apache-2.0

/// What a setting's value must look like.
public struct SettingKind: Sendable {
    /// For people, such as `text` or `duration`.
    public let name: String
    /// What is wrong with a value of this key, in one sentence without a full stop; nil when it fits.
    public let fault: @Sendable (SettingValue) -> String?

    /// A value that fits, as TOML writes it, for an example of a file.
    public let example: String

    /// A kind of one's own.
    public init(
        _ name: String, example: String = "\"...\"", fault: @escaping @Sendable (SettingValue) -> String?
    ) {
        (self.name, self.example, self.fault) = (name, example, fault)
    }

    /// Text that is not empty.
    public static let text = SettingKind("text") { value in
        guard case .string(let text) = value else { return "must be a text in quotes, not \(value.kindName)" }
        return text.isEmpty ? "must not be empty" : nil
    }
    /// The name of a file.
    public static let path = SettingKind("path", fault: text.fault)
    /// The name of a file that holds a secret, and that nobody else can read.
    public static let secretFile = SettingKind("secret file", fault: text.fault)
    /// One file with a secret, or a list of them.
    public static let secretFiles = SettingKind("secret file, or a list") { value in
        guard case .array(let items) = value else { return text.fault(value) }
        return items.isEmpty ? "must name at least one file" : items.lazy.compactMap(text.fault).first
    }
    /// An http or https URL.
    public static let url = SettingKind("URL", fault: text.fault)
    /// `true` or `false`.
    public static let flag = SettingKind("true or false", example: "true") { value in
        if case .boolean = value { nil } else { "must be true or false, not \(value.kindName)" }
    }
    /// A time such as `15s`, `500ms`, `5m`, `2h` or `1d`.
    public static let duration = SettingKind("duration", example: "\"15s\"") { value in
        guard case .string(let text) = value else { return "must be a time such as \"15s\", not \(value.kindName)" }
        return SettingDuration.parse(text) == nil ? "\"\(text)\" is no time such as \"500ms\", \"15s\" or \"5m\"" : nil
    }
    /// A list of times.
    public static let durations = SettingKind("list of durations", example: "[\"0s\", \"5m\"]") { value in
        guard case .array(let items) = value else { return "must be a list such as [\"0s\", \"5m\"]" }
        return items.isEmpty ? "must have at least one time" : items.lazy.compactMap(duration.fault).first
    }
    /// A list of texts.
    public static let texts = SettingKind("list of texts", example: "[\"...\"]") { value in
        guard case .array(let items) = value else { return "must be a list, not \(value.kindName)" }
        return items.lazy.compactMap(text.fault).first
    }
    /// A table of texts, such as HTTP fields.
    public static let textTable = SettingKind("table of texts", example: "{ NAME = \"...\" }") { value in
        guard case .table(let table) = value else { return "must be a table, not \(value.kindName)" }
        return table.sorted { $0.key < $1.key }.lazy.compactMap { key, value in
            if case .string = value { nil } else { "\(key) must be a text in quotes, not \(value.kindName)" }
        }.first
    }
    /// A number, whole or not, from 0.
    public static let number = SettingKind("number", example: "1") { value in
        switch value {
        case .integer(let number) where number >= 0: nil
        case .double(let number) where number >= 0 && number.isFinite: nil
        default: "must be a number from 0, not \(value.kindName)"
        }
    }

    /// Degrees of latitude or longitude.
    public static let degrees = SettingKind("degrees", example: "52.5") { value in
        switch value {
        case .integer(let number) where (-180...180).contains(number): nil
        case .double(let number) where abs(number) <= 180: nil
        default: "must be a number of degrees"
        }
    }

    /// A whole number in a range.
    public static func whole(_ range: ClosedRange<Int>) -> SettingKind {
        SettingKind("\(range.lowerBound) to \(range.upperBound)", example: "\(range.lowerBound)") { value in
            guard case .integer(let number) = value else { return "must be a whole number, not \(value.kindName)" }
            return range.contains(number) ? nil : "must be \(range.lowerBound) to \(range.upperBound), not \(number)"
        }
    }

    /// One of some words.
    public static func oneOf(_ words: [String]) -> SettingKind {
        SettingKind(words.joined(separator: " or "), example: "\"\(words.first ?? "...")\"") { value in
            if case .string(let word) = value, words.contains(word) { return nil }
            return "must be one of \(words.map { "\"\($0)\"" }.joined(separator: ", "))"
        }
    }
}

extension SettingValue {
    /// What it is, for a message; never the value.
    var kindName: String {
        switch self {
        case .string: "a text"
        case .integer: "a whole number"
        case .double: "a number"
        case .boolean: "true or false"
        case .array: "a list"
        case .table: "a table"
        }
    }
}
