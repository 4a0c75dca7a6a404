// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Dispatch
import Glibc
import ISO7816
import Testing

@testable import PCSC

@Suite("Other programs at the same daemon", .serialized, .enabled(if: PrivatePCSCD.isAvailable, needsDaemon))
struct SharingTests {
    /// Runs blocking calls of a raw client off the cooperative pool.
    private func away<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: body()) }
        }
    }

    private func withCard(
        resetMilliseconds: UInt32 = 0,
        _ body: (PrivatePCSCD, ScriptedCard, PCSCReader, RawClient) async throws -> Void
    ) async throws {
        try await PrivatePCSCD.exclusive { daemon in
            let card = ScriptedCard(port: daemon.port, resetMilliseconds: resetMilliseconds)
            card.insert()
            let reader = daemon.reader()
            _ = try await reader.waitForCard(timeout: .seconds(3))
            let client = await away { RawClient() }
            try await body(daemon, card, reader, client)
            _ = await away { client.release() }
        }
    }

    @Test("Exclusive elsewhere: said at once, works when it is over")
    func exclusive() async throws {
        try await withCard { daemon, _, reader, client in
            #expect(await away { client.connect(daemon.slotNames[0], exclusive: true) } == 0)
            let start = ContinuousClock.now
            #expect(await code { _ = try await exchange(reader) } == .interfered)
            #expect(start.duration(to: .now) < promptly)
            let presence = try await reader.waitForCard(timeout: .seconds(1))
            #expect(!presence.atr.isEmpty, "still seen")
            _ = await away { client.disconnect() }
            await expectTap(reader, "after the exclusive access")
        }
    }

    @Test("Transaction held elsewhere: waited for, then given up in bounded time", .timeLimit(.minutes(10)))
    func transaction() async throws {
        try await withCard { daemon, _, reader, client in
            #expect(await away { client.connect(daemon.slotNames[0]) } == 0)
            #expect(await away { client.begin() } == 0)
            let start = ContinuousClock.now
            #expect(await code { _ = try await exchange(reader) } == .interfered)
            #expect(start.duration(to: .now) < promptly)
            #expect(await away { client.end() } == 0)
            _ = await away { client.disconnect() }
            await expectTap(reader, "after the other's transaction")
        }
    }

    @Test("Transaction held elsewhere for a moment: no error at all")
    func shortTransaction() async throws {
        try await withCard { daemon, _, reader, client in
            _ = await away { client.connect(daemon.slotNames[0]) }
            #expect(await away { client.begin() } == 0)
            async let ending = away {
                usleep(400_000)
                return client.end()
            }
            let answer = try await exchange(reader)
            #expect(answer == echoed)
            #expect(await ending == 0)
        }
    }

    /// The daemon gives the dead client's transaction up first and resets the card under whoever comes next.
    @Test("A client that dies within its transaction frees the card", arguments: [0, 50, 300] as [UInt32])
    func deadClient(resetMilliseconds: UInt32) async throws {
        try await withCard(resetMilliseconds: resetMilliseconds) { daemon, _, reader, _ in
            for pause in [0, 20, 100] {
                let before = clientDescriptors(of: daemon.socketPath)
                let doomed = await away { RawClient() }
                let own = clientDescriptors(of: daemon.socketPath).subtracting(before)
                #expect(own.count == 1)
                _ = await away { doomed.connect(daemon.slotNames[0]) }
                #expect(await away { doomed.begin() } == 0)
                // The daemon sees what it sees of a dead process: the end of the connection.
                for descriptor in own { shutdown(descriptor, Int32(SHUT_RDWR)) }
                try await Task.sleep(for: .milliseconds(pause))
                try await expectThree(reader)
                _ = await away { doomed.release() }
            }
        }
    }

    @Test("A client that disconnects with a slow reset, while we wait", arguments: [0, 50, 300] as [UInt32])
    func slowReset(milliseconds: UInt32) async throws {
        try await withCard(resetMilliseconds: milliseconds) { daemon, card, reader, client in
            for _ in 0..<3 {
                _ = await away { client.connect(daemon.slotNames[0]) }
                #expect(await away { client.begin() } == 0)
                let ours = Task { try await expectThree(reader) }
                try await Task.sleep(for: .milliseconds(50))
                _ = await away { client.disconnect(resetting: true) }
                try await ours.value
            }
            #expect(card.controls.contains(2))
        }
    }

    /// Three commands in one access, none of them disturbed.
    private func expectThree(_ reader: PCSCReader) async throws {
        let answers = try await reader.withCard(ending: .reset) { channel in
            try (0..<3).map { _ in try channel.transmit(command) }
        }
        #expect(answers == [echoed, echoed, echoed])
    }

    @Test("Reset elsewhere between our connect and our transaction")
    func resetElsewhere() async throws {
        try await withCard { daemon, card, reader, client in
            _ = await away { client.connect(daemon.slotNames[0]) }
            #expect(await away { client.begin() } == 0)
            let ours = Task { try await exchange(reader) }
            try await Task.sleep(for: .milliseconds(300))
            #expect(await away { client.reset() } == 0)
            #expect(await away { client.end() } == 0)
            #expect(try await ours.value == echoed)
            #expect(card.controls.contains(2))
        }
    }

    @Test("Two readers side by side do not wait for each other")
    func twoReaders() async throws {
        try await PrivatePCSCD.exclusive { daemon in
            let cards = [daemon.port, daemon.port + 1].map { port in
                ScriptedCard(port: port) { command, _ in .answerAfter(command + [0x90, 0], milliseconds: 500) }
            }
            for card in cards { card.insert() }
            let readers = [0, 1].map { daemon.reader(slot: $0, .quick(transmit: .seconds(5), call: .seconds(5))) }
            for reader in readers { _ = try await reader.waitForCard(timeout: .seconds(3)) }
            let spans = Shared<[(start: ContinuousClock.Instant, end: ContinuousClock.Instant)]>([])
            try await withThrowingTaskGroup { group in
                for reader in readers {
                    group.addTask {
                        try await reader.withCard(ending: .leave) { channel in
                            let start = ContinuousClock.now
                            let answer = try channel.transmit(command)
                            #expect(answer == echoed)
                            spans.withLock { $0.append((start, ContinuousClock.now)) }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let both = spans.withLock { $0 }
            #expect(both.count == 2)
            #expect(both[0].0 < both[1].1 && both[1].0 < both[0].1, "the two commands overlap in time")
        }
    }

    @Test("Operations on one reader come one after another")
    func oneReader() async throws {
        try await withCard { _, _, reader, _ in
            let inside = Shared(0)
            try await withThrowingTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await reader.withCard(ending: .leave) { channel in
                            let count = inside.withLock { count in
                                count += 1
                                return count
                            }
                            #expect(count == 1)
                            _ = try channel.transmit(command)
                            inside.withLock { $0 -= 1 }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("The daemon's limit of contexts is an error with a hint", .timeLimit(.minutes(10)))
    func contextLimit() async throws {
        try await withCard { daemon, _, _, _ in
            let (crowd, refused) = await away { () -> ([RawClient], UInt32) in
                var crowd: [RawClient] = []
                while crowd.count < 250 {
                    let client = RawClient()
                    guard client.establishCode == 0 else { return (crowd, client.establishCode) }
                    crowd.append(client)
                }
                return (crowd, 0)
            }
            // Beyond its limit the daemon refuses, or hangs up before it answers.
            #expect([0x8010_006A, PCSCError.noService].contains(refused))
            let late = daemon.reader()
            do {
                _ = try await exchange(late)
                Issue.record("the daemon had room for one more")
            } catch let error as CardChannelError {
                #expect(error.code == .serviceGone)
                #expect([0x8010_006A, PCSCError.noService].contains(error.rawCode))
                #expect(error.hint?.contains("200") == true)
            }
            await away { for client in crowd { client.release() } }
            try await Task.sleep(for: .milliseconds(300))
            await expectTap(late, "when the crowd is gone")
        }
    }
}
