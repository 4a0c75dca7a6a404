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

extension PrivatePCSCD {
    /// The link that this process's libpcsclite looks at, whichever daemon it stands for.
    private static let link: String = {
        let path = "/tmp/countertop-pcsc-\(getpid()).comm"
        unlink(path)
        setenv("PCSCLITE_CSOCK_NAME", path, 1)
        atexit { unlink("/tmp/countertop-pcsc-\(getpid()).comm") }
        return path
    }()

    /// Makes this daemon the one that new contexts of this process go to.
    ///
    /// Works when the process had not used libpcsclite before the first call of this function.
    public func attach() {
        Self.point(at: socketPath)
    }

    /// Lets this process find no daemon at all.
    public static func detach() {
        point(at: "/nonexistent/countertop")
    }

    /// Points the process at any socket, for instance one that nobody answers.
    public static func point(at path: String) {
        let temporary = link + ".new"
        unlink(temporary)
        symlink(path, temporary)
        rename(temporary, link)
    }

    /// Starts a daemon, attaches this process to it and runs `body`; one caller at a time in the whole process.
    public static func exclusive<Result>(
        readerName: String = "Virtual PCD", isolation: isolated (any Actor)? = #isolation,
        _ body: (PrivatePCSCD) async throws -> Result
    ) async throws -> Result {
        await gate.enter()
        defer { gate.leave() }
        let daemon = try PrivatePCSCD(readerName: readerName)
        daemon.attach()
        defer {
            daemon.thaw()
            detach()
            daemon.kill()
        }
        return try await body(daemon)
    }

    private static let gate = Gate()
}

/// A lock for tasks: they wait in order without holding a thread.
private final class Gate: Sendable {
    private struct State {
        var isTaken = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func enter() async {
        await withCheckedContinuation { continuation in
            let enters = state.withLock { state in
                guard state.isTaken else {
                    state.isTaken = true
                    return true
                }
                state.waiters.append(continuation)
                return false
            }
            if enters { continuation.resume() }
        }
    }

    func leave() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            guard !state.waiters.isEmpty else {
                state.isTaken = false
                return nil
            }
            return state.waiters.removeFirst()
        }
        next?.resume()
    }
}
