// SPDX-License-Identifier: Apache-2.0

import CardTesting
import ISO7816
import Synchronization
import Testing

@testable import PCSC

@Suite("Cancellation and endurance", .serialized, .enabled(if: PrivatePCSCD.isAvailable, needsDaemon))
struct CancellationTests {
    @Test("Cancelling a wait in progress")
    func inProgress() async throws {
        try await PrivatePCSCD.exclusive { daemon in
            // A slice so long that only the cancellation can end it.
            var options = PCSCReader.Options.quick()
            options.waitSlice = .seconds(60)
            let reader = daemon.reader(options)
            let wait = Task { await code { _ = try await reader.waitForCard(timeout: nil) } }
            try await Task.sleep(for: .milliseconds(300))
            let start = ContinuousClock.now
            wait.cancel()
            #expect(await wait.value == .cancelled)
            #expect(start.duration(to: .now) < promptly)
            let card = ScriptedCard(port: daemon.port)
            card.insert()
            await expectTap(reader, "after a cancelled wait")
        }
    }

    @Test("Cancelling while the wait starts, 100 times", .timeLimit(.minutes(10)))
    func racing() async throws {
        try await PrivatePCSCD.exclusive { daemon in
            let reader = daemon.reader()
            _ = await code { _ = try await reader.waitForCard(timeout: .zero) }
            for round in 0..<100 {
                let wait = Task { await code { _ = try await reader.waitForCard(timeout: nil) } }
                if round % 4 != 0 { try await Task.sleep(for: .microseconds(round * 17 % 400)) }
                let start = ContinuousClock.now
                wait.cancel()
                #expect(await wait.value == .cancelled)
                #expect(start.duration(to: .now) < promptly)
            }
            let start = ContinuousClock.now
            _ = await code { _ = try await exchange(reader) }
            #expect(start.duration(to: .now) < promptly, "a lost cancel costs a slice")
        }
    }

    @Test("A cancelled task does not begin an access, and one that began runs to its end")
    func access() async throws {
        try await PrivatePCSCD.exclusive { daemon in
            let card = ScriptedCard(port: daemon.port) { command, _ in
                .answerAfter(command + [0x90, 0], milliseconds: 100)
            }
            card.insert()
            let reader = daemon.reader()
            _ = try await reader.waitForCard(timeout: .seconds(3))
            let begun = Task {
                try await reader.withCard(ending: .leave) { channel in
                    for _ in 0..<3 { _ = try channel.transmit(command) }
                    return Task.isCancelled
                }
            }
            try await Task.sleep(for: .milliseconds(100))
            let queued = Task { await code { _ = try await exchange(reader) } }
            try await Task.sleep(for: .milliseconds(50))
            queued.cancel()
            begun.cancel()
            #expect(await queued.value == .cancelled)
            #expect(try await begun.value, "the body sees the cancellation and decides itself")
            #expect(card.commandCount == 3)
        }
    }

    @Test("Contexts, descriptors and threads are constant over 1,000 rounds", .timeLimit(.minutes(2)))
    func constant() async throws {
        try await PrivatePCSCD.exclusive { daemon in
            let card = ScriptedCard(port: daemon.port)
            card.insert()
            let reader = daemon.reader()
            _ = try await reader.waitForCard(timeout: .seconds(3))
            #expect(try await exchange(reader, ending: .leave) == echoed)
            let client = clientDescriptors(of: daemon.socketPath).count
            let server = daemon.openDescriptors
            let before = threads(named: "pcsc-reader")
            #expect(client == 1)
            for round in 0..<1_000 {
                _ = try await reader.waitForCard(timeout: .seconds(3))
                #expect(try await exchange(reader, ending: .leave) == echoed)
                if round % 50 == 0 { _ = try await PCSCReader.readerNames() }
                if round % 100 == 0 {
                    let wait = Task { await code { _ = try await reader.waitForRemoval(timeout: nil) } }
                    wait.cancel()
                    #expect(await wait.value == .cancelled)
                }
            }
            // The list of readers has a session of its own, kept.
            #expect(clientDescriptors(of: daemon.socketPath).count == client + 1)
            #expect(daemon.openDescriptors == server.map { $0 + 1 })
            #expect(threads(named: "pcsc-reader") <= before + 1)
        }
    }

    @Test("Readers that come and go, and daemons that die, leave nothing behind", .timeLimit(.minutes(2)))
    func nothingLeft() async throws {
        try await PrivatePCSCD.exclusive { daemon in
            let card = ScriptedCard(port: daemon.port)
            let shared = daemon.reader()
            for round in 0..<60 {
                let reader = daemon.reader()
                _ = await code { _ = try await exchange(reader) }
                if round % 10 == 5 { try daemon.restart() }
                _ = await code { _ = try await exchange(shared) }
            }
            card.insert()
            await expectTap(shared, "after six restarts")
            try await settle { clientDescriptors(of: daemon.socketPath).count }
            #expect(clientDescriptors(of: daemon.socketPath).count <= 2)
        }
    }
}
