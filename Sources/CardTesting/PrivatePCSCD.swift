// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A smart card service of a test's own: pcscd with the virtual reader vpcd, started by systemd's socket-activation
/// protocol. No root, no shared state, several side by side.
///
/// A reader has two slots, "NAME 00 00" at ``port`` and "NAME 00 01" at ``port`` + 1; a card connects to such a port as
/// a TCP client. Programs find this daemon when their environment has ``environment``.
///
/// **In this process** there is a catch: libpcsclite reads `PCSCLITE_CSOCK_NAME` once, at its first use, and keeps it.
/// So the helper points that variable at a symbolic link of the process and turns the link (``attach()``): contexts
/// made before stay with their daemon, new ones go to the one attached last. `exclusive(readerName:_:)` does it all
/// for one test at a time. Call it before anything else in the process uses the library.
///
/// Everything is cleaned up when the object goes away, and by a small janitor process when this process dies first.
public final class PrivatePCSCD: Sendable {
    /// Why a daemon could not be started or did not come up.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// What went wrong.
        public let description: String
    }

    private struct State {
        var pid: pid_t = 0
    }

    /// The daemon's folder: socket, log, and the folder with the reader file.
    public let directory: String
    /// The TCP port of the first slot; the second is one more.
    public let port: UInt16
    /// The reader's name without its two numbers.
    public let readerName: String
    private let arguments: [String]
    private let state = Mutex(State())
    private let janitor: Janitor

    /// The socket that clients connect to.
    public var socketPath: String { directory + "/pcscd.comm" }
    /// Where the daemon writes its log.
    public var logPath: String { directory + "/log" }
    /// What a child process needs to find this daemon.
    public var environment: [String: String] { ["PCSCLITE_CSOCK_NAME": socketPath] }
    /// The names of the two slots, as clients see them.
    public var slotNames: [String] { ["\(readerName) 00 00", "\(readerName) 00 01"] }
    /// The daemon's process number; 0 while none runs.
    public var processID: Int32 { state.withLock { $0.pid } }

    /// Starts a daemon and waits until it takes connections.
    ///
    /// - Parameter arguments: more options of pcscd, such as `--apdu`.
    public init(readerName: String = "Virtual PCD", arguments: [String] = []) throws {
        if let reason = Self.unavailableReason { throw Failure(description: reason) }
        (self.readerName, self.arguments) = (readerName, arguments)
        directory = try Self.makeDirectory()
        do {
            port = try Self.freePortPair()
            janitor = try Janitor(directory: directory)
            try Self.writeConfiguration(directory: directory, readerName: readerName, port: port)
            try start()
        } catch {
            try? FileManager.default.removeItem(atPath: directory)
            throw error
        }
    }

    deinit { kill() }

    /// Starts the daemon again, on the same socket and ports. Does nothing while it runs.
    public func start() throws {
        try state.withLock { state in
            guard state.pid == 0 else { return }
            let listener = try Self.listen(at: socketPath)
            defer { close(listener) }
            state.pid = try Spawn.daemon(
                listener: listener, configuration: directory + "/conf", log: logPath, arguments: arguments)
            janitor.report(state.pid)
        }
        try waitUntilReady()
    }

    /// Kills the daemon as a crash does (SIGKILL) and waits until it is gone.
    public func kill() {
        state.withLock { state in
            guard state.pid > 0 else { return }
            _ = Self.signal(state.pid, SIGKILL)
            var status: Int32 = 0
            while waitpid(state.pid, &status, 0) < 0, errno == EINTR {}
            state.pid = 0
            janitor.report(0)
        }
    }

    /// Kills the daemon and starts it again on the same socket and ports.
    public func restart() throws {
        kill()
        try start()
    }

    /// Freezes the daemon (SIGSTOP): from then on every call of every client blocks.
    public func freeze() { _ = Self.signal(processID, SIGSTOP) }

    /// Lets a frozen daemon go on (SIGCONT).
    public func thaw() { _ = Self.signal(processID, SIGCONT) }

    /// What the daemon wrote so far, for a failing test's message.
    public var log: String {
        String(decoding: FileManager.default.contents(atPath: logPath) ?? Data(), as: UTF8.self)
    }

    /// How many file descriptors the daemon has open: one more per client context, so a leak shows here whatever
    /// else the test process does.
    public var openDescriptors: Int? {
        try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(processID)/fd").count
    }

    private static func signal(_ pid: pid_t, _ number: Int32) -> Int32 {
        pid > 0 ? Foundation.kill(pid, number) : -1
    }

    private func waitUntilReady() throws {
        let end = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < end {
            if Self.isListening(port), Self.isListening(port + 1) { return }
            var status: Int32 = 0
            if waitpid(processID, &status, WNOHANG) > 0 {
                state.withLock { $0.pid = 0 }
                throw Failure(description: "pcscd ended at once: \(log.suffix(400))")
            }
            usleep(2_000)
        }
        throw Failure(description: "pcscd did not come up: \(log.suffix(400))")
    }
}
