// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

/// A server of somebody else's, started for one test on loopback and ended with its owner; also when this process dies
/// first, because a small shell beside it sees its standard input close.
public final class LocalServer: Sendable {
    /// A server that did not start, or a program that is not there.
    public struct Failure: Error, CustomStringConvertible {
        /// What went wrong.
        public let description: String
    }

    private struct State {
        var shell: Process?
        var input: Pipe?
        var pid: pid_t = 0
    }

    private static let script = """
        exec 3<&0
        log=$1 pid=$2
        shift 2
        "$@" </dev/null >>"$log" 2>&1 &
        server=$!
        echo $server >"$pid"
        (cat <&3 >/dev/null; kill -9 $server 2>/dev/null) &
        watch=$!
        wait $server
        kill $watch 2>/dev/null
        """

    /// Where the server's log and process number are.
    public let folder: URL
    /// The TCP port on 127.0.0.1.
    public let port: UInt16
    private let command: [String]
    private let answers: @Sendable () -> Bool
    private let state: Mutex<State>

    /// Starts a server and waits until it answers.
    ///
    /// - Parameters:
    ///   - command: program and arguments.
    ///   - folder: for log and process number; it must exist, and outlive the server.
    ///   - port: where it listens.
    ///   - answers: whether it is up; asked again and again.
    public init(_ command: [String], folder: URL, port: UInt16, answers: @escaping @Sendable () -> Bool) throws {
        (self.command, self.folder, self.port, self.answers) = (command, folder, port, answers)
        state = Mutex(State())
        try start()
    }

    deinit { kill() }

    /// The server's process number; 0 while none runs.
    public var processID: pid_t { state.withLock { $0.pid } }

    /// What the server said, its end.
    public var log: String {
        let text = (try? String(contentsOf: folder.appending(path: "server.log"), encoding: .utf8)) ?? ""
        return String(text.suffix(1500))
    }

    /// Starts the server again on the same port and waits until it answers. Does nothing while it runs.
    public func start() throws {
        try state.withLock { state in
            guard state.pid == 0 else { return }
            // What a crash left behind may be in the way for a moment.
            for attempt in 1...20 {
                do { return try launch(&state) } catch  where attempt < 20 { usleep(250_000) }
            }
        }
    }

    /// Ends the server as a crash does (SIGKILL), and waits until it is gone.
    public func kill() { end(SIGKILL) }

    /// Asks the server to end (SIGTERM), and waits until it is gone.
    public func stop() { end(SIGTERM) }

    /// Kills the server and starts it again.
    public func restart(pause: Duration = .zero) throws {
        kill()
        usleep(UInt32(pause / .microseconds(1)))
        try start()
    }

    /// Stops the server in its tracks (SIGSTOP), or lets it go on (SIGCONT): it is there and does not answer.
    public func freeze(_ frozen: Bool) { _ = Foundation.kill(processID, frozen ? SIGSTOP : SIGCONT) }

    private func launch(_ state: inout State) throws {
        let pidFile = folder.appending(path: "server.pid")
        try? FileManager.default.removeItem(at: pidFile)
        let (shell, input) = (Process(), Pipe())
        shell.executableURL = URL(filePath: "/bin/sh")
        let log = folder.appending(path: "server.log").path()
        shell.arguments = ["-c", Self.script, "sh", log, pidFile.path()] + command
        shell.standardInput = input
        shell.standardOutput = FileHandle.nullDevice
        shell.standardError = FileHandle.nullDevice
        try shell.run()
        let end = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < end, shell.isRunning {
            if state.pid == 0, let text = try? String(contentsOf: pidFile, encoding: .utf8),
                let pid = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines))
            {
                (state.shell, state.input, state.pid) = (shell, input, pid)
            }
            if state.pid != 0, answers() { return }
            usleep(20_000)
        }
        Self.end(&state, SIGKILL)
        throw Failure(description: "\(command.first ?? "the server") did not come up: \(log)")
    }

    private func end(_ signal: Int32) { state.withLock { Self.end(&$0, signal) } }

    private static func end(_ state: inout State, _ signal: Int32) {
        guard state.pid != 0 else { return }
        _ = Foundation.kill(state.pid, signal)
        _ = Foundation.kill(state.pid, SIGCONT)
        state.shell?.waitUntilExit()
        try? state.input?.fileHandleForWriting.close()
        state = State()
    }

    /// A TCP port on loopback that nobody listens at.
    public static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(description: "no socket") }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isBound else { throw Failure(description: "no free port") }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Whether somebody takes connections at a port of loopback.
    public static func listens(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// The path of a program, in the usual places and then in those given; nil when it is not installed.
    public static func program(_ name: String, in places: [String] = []) -> String? {
        (["/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"] + places).map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
