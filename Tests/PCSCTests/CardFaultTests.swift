// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Glibc
import ISO7816
import Testing

@testable import PCSC

@Suite("Faults of the card", .serialized, .enabled(if: PrivatePCSCD.isAvailable, needsDaemon))
struct CardFaultTests {
    @Test("No card", .timeLimit(.minutes(10)))
    func noCard() async throws {
        try await PrivatePCSCD.exclusive { daemon in
            let reader = daemon.reader()
            #expect(await code { _ = try await exchange(reader) } == .noCard)
            #expect(await code { _ = try await reader.waitForCard(timeout: .milliseconds(100)) } == .noCard)
            let isEmpty = try await reader.waitForRemoval(timeout: .seconds(1))
            #expect(isEmpty)
            let card = ScriptedCard(port: daemon.port)
            card.insert()
            await expectTap(reader, "a card after none")
        }
    }

    @Test("Removed while idle, before and after the service's poll", arguments: [0, 900])
    func removedIdle(milliseconds: Int) async throws {
        try await PrivatePCSCD.exclusive { daemon in
            let card = ScriptedCard(port: daemon.port)
            card.insert()
            let reader = daemon.reader()
            _ = try await reader.waitForCard(timeout: .seconds(3))
            let found = await code {
                try await reader.withCard(ending: .reset) { channel in
                    let first = try channel.transmit(command)
                    #expect(first == echoed)
                    card.remove()
                    usleep(UInt32(milliseconds) * 1_000)
                    _ = try channel.transmit(command)
                }
            }
            #expect(found == .cardGone)
            card.insert()
            await expectTap(reader, "the next card")
        }
    }

    @Test("Vanishes in the middle of a command, at each of three", arguments: 0..<3)
    func vanishes(at index: Int) async throws {
        try await PrivatePCSCD.exclusive { daemon in
            let card = ScriptedCard(port: daemon.port) { command, count in
                count == index ? .leave : .answer(command + [0x90, 0])
            }
            card.insert()
            let reader = daemon.reader()
            _ = try await reader.waitForCard(timeout: .seconds(3))
            let found = await code {
                try await reader.withCard(ending: .reset) { channel in
                    for _ in 0..<3 { _ = try channel.transmit(command) }
                }
            }
            #expect(found == .cardGone)
            #expect(card.commandCount == index + 1)
            card.insert()
            await expectTap(reader, "the next tap")
        }
    }

    @Test("One byte is no answer")
    func oneByte() async throws {
        try await PrivatePCSCD.exclusive { daemon in
            let card = ScriptedCard(port: daemon.port) { command, count in
                .answer(count == 0 ? [0x90] : command + [0x90, 0])
            }
            card.insert()
            let reader = daemon.reader()
            _ = try await reader.waitForCard(timeout: .seconds(3))
            #expect(await code { _ = try await exchange(reader) } == .cardGone)
            await expectTap(reader, "after a short answer")
        }
    }

    @Test("Away and back within the poll, and after a second", arguments: [50, 1_200])
    func awayAndBack(milliseconds: Int) async throws {
        try await PrivatePCSCD.exclusive { daemon in
            let card = ScriptedCard(port: daemon.port)
            card.insert()
            let reader = daemon.reader()
            let first = try await reader.waitForCard(timeout: .seconds(3))
            let found = await code {
                try await reader.withCard(ending: .reset) { channel in
                    card.remove()
                    usleep(UInt32(milliseconds) * 1_000)
                    card.insert()
                    usleep(milliseconds > 400 ? 600_000 : 0)
                    _ = try channel.transmit(command)
                }
            }
            #expect(found == .cardGone)
            await expectTap(reader, "the card that came back")
            if milliseconds > 400 {
                let second = try await reader.waitForCard(timeout: .seconds(3))
                #expect(second.eventCount > first.eventCount, "another presence of the same ATR")
            }
        }
    }

    @Test("A card swapped for another is a removal")
    func swapped() async throws {
        try await PrivatePCSCD.exclusive { daemon in
            let card = ScriptedCard(port: daemon.port)
            card.insert()
            let reader = daemon.reader()
            _ = try await reader.waitForCard(timeout: .seconds(3))
            card.remove()
            try await Task.sleep(for: .milliseconds(900))
            card.insert()
            try await Task.sleep(for: .milliseconds(900))
            #expect(try await reader.waitForRemoval(timeout: .seconds(2)))
        }
    }

    @Test("Never answers: reported by the deadline, abandoned, next tap works", .timeLimit(.minutes(10)))
    func neverAnswers() async throws {
        try await PrivatePCSCD.exclusive { daemon in
            let card = ScriptedCard(port: daemon.port) { command, count in
                count == 0 ? .silence : .answer(command + [0x90, 0])
            }
            card.insert()
            let reader = daemon.reader()
            _ = try await reader.waitForCard(timeout: .seconds(3))
            let start = ContinuousClock.now
            #expect(await code { _ = try await exchange(reader) } == .timedOut)
            let waited = start.duration(to: .now)
            #expect(waited >= .milliseconds(1_500))
            #expect(waited < .seconds(4))
            // Stuck: the state can still be seen by a fresh context, access fails in bounded time.
            #expect(try await reader.waitForCard(timeout: .seconds(2)).atr.isEmpty == false)
            #expect(await code { _ = try await exchange(reader) } != nil)
            #expect(try await PCSCReader.readerNames() == daemon.slotNames, "other contexts go on")
            card.remove()
            card.insert()
            await expectTap(reader, "the next tap after a stuck one")
            try await settle { daemon.openDescriptors }
        }
    }

    @Test("An answer as long as the virtual reader carries")
    func longAnswer() async throws {
        try await PrivatePCSCD.exclusive { daemon in
            let answer = [UInt8](repeating: 0xAB, count: 65_000) + [0x90, 0]
            let card = ScriptedCard(port: daemon.port) { _, _ in .answer(answer) }
            card.insert()
            let reader = daemon.reader()
            _ = try await reader.waitForCard(timeout: .seconds(3))
            #expect(try await exchange(reader) == answer)
        }
    }

    @Test("The channel is of no use after its scope")
    func escaped() async throws {
        try await PrivatePCSCD.exclusive { daemon in
            let card = ScriptedCard(port: daemon.port)
            card.insert()
            let reader = daemon.reader()
            _ = try await reader.waitForCard(timeout: .seconds(3))
            let kept = try await reader.withCard(ending: .leave) { channel in Kept(channel: channel) }
            #expect(throws: CardChannelError.self) { try kept.channel.transmit(command) }
            let short = await code { _ = try await exchange(reader, ending: .leave, [0, 1]) }
            #expect(short == .unsupported)
        }
    }

    private struct Kept: @unchecked Sendable { let channel: any CardChannel }
}
