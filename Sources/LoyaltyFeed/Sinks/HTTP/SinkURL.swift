// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The URL of a receiver, checked when the configuration is read.
struct SinkURL: Hashable, Sendable {
    /// The whole URL as it is requested; never shown to anybody.
    let text: String
    /// In lower case; an IPv6 address without its brackets.
    let host: String
    let isHTTPS: Bool
    /// The host and, when it is not the scheme's own, the port: all that messages may name.
    let shown: String

    /// - Parameters:
    ///   - text: the URL; `{{` in it is not looked at.
    ///   - key: the setting it comes from.
    init(_ text: String, key: String, allowHTTP: Bool) throws(SettingError) {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw SettingError(key, "holds blanks or characters that must be percent-encoded")
        }
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(), let host = parts.host,
            !host.isEmpty
        else { throw SettingError(key, "is no URL", hint: "such as \"https://example.com/taps\"") }
        guard scheme == "https" || scheme == "http" else {
            throw SettingError(key, "must begin with https:// or http://")
        }
        guard parts.user == nil, parts.password == nil else {
            throw SettingError(
                key, "must not hold a user name or a password",
                hint: "put them into a file and name it in headers: \"Authorization_file\" = \"…\"")
        }
        guard parts.fragment == nil else { throw SettingError(key, "must not have a part after #") }
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        (self.host, isHTTPS, self.text) = (bare.lowercased(), scheme == "https", text)
        guard parts.port.map({ (1...65535).contains($0) }) ?? true else {
            throw SettingError(key, "has no usable port")
        }
        let bracketed = bare.contains(":") ? "[\(self.host)]" : self.host
        shown = bracketed + (parts.port.map { ":\($0)" } ?? "")
        guard isHTTPS || isLoopback || allowHTTP else {
            throw SettingError(
                key, "must begin with https://", hint: "allow_http = true sends member numbers unencrypted")
        }
    }

    /// The same origin with another path and query.
    init(_ origin: SinkURL, text: String) {
        (self.text, host, isHTTPS, shown) = (text, origin.host, origin.isHTTPS, origin.shown)
    }

    /// Whether the URL names the machine itself: `localhost`, `127.….`, `[::1]`.
    var isLoopback: Bool {
        host == "localhost" || Resolver.literal(host).flatMap { AddressGuard.block(of: $0.bytes) }?.name == "loopback"
    }
}
