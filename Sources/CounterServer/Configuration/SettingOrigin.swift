// SPDX-License-Identifier: Apache-2.0

public import LoyaltyFeed

/// Where the value of a setting came from.
public enum SettingOrigin: Hashable, Sendable, CustomStringConvertible {
    /// A flag of the command line, such as `--listen`.
    case flag(String)
    /// A variable of the environment.
    case environment(String)
    /// A line of the file, from 1; the column counts characters from 1.
    case file(String, line: Int?, column: Int?)
    /// Nobody said anything.
    case fallback

    /// `FILE:LINE:COLUMN`, the variable, the flag, or `default`.
    public var description: String {
        switch self {
        case .flag(let name), .environment(let name): name
        case .file(let path, let line, let column):
            ([path] + [line, column].compactMap { $0.map(String.init) }).joined(separator: ":")
        case .fallback: "default"
        }
    }
}

/// The origin of every setting of a configuration, and the places in its file.
public struct ConfigurationSources: Sendable {
    /// The file's name as it was given; nil without one.
    public internal(set) var file: String?
    /// The values by key (`http.listen`), as they were written.
    public internal(set) var settings: [Setting] = []
    /// Where relative paths begin.
    var paths: SettingPaths?
    /// Where keys stand in the file.
    var outline = TOMLOutline()

    /// A setting as it was resolved.
    public struct Setting: Sendable {
        /// Such as `http.listen` or `pass[0].id`.
        public let key: String
        /// The value as it holds.
        public let value: SettingValue
        /// Where it came from.
        public let origin: SettingOrigin
    }

    /// No source.
    public init() {}
}
