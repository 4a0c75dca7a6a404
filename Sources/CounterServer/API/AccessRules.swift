// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Synchronization
internal import WalletCrypto

/// Who is let in: the right host, the same origin, the right token.
struct AccessRules: Sendable {
    /// Names and addresses, lower case, without port.
    let hosts: Set<String>
    let tokens: [SecretBytes]
    private let failures = FailureLimit()

    init(address: ListenAddress, allowedHosts: [String], tokens: [SecretBytes]) {
        let own = ["localhost", "127.0.0.1", "::1", address.host.lowercased()]
        hosts = Set(own + allowedHosts.compactMap { Authority($0)?.host })
        self.tokens = tokens
    }

    /// - Parameter localAddress: where the connection came in: listening everywhere, each of the machine's addresses is
    ///   its own.
    /// - Throws: 400, 421 or 403. Another name than our own is how a page of somebody else's reaches a service on this
    ///   machine (DNS rebinding).
    func check(
        _ method: HTTPRequest.Method, _ target: RequestTarget, host: String?, _ headers: HTTPFields,
        localAddress: String? = nil
    ) throws(Problem) {
        guard let text = target.authority ?? host, headers[.host] == nil else {
            throw Problem(400, "noHost", "a request has one Host field")
        }
        guard let authority = Authority(text),
            hosts.contains(authority.host) || authority.host == localAddress
        else {
            throw Problem(
                421, "unknownHost", "this service does not answer for that host",
                hint: "add the name to allowed_hosts in the configuration's [http]")
        }
        guard method != .get, method != .head else { return }
        try checkOrigin(authority, headers)
    }

    /// Browsers say where a page that posts comes from (Fetch, 3.1; Fetch Metadata, 2.3); programs say nothing.
    private func checkOrigin(_ authority: Authority, _ headers: HTTPFields) throws(Problem) {
        let refusal = Problem(403, "crossOrigin", "pages of another origin cannot change anything here")
        if let site = headers[.site], site != "same-origin", site != "none" { throw refusal }
        guard let origin = headers[.origin] else { return }
        for (scheme, port) in [("http://", 80), ("https://", 443)] where origin.lowercased().hasPrefix(scheme) {
            guard let from = Authority(String(origin.dropFirst(scheme.count))), from.host == authority.host,
                from.port ?? port == authority.port ?? port
            else { throw refusal }
            return
        }
        throw refusal
    }

    /// - Throws: 401, or 429 when too many tokens were wrong.
    func checkToken(_ headers: HTTPFields) throws(Problem) {
        guard !tokens.isEmpty else { return }
        let refusal = Problem(401, "unauthorized", "a bearer token is needed here")
        guard let field = headers[.authorization] else { throw refusal.with("WWW-Authenticate", Self.challenge) }
        let parts = field.split(separator: " ", maxSplits: 1)
        let given = SecretBytes(copying: parts.count == 2 ? Array(parts[1].utf8) : [])
        // Every token is compared, each in constant time, and every time: a right one is never refused.
        let matches = tokens.count { $0 == given }
        guard parts.first?.lowercased() == "bearer", matches > 0 else {
            guard failures.take() else {
                throw Problem(429, "tooManyFailures", "too many tokens were wrong").with("Retry-After", "1")
            }
            throw refusal.with("WWW-Authenticate", Self.challenge + ", error=\"invalid_token\"")
        }
    }

    /// RFC 6750, 3.
    private static let challenge = "Bearer realm=\"countertop\""
}

/// `host`, `host:port`, `[::1]:port`; lower case, without a final dot.
struct Authority: Hashable, Sendable {
    let host: String
    let port: Int?

    init?(_ text: String) {
        let text = text.lowercased()
        guard text.utf8.count <= 260, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x40 }) else {
            return nil
        }
        var rest = text[...]
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = String(text[..<end].dropFirst())
            rest = text[text.index(after: end)...]
        } else {
            let name = text.prefix { $0 != ":" }
            host = String(name.hasSuffix(".") ? name.dropLast() : name)
            rest = text[name.endIndex...]
        }
        guard !host.isEmpty, !host.contains("/") else { return nil }
        if rest.isEmpty || rest == ":" {
            port = nil
        } else {
            guard rest.hasPrefix(":"), rest.dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = UInt16(rest.dropFirst())
            else { return nil }
            port = Int(number)
        }
    }
}

/// How often a wrong token is told so: twenty times at once, then once a second; others are told to wait.
private final class FailureLimit: Sendable {
    private let state = Mutex((left: 20.0, at: ContinuousClock.now))

    func take() -> Bool {
        state.withLock { state in
            let now = ContinuousClock.now
            state.left = min(20, state.left + (now - state.at) / .seconds(1))
            state.at = now
            guard state.left >= 1 else { return false }
            state.left -= 1
            return true
        }
    }
}

extension HTTPField.Name {
    /// Nil cannot be: the names are tokens.
    private static func known(_ name: String) -> HTTPField.Name { HTTPField.Name(name) ?? .cookie }
    static let host = known("Host")
    static let site = known("Sec-Fetch-Site")
    static let lastEventID = known("Last-Event-ID")
}
