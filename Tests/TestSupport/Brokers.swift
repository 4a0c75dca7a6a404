// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A `nats-server` with JetStream and a store of its own.
public final class NATSServer: Sendable {
    /// Where the program is; nil when it is not installed.
    public static let program = LocalServer.program("nats-server")
    /// Why tests that need it do not run, for a trait's comment.
    public static let reason = "nats-server is not installed (Debian: nats-server)"

    /// The process.
    public let process: LocalServer
    private let folder: TemporaryFolder

    /// The server's URL.
    public var url: String { "nats://127.0.0.1:\(process.port)" }

    /// Starts one.
    ///
    /// - Parameters:
    ///   - configuration: more lines of its configuration, such as users or TLS.
    ///   - hasJetStream: whether it keeps streams.
    public init(configuration: String = "", hasJetStream: Bool = true) throws {
        let folder = try TemporaryFolder()
        let port = try LocalServer.freePort()
        let file = try folder.write(
            "nats.conf",
            """
            listen: 127.0.0.1:\(port)
            \(hasJetStream ? "jetstream { store_dir: \"\(folder.path("store"))\" }" : "")
            \(configuration)

            """)
        self.folder = folder
        process = try LocalServer(
            [Self.program ?? "nats-server", "-c", file], folder: folder.url, port: port
        ) { LocalServer.listens(port) }
    }
}

/// A `mosquitto`.
public final class MosquittoBroker: Sendable {
    /// Where the program is; nil when it is not installed.
    public static let program = LocalServer.program("mosquitto")
    /// Why tests that need it do not run.
    public static let reason = "mosquitto is not installed (Debian: mosquitto)"

    /// The process.
    public let process: LocalServer
    private let folder: TemporaryFolder

    /// The broker's URL.
    public var url: String { "mqtt://127.0.0.1:\(process.port)" }

    /// Starts one.
    ///
    /// - Parameter configuration: more lines of its configuration; without any it lets everybody in.
    public init(configuration: String = "allow_anonymous true") throws {
        let folder = try TemporaryFolder()
        let port = try LocalServer.freePort()
        // It gives up root's rights for this user's otherwise, who may not read the folder.
        let user = getuid() == 0 ? "user root\n" : ""
        let file = try folder.write("mosquitto.conf", "listener \(port) 127.0.0.1\n\(user)\(configuration)\n")
        self.folder = folder
        process = try LocalServer(
            [Self.program ?? "mosquitto", "-c", file, "-v"], folder: folder.url, port: port
        ) { LocalServer.listens(port) }
    }
}
