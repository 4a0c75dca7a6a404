// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A PostgreSQL cluster of a test's own, on loopback and a socket in its folder. Its user is `tester`.
public final class PostgresServer: Sendable {
    /// Where Debian and others put the programs.
    private static let places: [String] = {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return versions.sorted { $0.compare($1, options: .numeric) == .orderedDescending }.map { "\(root)/\($0)/bin" }
    }()
    /// Where `postgres` is; nil when it is not installed.
    public static let program = LocalServer.program("postgres", in: places)
    /// Why tests that need it do not run.
    public static let reason = "postgres is not installed (Debian: postgresql)"

    /// The process.
    public let process: LocalServer
    /// The password of `tester` over TCP, in a file that is ours alone.
    public let passwordFile: String
    private let folder: TemporaryFolder

    /// A connection string over TCP, which asks for the password.
    public var connection: String {
        "host=127.0.0.1 port=\(process.port) user=tester dbname=postgres sslmode=disable"
    }
    /// A connection string over the socket, which asks for nothing.
    public var localConnection: String { "host=\(folder.path("run")) port=\(process.port) user=tester dbname=postgres" }

    /// Makes a cluster and starts it: some seconds.
    public init() throws {
        let folder = try TemporaryFolder()
        let port = try LocalServer.freePort()
        let password = UUID().uuidString
        passwordFile = try folder.write("password", password + "\n")
        let owner = try Self.owner(of: folder)
        try folder.write("pwfile", password + "\n", mode: 0o644)
        let settings = [
            "-U", "tester", "--no-sync", "--auth-local=trust", "--auth-host=scram-sha-256", "--encoding=UTF8",
            "--locale=C", "--pwfile=\(folder.path("pwfile"))", "-D", folder.path("run/data"),
        ]
        let made = try SampleCompiler.run("/usr/bin/env", owner + [Self.tool("initdb")] + settings)
        guard made.status == 0 else { throw LocalServer.Failure(description: "initdb: \(made.text.suffix(800))") }
        let (ready, run) = (Self.tool("pg_isready"), folder.path("run"))
        self.folder = folder
        // What a killed process wrote, the system still has; without fsync a start after a crash takes no time.
        process = try LocalServer(
            ["/usr/bin/env"] + owner + [
                Self.tool("postgres"), "-D", folder.path("run/data"), "-k", run, "-p", "\(port)",
                "-c", "listen_addresses=127.0.0.1", "-c", "max_connections=30", "-c", "shared_buffers=16MB",
                "-c", "fsync=off",
            ], folder: folder.url, port: port
        ) {
            let answer = try? SampleCompiler.run(ready, ["-q", "-h", run, "-p", "\(port)"])
            return answer?.status == 0
        }
    }

    /// What a query gives, as `psql` prints it without headings: rows by lines, columns divided by `|`.
    public func query(_ text: String) throws -> String {
        let answer = try SampleCompiler.run(
            Self.tool("psql"), ["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-d", localConnection, "-c", text])
        guard answer.status == 0 else { throw LocalServer.Failure(description: "psql: \(answer.text)") }
        return answer.text.trimmingCharacters(in: .newlines)
    }

    private static func tool(_ name: String) -> String { LocalServer.program(name, in: places) ?? name }

    /// PostgreSQL does not run as root: then it is `postgres`, Debian's user for it, who gets the folder `run`.
    private static func owner(of folder: TemporaryFolder) throws -> [String] {
        let run = folder.url.appending(path: "run")
        try FileManager.default.createDirectory(at: run, withIntermediateDirectories: true)
        guard getuid() == 0 else { return [] }
        try FileManager.default.setAttributes(
            [.ownerAccountName: "postgres", .posixPermissions: 0o755], ofItemAtPath: run.path())
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.url.path())
        return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    }
}
