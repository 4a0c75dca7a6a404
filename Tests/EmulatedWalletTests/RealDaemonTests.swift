// SPDX-License-Identifier: Apache-2.0

import CardTesting
import EMVContactless
import ISO7816
import PCSC
import Testing

@testable import EmulatedWallet

/// The card in the real pcscd's virtual reader, read through PC/SC by the same process.
@Suite(
    "Card in the real pcscd", .serialized, .timeLimit(.minutes(2)),
    .enabled(
        if: PrivatePCSCD.isAvailable,
        Comment(rawValue: PrivatePCSCD.unavailableReason ?? "a private pcscd can be started here")))
struct RealDaemonTests {
    private func insert(_ definition: PhoneDefinition, _ daemon: PrivatePCSCD) async throws -> VPCDCard {
        let card = VPCDCard(
            EmulatedPhone(definition), at: VPCDAddress(host: "127.0.0.1", port: daemon.port))
        try card.start()
        try #require(try await card.waitUntilReady(timeout: .seconds(20)), "pcscd did not take the card")
        return card
    }

    private func tap(_ reader: PCSCReader, _ club: Club) async throws -> [UInt8] {
        _ = try await reader.waitForCard(timeout: .seconds(20))
        let commands = [selectVAS, club.getVASData]
        let answers = try await reader.withCard(ending: .unpower) { channel in
            try commands.map { try ResponseAPDU(channel.transmit($0)) }
        }
        #expect(answers.map(\.status) == [0x9000, 0x9000])
        return try club.open(answers[1].cryptogram()).message
    }

    @Test("taps, one after the other; each power cycle is a new tap")
    func taps() async throws {
        let club = try Club()
        try await PrivatePCSCD.exclusive { daemon in
            let card = try await insert(PhoneDefinition([club]), daemon)
            defer { card.stop() }
            let reader = PCSCReader(name: daemon.slotNames[0])
            let presence = try await reader.waitForCard(timeout: .seconds(20))
            #expect(presence.atr == EmulatedPhone.answerToReset)
            for _ in 0..<3 { #expect(try await tap(reader, club) == Array("M-0042".utf8)) }
            #expect(card.phone.tapCount == 3)
        }
    }

    @Test("a plastic card and a phone pay through PC/SC", arguments: [PaymentNetwork.visa, .mastercard])
    func payments(network: PaymentNetwork) async throws {
        for isPhone in [true, false] {
            let definition = CardCase(network: network, isPhone: isPhone).definition()
            try await PrivatePCSCD.exclusive { daemon in
                let card = try await insert(definition, daemon)
                defer { card.stop() }
                let reader = PCSCReader(name: daemon.slotNames[0])
                let presence = try await reader.waitForCard(timeout: .seconds(20))
                #expect(presence.atr == card.phone.answerToReset)
                let result = try await reader.withCard(ending: .unpower) { channel in
                    try PaymentCounter().read(over: channel)
                }
                #expect(result.outcome.value == .onlineRequest)
                #expect(result.authentication?.isVerified == true)
            }
        }
    }

    @Test("the phone leaves in the middle, and the next tap works")
    func torn() async throws {
        let club = try Club()
        try await PrivatePCSCD.exclusive { daemon in
            let definition = PhoneDefinition([club]) { ($0.leavesFieldAt, $0.leavesFieldTaps) = (2, 1) }
            let card = try await insert(definition, daemon)
            defer { card.stop() }
            let reader = PCSCReader(name: daemon.slotNames[0])
            let error = await #expect(throws: CardChannelError.self) { _ = try await tap(reader, club) }
            #expect(error?.code == .cardGone)
            #expect(try await reader.waitForRemoval(timeout: .seconds(5)))
            #expect(try await card.waitUntilReady(timeout: .seconds(20)))
            #expect(try await tap(reader, club) == Array("M-0042".utf8))
        }
    }

    @Test("pcscd killed and started again: the card is back in the reader")
    func restarted() async throws {
        let club = try Club()
        try await PrivatePCSCD.exclusive { daemon in
            let card = try await insert(PhoneDefinition([club]), daemon)
            defer { card.stop() }
            #expect(try await tap(PCSCReader(name: daemon.slotNames[0]), club) == Array("M-0042".utf8))
            daemon.kill()
            while card.isReady { try await Task.sleep(for: .milliseconds(5)) }
            try daemon.restart()
            #expect(try await card.waitUntilReady(timeout: .seconds(20)))
            #expect(try await tap(PCSCReader(name: daemon.slotNames[0]), club) == Array("M-0042".utf8))
        }
    }
}
