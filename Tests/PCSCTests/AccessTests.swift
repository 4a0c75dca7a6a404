// SPDX-License-Identifier: Apache-2.0

import CardTesting
import ISO7816
import Testing

@testable import PCSC

@Suite("Readers and cards through a private pcscd", .serialized, .enabled(if: PrivatePCSCD.isAvailable, needsDaemon))
struct AccessTests {
    @Test("Lists readers, waits for a card, exchanges a command", .timeLimit(.minutes(10)))
    func basics() async throws {
        try await PrivatePCSCD.exclusive { daemon in
            #expect(try await PCSCReader.readerNames() == daemon.slotNames)
            #expect(try await PCSCReader.first().name == daemon.slotNames[0])
            let card = ScriptedCard(port: daemon.port)
            #expect(card.insert())
            let reader = daemon.reader()
            let presence = try await reader.waitForCard(timeout: .seconds(3))
            #expect(presence.atr == [0x3B, 0x80, 0x80, 0x01, 0x01])
            #expect(try await exchange(reader) == echoed)
            card.remove()
            #expect(try await reader.waitForRemoval(timeout: .seconds(3)))
        }
    }

    @Test("What each ending does to the card", arguments: [CardEnding.leave, .reset, .unpower])
    func endings(ending: CardEnding) async throws {
        try await PrivatePCSCD.exclusive { daemon in
            let card = ScriptedCard(port: daemon.port)
            card.insert()
            let reader = daemon.reader()
            _ = try await reader.waitForCard(timeout: .seconds(3))
            let before = card.controls.filter { $0 != 4 }.count
            #expect(try await exchange(reader, ending: ending) == echoed)
            // Power off is not answered, so it may still be on its way.
            for _ in 0..<100 where ending == .unpower && card.controls.filter({ $0 != 4 }).count == before {
                try await Task.sleep(for: .milliseconds(20))
            }
            let after = card.controls.filter { $0 != 4 }.dropFirst(before)
            switch ending {
            case .leave: #expect(Array(after) == [])
            case .reset: #expect(Array(after) == [2])
            case .unpower: #expect(after.first == 0)
            }
            #expect(try await exchange(reader) == echoed, "the next access works, powered up again if need be")
        }
    }
}
