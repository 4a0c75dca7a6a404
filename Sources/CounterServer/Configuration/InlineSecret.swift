// SPDX-License-Identifier: Apache-2.0

internal import LoyaltyFeed

/// Finds secrets that stand in the file itself, where backups, screens and version control see them.
enum InlineSecret {
    /// Names that only a secret has; with `_file` behind them they are settings.
    private static let names: Set<String> = [
        "secret", "token", "password", "passphrase", "passwd", "api_key", "apikey", "access_token", "auth_token",
        "private_key", "signing_key", "bearer", "credentials", "bearer_token", "application_key",
    ]
    /// How secrets begin: Standard Webhooks, PEM, and the schemes of RFC 7617, RFC 6750 and of provider APIs.
    private static let beginnings = [
        "whsec_", "whsk_", "-----BEGIN", "Bearer ", "Basic ", "ApiKey-v1 ", "sk_live_", "sk_test_",
    ]

    /// What is wrong with a key and its value, if a secret stands there. Never tells the value.
    static func find(_ key: String, _ value: SettingValue?, known: [String]) -> (reason: String, hint: String)? {
        let file = key.hasSuffix("_file") ? key : "\(key)_file"
        let isNamed = !known.contains(key) && (names.contains(key.lowercased()) || known.contains(file))
        guard isNamed || value.map(holdsSecret) ?? false else { return nil }
        return (
            "a secret must not stand in this file",
            "put it into a file that only the service can read (chmod 600)" + home(key, value, file, known)
        )
    }

    /// How the file is named.
    private static func home(_ key: String, _ value: SettingValue?, _ file: String, _ known: [String]) -> String {
        if known.contains(file) { return ", and name that file with \(file)" }
        if case .table(let table) = value,
            let name = table.keys.sorted().first(where: { table[$0].map(holdsSecret) ?? false })
        {
            return ", and name that file: \(key) = { \(name)_file = \"FILE\" }"
        }
        if case .string(let text) = value, hasPassword(text), known.contains("headers") {
            return ", and name that file: headers = { Authorization_file = \"FILE\" }"
        }
        let other = known.first { ($0.hasSuffix("_file") && $0 != "ca_file") || $0 == "key" }
        return other.map { ", and name that file with \($0)" } ?? ""
    }

    private static func holdsSecret(_ value: SettingValue) -> Bool {
        switch value {
        case .string(let text): isSecret(text)
        case .array(let items): items.contains(where: holdsSecret)
        case .table(let table): table.values.contains(where: holdsSecret)
        default: false
        }
    }

    /// A template that takes the secret from elsewhere (`Bearer {{secret}}`) holds none.
    private static func isSecret(_ text: String) -> Bool {
        !text.contains("{{") && (beginnings.contains { text.hasPrefix($0) } || hasPassword(text))
    }

    /// `scheme://user:password@host` (RFC 3986, 3.2.1).
    private static func hasPassword(_ text: String) -> Bool {
        guard let start = text.firstRange(of: "://")?.upperBound else { return false }
        let authority = text[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let end = authority.lastIndex(of: "@") else { return false }
        return authority[..<end].contains(":")
    }
}
