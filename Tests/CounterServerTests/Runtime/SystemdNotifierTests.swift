// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import CounterServer

/// A service manager's socket, by path or in the abstract namespace.
final class ManagerSocket {
    struct Failure: Error {}
    private let descriptor: Int32

    init(_ name: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(name.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            path.copyBytes(from: bytes)
            if name.hasPrefix("@") { path[0] = 0 }
        }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard status == 0 else { throw Failure() }
        var patience = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// The next message; nil after five seconds without one.
    func next() -> String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
}

@Suite("The service manager's notifications")
struct SystemdNotifierTests {
    @Test("A socket by its path, and one in the abstract namespace", arguments: [false, true])
    func messages(isAbstract: Bool) throws {
        let folder = try TemporaryFolder()
        let name = isAbstract ? "@countertop-test-\(UUID().uuidString)" : folder.path("notify")
        let manager = try ManagerSocket(name)
        let notifier = SystemdNotifier(environment: ["NOTIFY_SOCKET": name])
        notifier.ready("Listening\nat port 1")
        #expect(manager.next()?.hasPrefix("READY=1\nSTATUS=Listening at port 1\nMAINPID=") == true)
        notifier.status("ready: hold the phone")
        #expect(manager.next() == "STATUS=ready: hold the phone")
        notifier.alive()
        #expect(manager.next() == "WATCHDOG=1")
        notifier.stopping()
        #expect(manager.next() == "STOPPING=1\nSTATUS=Ending")
    }

    @Test("The watchdog's interval is for the process that it names")
    func watchdog() {
        func interval(_ variables: [String: String]) -> Duration? {
            SystemdNotifier(
                environment: ["NOTIFY_SOCKET": "/run/notify"].merging(variables) { $1 }, process: 42
            ).watchdog
        }
        #expect(interval(["WATCHDOG_USEC": "30000000"]) == .seconds(30))
        #expect(interval(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "42"]) == .seconds(30))
        #expect(interval(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "43"]) == nil)
        #expect(
            interval([:]) == nil && interval(["WATCHDOG_USEC": "0"]) == nil && interval(["WATCHDOG_USEC": "x"]) == nil)
    }

    @Test("Without a manager, or with a socket that cannot be, nothing happens")
    func nobody() {
        for name in ["", "relative", "@", "/", "/nonexistent/" + String(repeating: "x", count: 200), "/nonexistent"] {
            SystemdNotifier(environment: ["NOTIFY_SOCKET": name]).ready("x")
        }
        SystemdNotifier(environment: [:]).alive()
    }
}
