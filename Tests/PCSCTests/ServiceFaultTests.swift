// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Glibc
import ISO7816
import Testing

@testable import PCSC

@Suite("Faults of the service", .serialized, .enabled(if: PrivatePCSCD.isAvailable, needsDaemon))
struct ServiceFaultTests {
    @Test("No daemon is said at once, and its start is noticed")
    func noDaemon() async throws {
        try await PrivatePCSCD.exclusive { daemon in
            daemon.kill()
            let reader = daemon.reader()
            let start = ContinuousClock.now
            #expect(await code { _ = try await exchange(reader) } == .serviceGone)
            #expect(await code { _ = try await reader.waitForCard(timeout: nil) } == .serviceGone)
            await #expect(throws: PCSCError(rawCode: PCSCError.noService)) { try await PCSCReader.readerNames() }
            #expect(start.duration(to: .now) < promptly)
            try daemon.start()
            let card = ScriptedCard(port: daemon.port)
            card.insert()
            await expectTap(reader, "after the daemon was started")
        }
    }

    @Test("A frozen daemon blocks nobody for ever", .timeLimit(.minutes(10)))
    func frozen() async throws {
        try await PrivatePCSCD.exclusive { daemon in
            let card = ScriptedCard(port: daemon.port)
            card.insert()
            let options = PCSCReader.Options.quick(transmit: .milliseconds(400), call: .milliseconds(400))
            let reader = daemon.reader(options)
            _ = try await reader.waitForCard(timeout: .seconds(3))
            daemon.freeze()
            let start = ContinuousClock.now
            for _ in 0..<4 { #expect(await code { _ = try await exchange(reader) } == .timedOut) }
            #expect(await code { _ = try await reader.waitForCard(timeout: nil) } == .timedOut)
            #expect(await code { _ = try await reader.control(code: 1, [0]) } == .timedOut)
            let fresh = daemon.reader(options)
            #expect(await code { _ = try await exchange(fresh) } == .timedOut, "establishing has a deadline too")
            #expect(start.duration(to: .now) < promptly)
            daemon.thaw()
            try await Task.sleep(for: .milliseconds(300))
            await expectTap(daemon.reader(), "a new reader after the thaw")
            await expectTap(daemon.reader(), "and once more")
        }
    }

    @Test("A socket whose listener never answers blocks nobody for ever", .timeLimit(.minutes(10)))
    func deafListener() async throws {
        try await PrivatePCSCD.exclusive { daemon in
            let path = daemon.directory + "/deaf"
            let deaf = try #require(listener(at: path))
            PrivatePCSCD.point(at: path)
            let options = PCSCReader.Options.quick(transmit: .milliseconds(300), call: .milliseconds(300))
            let reader = daemon.reader(options)
            let start = ContinuousClock.now
            for _ in 0..<3 { #expect(await code { _ = try await exchange(reader) } == .timedOut) }
            #expect(await code { _ = try await reader.waitForCard(timeout: nil) } == .timedOut)
            #expect(start.duration(to: .now) < promptly)
            close(deaf)
            daemon.attach()
            let card = ScriptedCard(port: daemon.port)
            card.insert()
            try await Task.sleep(for: .milliseconds(300))
            await expectTap(daemon.reader(), "a daemon that answers")
        }
    }

    @Test("No listener, no service; a listener that hangs up is a service with too many clients")
    func whoListens() async throws {
        try await PrivatePCSCD.exclusive { daemon in
            #expect(ServiceSocket.hasListener)
            daemon.kill()
            #expect(!ServiceSocket.hasListener)
            #expect(PCSCError.refusedByService == PCSCError(rawCode: PCSCError.noService))
            #expect(PCSCError.refusedByService.hint?.contains("200") == true)
        }
    }

    /// A UNIX socket that takes connections and says nothing.
    private func listener(at path: String) -> Int32? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix($0.count - 1)) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return status == 0 && listen(descriptor, 16) == 0 ? descriptor : nil
    }

    @Test("A wait on a frozen daemon is cancelled at once")
    func cancelFrozen() async throws {
        try await PrivatePCSCD.exclusive { daemon in
            let reader = daemon.reader()
            _ = await code { _ = try await reader.waitForCard(timeout: .zero) }
            daemon.freeze()
            let task = Task { await code { _ = try await reader.waitForCard(timeout: nil) } }
            try await Task.sleep(for: .milliseconds(200))
            let start = ContinuousClock.now
            task.cancel()
            #expect(await task.value == .cancelled)
            #expect(start.duration(to: .now) < promptly)
            daemon.thaw()
            try await Task.sleep(for: .milliseconds(300))
        }
    }

    @Test("Killed in the middle of a command, restarted: the next tap works")
    func killedInTransmit() async throws {
        try await PrivatePCSCD.exclusive { daemon in
            let card = ScriptedCard(port: daemon.port) { command, count in
                guard count == 1 else { return .answer(command + [0x90, 0]) }
                daemon.kill()
                return .silence
            }
            card.insert()
            let reader = daemon.reader()
            _ = try await reader.waitForCard(timeout: .seconds(3))
            let found = await code {
                try await reader.withCard(ending: .reset) { channel in
                    for _ in 0..<3 { _ = try channel.transmit(command) }
                }
            }
            #expect(found == .serviceGone)
            #expect(await code { _ = try await exchange(reader) } == .serviceGone)
            try daemon.start()
            card.insert()
            try await Task.sleep(for: .milliseconds(300))
            await expectTap(reader, "after a restart")
        }
    }

    @Test("Killed and restarted in the middle of a wait: the wait goes on", .timeLimit(.minutes(10)))
    func killedInWait() async throws {
        try await PrivatePCSCD.exclusive { daemon in
            let reader = daemon.reader()
            let wait = Task { try await reader.waitForCard(timeout: .seconds(10)) }
            try await Task.sleep(for: .milliseconds(300))
            try daemon.restart()
            let card = ScriptedCard(port: daemon.port)
            card.insert()
            #expect(try await wait.value.atr.isEmpty == false)
            #expect(try await exchange(reader) == echoed)
        }
    }

    @Test("Killed and not restarted: the wait ends after the grace")
    func killedForGood() async throws {
        try await PrivatePCSCD.exclusive { daemon in
            var options = PCSCReader.Options.quick()
            options.reconnectGrace = .seconds(1)
            let reader = daemon.reader(options)
            let wait = Task { await code { _ = try await reader.waitForCard(timeout: nil) } }
            try await Task.sleep(for: .milliseconds(300))
            daemon.kill()
            #expect(await wait.value == .serviceGone)
        }
    }

    @Test("An unplugged or unknown reader is named so")
    func unknownReader() async throws {
        try await PrivatePCSCD.exclusive { _ in
            let reader = PCSCReader(name: "No such reader 00 00", options: .quick())
            #expect(await code { _ = try await exchange(reader) } == .readerGone)
            #expect(await code { _ = try await reader.waitForCard(timeout: .seconds(2)) } == .readerGone)
            #expect(await code { _ = try await reader.control(code: 1, [0]) } == .readerGone)
        }
    }

    @Test("Control reaches the driver, whose refusal is an error with its raw code")
    func control() async throws {
        try await PrivatePCSCD.exclusive { daemon in
            let reader = daemon.reader()
            do {
                // vpcd offers no feature: an empty list.
                let code = PCSCReader.controlCode(3400)
                #expect(code == 0x4200_0D48)
                _ = try await reader.control(code: code, [])
            } catch let error as CardChannelError {
                #expect(error.rawCode != nil)
            }
            _ = try await reader.vendorName()
        }
    }
}
