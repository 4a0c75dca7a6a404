// SPDX-License-Identifier: Apache-2.0

/// Where a vpcd listens.
public struct VPCDAddress: Hashable, Sendable, CustomStringConvertible {
    /// Host name or address.
    public var host: String
    /// TCP port; each slot of the virtual reader has its own.
    public var port: UInt16

    /// vpcd's own default for the first slot: `8C7B` (vsmartcard, vpcd's reader configuration).
    public static let standardPort: UInt16 = 0x8C7B

    /// An address.
    public init(host: String = "localhost", port: UInt16 = standardPort) { (self.host, self.port) = (host, port) }

    /// `HOST:PORT`, `HOST`, `:PORT` or `[IPv6]:PORT`.
    public init(parsing text: String) throws(WalletError) {
        func failure() -> WalletError {
            WalletError(
                .invalidAddress, "`\(text)` is not HOST:PORT",
                hint: "the virtual reader's first slot is localhost:\(Self.standardPort)")
        }
        guard !text.isEmpty else { throw failure() }
        var host = Substring(text)
        var port: UInt16? = Self.standardPort
        if let bracket = text.lastIndex(of: "]"), text.hasPrefix("[") {
            host = text[text.index(after: text.startIndex)..<bracket]
            let rest = text[text.index(after: bracket)...]
            if !rest.isEmpty { port = rest.hasPrefix(":") ? UInt16(rest.dropFirst()) : nil }
        } else if let colon = text.lastIndex(of: ":") {
            host = text[..<colon]
            port = UInt16(text[text.index(after: colon)...])
            guard !host.contains(":") else { throw failure() }
        }
        guard let port, port > 0 else { throw failure() }
        self.init(host: host.isEmpty ? "localhost" : String(host), port: port)
    }

    /// `HOST:PORT`.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
