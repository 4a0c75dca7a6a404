// SPDX-License-Identifier: Apache-2.0

internal import LoyaltyFeed

/// Makes whole paths of those that settings have.
struct SettingPaths: Sendable {
    /// The folder of the configuration file, whole.
    let folder: String
    /// The folder the process runs in; flags and variables count from there.
    let working: String
    /// `$CREDENTIALS_DIRECTORY` (systemd.exec(5), CREDENTIALS), if the service manager set it.
    let credentials: String?
    /// Whether there is such a file.
    let exists: @Sendable (String) -> Bool

    /// A value with whole paths, if its kind has paths.
    func absolute(_ value: SettingValue, _ kind: SettingKind, fromFile: Bool) -> SettingValue {
        let base = fromFile ? folder : working
        switch value {
        case .string(let text) where kind.name == SettingKind.path.name: return .string(path(text, in: base))
        case .string(let text) where kind.name == SettingKind.reader.name: return .string(reader(text, in: base))
        case .string(let text) where Self.secretKinds.contains(kind.name): return .string(secret(text, in: base))
        case .array(let items) where Self.secretKinds.contains(kind.name):
            return .array(items.map { absolute($0, kind, fromFile: fromFile) })
        default: return value
        }
    }

    private static let secretKinds = [SettingKind.secretFile.name, SettingKind.secretFiles.name]

    /// `-` stands for itself.
    func path(_ text: String, in base: String) -> String {
        text.hasPrefix("/") || text == "-" ? text : "\(base)/\(text)"
    }

    /// A name without a slash is that of a credential, if there is one.
    func secret(_ text: String, in base: String) -> String {
        if let credentials, !text.contains("/"), exists("\(credentials)/\(text)") { return "\(credentials)/\(text)" }
        return path(text, in: base)
    }

    private func reader(_ text: String, in base: String) -> String {
        for kind in ["emulated:", "replay:"] where text.hasPrefix(kind) {
            return kind + path(String(text.dropFirst(kind.count)), in: base)
        }
        return text
    }
}
