// SPDX-License-Identifier: Apache-2.0

import Foundation
import WalletCrypto

/// A credential of a preset, read from its files. Never printed.
struct PresetToken: Sendable, CustomStringConvertible {
    let variable: String
    private let make: @Sendable (Date) -> TemplateValue?

    init(_ credential: Preset.Credential, _ settings: SinkSettings) throws(SettingError) {
        variable = credential.variable
        switch credential {
        case .file(let key, _):
            guard let text = try settings.secretText(key) else { throw SettingError(key, "is missing") }
            make = { _ in .text(text) }
        case .webToken(let keyFile, let secretFile, _):
            guard let id = try settings.secretText(keyFile) else { throw SettingError(keyFile, "is missing") }
            guard let secret = try settings.secrets(secretFile).first, !secret.isEmpty else {
                throw SettingError(secretFile, "is missing, or the file is empty")
            }
            let key = SecretBytes(copying: secret)
            make = { Self.webToken(id: id, key: key, at: $0) }
        }
    }

    /// The value for a request at this time.
    func value(_ now: Date) -> TemplateValue? { make(now) }

    var description: String { "<credential \(variable)>" }

    /// A JSON Web Token (RFC 7519) with HS256 (RFC 7518, 3.2), good for ten minutes.
    static func webToken(id: String, key: SecretBytes, at now: Date) -> TemplateValue? {
        let seconds = Int64(now.timeIntervalSince1970.rounded(.down))
        let claims = "{\"uid\":\(TemplateValue.text(id).json),\"iat\":\(seconds),\"exp\":\(seconds + 600)}"
        let text = [#"{"alg":"HS256","typ":"JWT"}"#, claims].map { Base64URL.encode(Array($0.utf8)) }
            .joined(separator: ".")
        guard let code = try? HMACSHA256.authenticate(Array(text.utf8), key: key) else { return nil }
        return .text(text + "." + Base64URL.encode(code))
    }
}
