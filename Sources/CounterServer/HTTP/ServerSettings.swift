// SPDX-License-Identifier: Apache-2.0

public import Logging

/// What a service bears from its clients.
public struct ServerLimits: Hashable, Sendable {
    /// Bytes of a request's body; more is answered with 413.
    public var bodyBytes = 256 << 10
    /// Bytes of all header fields, target included.
    public var headerBytes = 64 << 10
    /// From the first byte of a request to its last; then the connection is closed.
    public var request = Duration.seconds(10)
    /// From the last byte of a request to the last of its answer, delays on purpose not counted.
    public var answer = Duration.seconds(30)
    /// How long the client of an event stream may take nothing of what is there for it.
    public var stalled = Duration.seconds(15)
    /// Event streams at a time; more are answered with 503.
    public var streams = 64
    /// How often an event stream without events shows that it is there.
    public var heartbeat = Duration.seconds(15)
    /// How long a connection may be open with nothing going on.
    public var idle = Duration.seconds(30)
    /// Connections at a time; more wait until one is closed.
    public var connections = 512
    /// How long requests may go on after the end was asked for.
    public var shutdown = Duration.milliseconds(1500)

    /// The usual limits.
    public init() {}
}

/// A certificate with its key, in PEM. Never printed.
public struct ServerIdentity: Sendable, CustomStringConvertible, CustomReflectable {
    let certificates: [UInt8]
    let key: [UInt8]

    /// An identity from the bytes of two PEM files: the chain, leaf first, and the private key.
    public init(certificates: [UInt8], key: [UInt8]) { (self.certificates, self.key) = (certificates, key) }

    /// The kind of value, and no more.
    public var description: String { "<ServerIdentity, concealed>" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// How a service is reached.
public struct ServerSettings: Sendable {
    /// Where it listens.
    public var address = ListenAddress(host: "127.0.0.1", port: 8080)
    /// Whether it may listen where others reach it although it asks nobody for a token.
    public var allowsAnyone = false
    /// With which it speaks TLS; nil for plain HTTP.
    public var identity: ServerIdentity?
    /// What it bears.
    public var limits = ServerLimits()
    /// Takes the lines of the audit log, each one JSON object without a line feed. Called from any thread, from
    /// several at a time.
    public var audit: (@Sendable (String) -> Void)?
    /// For faults of the service itself, at debug and trace only.
    public var logger = Logger(label: "countertop.server") { _ in SwiftLogNoOpLogHandler() }

    /// Loopback, port 8080, the usual limits.
    public init() {}
}
