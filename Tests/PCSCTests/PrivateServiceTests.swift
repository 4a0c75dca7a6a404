// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import Testing

/// The helper that starts services of a test's own; the library is not used here.
@Suite("A private pcscd", .serialized, .enabled(if: PrivatePCSCD.isAvailable, needsDaemon))
struct PrivateServiceTests {
    /// The state letter of a process (proc(5), `/proc/PID/stat`, field 3); nil when there is none.
    private func state(_ pid: Int32) -> Character? {
        let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
        return text?.split(separator: ")").last?.split(separator: " ").first?.first
    }

    private func becomes(_ pid: Int32, _ isRight: (Character?) -> Bool) async throws -> Bool {
        for _ in 0..<500 where !isRight(state(pid)) { try await Task.sleep(for: .milliseconds(10)) }
        return isRight(state(pid))
    }

    @Test("two stand side by side and share nothing")
    func sideBySide() throws {
        let (first, second) = (try PrivatePCSCD(), try PrivatePCSCD(readerName: "Other Reader"))
        #expect(first.directory != second.directory && first.processID != second.processID)
        #expect(Set([first.port, first.port + 1, second.port, second.port + 1]).count == 4)
        #expect(first.slotNames == ["Virtual PCD 00 00", "Virtual PCD 00 01"])
        #expect(second.slotNames == ["Other Reader 00 00", "Other Reader 00 01"])
        for daemon in [first, second] {
            #expect(state(daemon.processID) != nil && (daemon.openDescriptors ?? 0) > 2)
            #expect(daemon.environment == ["PCSCLITE_CSOCK_NAME": daemon.socketPath])
            #expect(FileManager.default.fileExists(atPath: daemon.socketPath))
            #expect(daemon.logPath.hasPrefix(daemon.directory) && daemon.socketPath.hasPrefix(daemon.directory))
        }
        first.kill()
        #expect(state(second.processID) != nil, "killing one leaves the other")
    }

    @Test("killed it is gone, started again it has the same socket and ports")
    func restart() throws {
        let daemon = try PrivatePCSCD()
        let (pid, port, socket) = (daemon.processID, daemon.port, daemon.socketPath)
        try daemon.start()
        #expect(daemon.processID == pid, "starting what runs does nothing")
        for _ in 0..<2 { daemon.kill() }
        #expect(daemon.processID == 0 && state(pid) == nil && daemon.openDescriptors == nil)
        // Signals to nobody go nowhere.
        daemon.freeze()
        daemon.thaw()
        try daemon.restart()
        #expect(daemon.processID > 0 && state(daemon.processID) != nil)
        #expect(daemon.port == port && daemon.socketPath == socket)
    }

    @Test("frozen it stands still, thawed it goes on, and a frozen one can be killed")
    func freeze() async throws {
        let daemon = try PrivatePCSCD()
        let pid = daemon.processID
        daemon.freeze()
        #expect(try await becomes(pid) { $0 == "T" })
        daemon.thaw()
        #expect(try await becomes(pid) { $0 != "T" && $0 != nil })
        daemon.freeze()
        daemon.kill()
        #expect(state(pid) == nil)
    }

    @Test("its process and its folder go with it")
    func cleanUp() throws {
        var (directory, pid) = ("", Int32(0))
        do {
            let daemon = try PrivatePCSCD()
            (directory, pid) = (daemon.directory, daemon.processID)
            #expect(FileManager.default.fileExists(atPath: directory))
            let folder = try FileManager.default.attributesOfItem(atPath: directory)
            #expect(folder[.posixPermissions] as? Int == 0o700, "nobody else can put a socket there")
        }
        #expect(state(pid) == nil && !FileManager.default.fileExists(atPath: directory))
    }

    @Test("one test at a time has the process, whatever it throws")
    func exclusive() async throws {
        struct Mine: Error {}
        let running = Shared(0)
        try await withThrowingTaskGroup { group in
            for number in 0..<3 {
                group.addTask {
                    do {
                        try await PrivatePCSCD.exclusive { daemon in
                            #expect(
                                running.withLock {
                                    $0 += 1; return $0
                                } == 1)
                            #expect(daemon.processID > 0)
                            try await Task.sleep(for: .milliseconds(20))
                            running.withLock { $0 -= 1 }
                            if number == 1 { throw Mine() }
                        }
                    } catch is Mine { #expect(number == 1) }
                }
            }
            try await group.waitForAll()
        }
        #expect(running.withLock { $0 } == 0)
    }
}
