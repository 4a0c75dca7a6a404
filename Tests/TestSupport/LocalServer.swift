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
        var pid: pid_t = 0
        /// The end of the pipe that we keep.
        var pipe: Int32 = -1
    }

    /// The shell becomes the server. Its child reads from us until nobody writes any more, and then ends the server,
    /// unless that is no longer its parent.
    private static let script = """
        exec 3<&0
        log=$1
        shift
        (
            while read -r line <&3; do :; done
            read -r number name state parent rest </proc/self/stat
            [ "$parent" = $$ ] && kill -9 $$
        ) >/dev/null 2>&1 &
        exec "$@" </dev/null >>"$log" 2>&1 3<&-
        """

    /// Where the server's log is.
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
    ///   - folder: for the log; it must exist, and outlive the server.
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
    public func kill() { state.withLock { Self.end(&$0) } }

    /// Kills the server and starts it again.
    public func restart(pause: Duration = .zero) throws {
        kill()
        usleep(UInt32(pause / .microseconds(1)))
        try start()
    }

    /// Stops the server in its tracks (SIGSTOP), or lets it go on (SIGCONT): it is there and does not answer.
    public func freeze(_ frozen: Bool) { _ = Foundation.kill(processID, frozen ? SIGSTOP : SIGCONT) }

    private func launch(_ state: inout State) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failure(description: "no pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        let log = folder.appending(path: "server.log").path()
        state.pipe = ends[1]
        state.pid = try Self.spawn(["/bin/sh", "-c", Self.script, "sh", log] + command, input: ends[0])
        let end = ContinuousClock.now + .seconds(30)
        var status: Int32 = 0
        while ContinuousClock.now < end {
            usleep(20_000)
            if waitpid(state.pid, &status, WNOHANG) != 0 {
                close(state.pipe)
                state = State()
                throw Failure(description: "\(command.first ?? "the server") ended at once: \(self.log)")
            }
            if answers() { return }
        }
        Self.end(&state)
        throw Failure(description: "\(command.first ?? "the server") did not come up: \(self.log)")
    }

    /// Starts a program with no signal blocked, whatever thread this is.
    private static func spawn(_ command: [String], input: Int32) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        for number in [STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_WRONLY, 0)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let arguments = command.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var pid: pid_t = 0
        let status = posix_spawn(&pid, command[0], &actions, &attributes, arguments, environ)
        guard status == 0 else { throw Failure(description: "\(command[0]) does not start: error \(status)") }
        return pid
    }

    private static func end(_ state: inout State) {
        guard state.pid != 0 else { return }
        _ = Foundation.kill(state.pid, SIGKILL)
        var status: Int32 = 0
        while waitpid(state.pid, &status, 0) < 0, errno == EINTR {}
        close(state.pipe)
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
