// SPDX-License-Identifier: Apache-2.0

/// Where a service listens: `127.0.0.1:8080`, `[::1]:8080`, `localhost:0`.
public struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name or an address, without brackets.
    public let host: String
    /// The port; 0 takes a free one.
    public let port: Int

    /// An address from its parts.
    public init(host: String, port: Int) { (self.host, self.port) = (host, port) }

    /// An address from a text.
    /// - Throws: `invalidAddress`.
    public init(parsing text: String) throws(ServerError) {
        let (host, port) = Self.split(text)
        guard !host.isEmpty, host.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let port = Self.number(port) else {
            throw ServerError(
                .invalidAddress, "`\(text)` is no address to listen at",
                hint: "write 127.0.0.1:8080, [::1]:8080 or localhost:0")
        }
        (self.host, self.port) = (String(host), port)
    }

    private static func split(_ text: String) -> (host: Substring, port: Substring) {
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return ("", "") }
            let rest = text[text.index(after: end)...]
            return rest.hasPrefix(":") ? (text[..<end].dropFirst(), rest.dropFirst()) : ("", "")
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 ? (parts[0], parts[1]) : ("", "")
    }

    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt16(text).map(Int.init)
    }

    /// Whether only programs on the same machine can reach it (RFC 1122, 3.2.1.3; RFC 4291, 2.5.3; RFC 6761, 6.3).
    public var isLoopback: Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return host.lowercased() == "localhost" || host == "::1"
            || (parts.count == 4 && parts.first == "127" && parts.allSatisfy { UInt8($0) != nil })
    }

    /// As it is written in a URL.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
