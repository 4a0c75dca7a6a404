// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The URL of a receiver, checked when the configuration is read.
struct SinkURL: Hashable, Sendable {
    /// The whole URL as it is requested, its scheme and host in lower case; never shown to anybody.
    let text: String
    /// In lower case; an IPv6 address without its brackets.
    let host: String
    /// The host as the HTTP client reads it: Foundation decodes an international name.
    let clientHost: String
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
        let text = Self.lowercased(text)
        guard let parts = URLComponents(string: text), let scheme = parts.scheme, let clientHost = parts.host,
            !clientHost.isEmpty
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
        guard parts.port.map({ (1...65535).contains($0) }) ?? true else {
            throw SettingError(key, "has no usable port")
        }
        shown = String(text[Self.authority(text)])
        let port = parts.port.map { ":\($0)" } ?? ""
        // The client finds the address that was checked by the host's text: one that can be written in several ways, such
        // as with a percent sign, is none.
        guard let host = Self.plainHost(shown, port: port) else {
            throw SettingError(
                key, "has a host that is not written plainly", hint: "such as \"https://example.com/taps\"")
        }
        (self.host, self.clientHost, isHTTPS, self.text) = (host, Self.bare(clientHost), scheme == "https", text)
        guard isHTTPS || isLoopback || allowHTTP else {
            throw SettingError(
                key, "must begin with https://", hint: "allow_http = true sends member numbers unencrypted")
        }
    }

    /// The same origin with another path and query.
    init(_ origin: SinkURL, text: String) {
        (self.text, host, clientHost) = (Self.lowercased(text), origin.host, origin.clientHost)
        (isHTTPS, shown) = (origin.isHTTPS, origin.shown)
    }

    /// The host of an authority that ends with this port; nil when it has more than letters, digits and `.-_`.
    private static func plainHost(_ authority: String, port: String) -> String? {
        guard authority.hasSuffix(port) else { return nil }
        let host = String(authority.dropLast(port.count))
        let bare = bare(host)
        let isAddress = bare.utf8.count < host.utf8.count
        let isPlain = bare.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x61...0x7A, UInt8(ascii: "."): true
            case UInt8(ascii: "-"), UInt8(ascii: "_"): !isAddress
            case UInt8(ascii: ":"): isAddress
            default: false
            }
        }
        return isPlain && !bare.isEmpty ? bare : nil
    }

    /// An IPv6 address without its brackets; anything else as it is.
    private static func bare(_ host: String) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }

    /// Where a URL has its host and port.
    private static func authority(_ text: String) -> Range<String.Index> {
        guard let start = text.firstRange(of: "://")?.upperBound else { return text.endIndex..<text.endIndex }
        return start..<(text[start...].firstIndex { "/?#".contains($0) } ?? text.endIndex)
    }

    /// Scheme and host mean the same in capitals (RFC 3986, 3.1 and 3.2.2); path and query do not.
    private static func lowercased(_ text: String) -> String {
        let end = authority(text).upperBound
        return text[..<end].lowercased() + text[end...]
    }

    /// Whether the URL names the machine itself: `localhost`, `127.….`, `[::1]`.
    var isLoopback: Bool {
        host == "localhost" || Resolver.literal(host).flatMap { AddressGuard.block(of: $0.bytes) }?.name == "loopback"
    }
}
