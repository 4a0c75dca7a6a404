// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Where a back end is: scheme, host, port and perhaps a path before those of the profiles.
struct IssuerURL: Hashable, Sendable {
    /// Without a slash at the end.
    let text: String
    /// Whether what is sent can be read on the way.
    let isPlain: Bool
    /// A name or an address, without brackets.
    let host: String
    let port: Int
    /// Whether it is TLS.
    let isSecure: Bool

    init(_ argument: String) throws(ToolError) {
        guard let parts = URLComponents(string: argument), let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = parts.host, !host.isEmpty
        else { throw Self.wrong("--issuer takes a URL such as http://127.0.0.1:8080") }
        guard parts.user == nil, parts.password == nil else {
            throw Self.wrong(
                "--issuer takes a URL without a user and a password", hint: "--token reads a token from a file")
        }
        guard parts.query == nil, parts.fragment == nil else {
            throw Self.wrong("--issuer takes a URL without a query", hint: "the profile says what follows the host")
        }
        var text = argument
        while text.hasSuffix("/") { text.removeLast() }
        let isLocal = host == "localhost" || host == "[::1]" || host == "::1" || host.hasPrefix("127.")
        (self.text, isPlain) = (text, scheme == "http" && !isLocal)
        isSecure = scheme == "https"
        self.host = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        port = parts.port ?? (isSecure ? 443 : 80)
    }

    private static func wrong(_ text: String, hint: String? = nil) -> ToolError { ToolError(.usage, text, hint: hint) }
}
