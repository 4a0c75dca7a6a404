// SPDX-License-Identifier: Apache-2.0

public import WalletCrypto

/// Where a NATS server is, and how to get in.
public struct NATSOptions: Sendable {
    /// Who we are to the server. Secrets come from files, never from a URL or an argument.
    public enum Authentication: Sendable {
        /// The server wants none.
        case none
        /// A user's JWT and seed, as in a `.creds` file (docs.nats.io, "Authentication with Credentials").
        case credentials(SecretBytes)
        /// A user and its password.
        case password(user: String, SecretBytes)
        /// A token.
        case token(SecretBytes)
    }

    /// One or more servers of one cluster: `nats://host:4222` or `tls://host:4222`.
    public let servers: [String]
    /// Who we are.
    public var authentication = Authentication.none
    /// PEM of the authorities that the server's certificate is checked against, instead of the system's.
    public var authorityFile: String?
    /// The name that the server shows in its list of connections.
    public var clientName = "countertop"
    /// How long to wait for a connection.
    public var connectTimeout = Duration.seconds(5)

    /// Options for the servers of a list such as `nats://a:4222,nats://b:4222`.
    ///
    /// - Throws: `BrokerError` when it is no such list, or holds a password.
    public init(url: String) throws(BrokerError) {
        var servers: [String] = []
        for part in url.split(separator: ",") {
            var server = String(part).trimmed
            if !server.contains("://") { server = "nats://" + server }
            let (scheme, rest) = server.divided(at: "://")
            guard ["nats", "tls"].contains(scheme) else {
                throw BrokerError(
                    .invalidSetting, "a NATS server's URL begins with nats:// or tls://",
                    hint: "such as nats://127.0.0.1:4222")
            }
            guard !rest.contains("@") else {
                throw BrokerError(
                    .invalidSetting, "a NATS server's URL must not hold a user, a password or a token",
                    hint: "put the secret into a file that only you can read")
            }
            guard !rest.isEmpty, rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw BrokerError(.invalidSetting, "a NATS server's URL needs a host")
            }
            servers.append(server)
        }
        guard !servers.isEmpty else { throw BrokerError(.invalidSetting, "there is no NATS server in the URL") }
        self.servers = servers
    }

    /// Whether the connection must be encrypted.
    var wantsTLS: Bool { authorityFile != nil || servers.contains { $0.hasPrefix("tls://") } }
}

/// How a JetStream stream is made, when we may make it.
public struct NATSStreamOptions: Hashable, Sendable {
    /// Its name.
    public var name: String
    /// The subjects that it keeps.
    public var subjects: [String]
    /// How long the server knows a message's id again. Hours: a counter that comes back sends what it is not sure of.
    public var duplicateWindow = Duration.seconds(2 * 3600)
    /// How long messages are kept.
    public var maximumAge = Duration.seconds(7 * 86_400)
    /// How many bytes are kept; no limit when nil.
    public var maximumBytes: Int?
    /// On how many servers of a cluster each message is kept: 1, 3 or 5.
    public var replicas = 1

    /// Options for a stream of these subjects.
    public init(name: String = "TAPS", subjects: [String] = ["taps.>"]) {
        (self.name, self.subjects) = (name, subjects)
    }
}

extension String {
    /// Without blanks at both ends.
    var trimmed: String {
        let head = drop { $0.isWhitespace }
        return String(head.reversed().drop { $0.isWhitespace }.reversed())
    }

    /// What stands before and after the first `mark`; nothing after it when it is not there.
    func divided(at mark: String) -> (String, String) {
        guard let range = firstRange(of: mark) else { return (self, "") }
        return (String(self[..<range.lowerBound]), String(self[range.upperBound...]))
    }
}
