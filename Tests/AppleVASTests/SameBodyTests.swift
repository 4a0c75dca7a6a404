// SPDX-License-Identifier: Apache-2.0

import CardTesting
import EmulatedWallet
import Foundation
import ISO7816
import Testing
import WalletCrypto

@testable import AppleVAS

/// Passes commands on and keeps each exchange.
private final class Recorder<Base: CardChannel>: CardChannel {
    private let base: Base
    private(set) var exchanges: [AnswerChannel.Exchange] = []

    init(_ base: Base) { self.base = base }

    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        let response = try base.transmit(command)
        exchanges.append((command, response))
        return response
    }
}

/// An emulated phone without any reader around it.
private struct PhoneChannel: CardChannel {
    let phone: EmulatedPhone

    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        guard case .response(let response, _) = phone.respond(to: command) else {
            throw CardChannelError(.cardGone, reason: "the phone left the field")
        }
        return response
    }
}

@Suite("One body, every channel")
struct SameBodyTests {
    private func record(_ phone: EmulatedPhone, _ body: (Recorder<PhoneChannel>) throws -> Void) rethrows
        -> [AnswerChannel.Exchange]
    {
        phone.fieldOn()
        let recorder = Recorder(PhoneChannel(phone: phone))
        try body(recorder)
        return recorder.exchanges
    }

    @Test("on a phone, then on what was recorded of it, command for command", arguments: TapCase.all)
    func recorded(tap: TapCase) throws {
        let ring = try TapCase.ring()
        let exchanges = try record(EmulatedPhone(tap.phone)) { try tap.run(over: $0, ring: ring) }
        let replay = AnswerChannel(exchanges.map(\.response))
        try tap.run(over: replay, ring: ring)
        #expect(replay.sent == exchanges.map(\.command))
    }

    @Test("through a reader with a phone at it", arguments: TapCase.all)
    func reader(tap: TapCase) async throws {
        let ring = try TapCase.ring()
        let reader = EmulatedReader(EmulatedPhone(tap.phone))
        _ = try await reader.waitForCard(timeout: .seconds(5))
        try await reader.withCard(ending: .unpower) { channel in try tap.run(over: channel, ring: ring) }
    }

    @Test("a phone that leaves at command n keeps what it gave before", arguments: 1...4)
    func leaves(at command: Int) throws {
        var definition = try #require(TapCase.all.first { $0.merchants.count == 3 }).phone
        definition.leavesFieldAt = command
        let terminal = VASTerminal(mode: .vasAndPayment)
        _ = try record(EmulatedPhone(definition)) { channel in
            let error = try #require(
                #expect(throws: VASError.self) { try terminal.read(TapCase.two, over: channel) })
            #expect(error.cause?.code == .cardGone)
            #expect(error.entries.count == max(0, command - 2))
            #expect(error.unread.count == min(3, 5 - command))
            let kept = try error.entries.compactMap(\.cryptogram).map {
                try TapCase.ring().decrypt($0, passTypeIdentifier: Sample.passType).get().messageText
            }
            #expect(kept == (command > 2 ? ["M-0042"] : []))
        }
    }

    @Test("the URL of a missing pass arrives, that of a pass that was read does not")
    func urls() throws {
        let tap = try #require(TapCase.all.first { $0.name == "three merchants, one missing" })
        let phone = EmulatedPhone(tap.phone)
        _ = try record(phone) { try tap.run(over: $0, ring: TapCase.ring()) }
        #expect(phone.receivedURLs == ["https://example.com/join"])
    }

    @Test("a payload just made is fresh, and its replay is not")
    func fresh() throws {
        let phone = EmulatedPhone(TapCase.all[0].phone)
        let freshness = VASFreshness()
        _ = try record(phone) { channel in
            let result = try VASTerminal().read(TapCase.all[0].merchants, over: channel)
            let cryptogram = try #require(result.entries.first?.cryptogram)
            let payload = try TapCase.ring().decrypt(cryptogram, passTypeIdentifier: Sample.passType).get()
            #expect(freshness.check(payload, cryptogram: cryptogram) == .fresh)
            #expect(freshness.check(payload, cryptogram: cryptogram) == .replayed)
            #expect(freshness.check(payload, cryptogram: [], now: Date() + 60) != .fresh)
        }
    }

    @Test("whatever a phone answers, a tap ends in a result or an error")
    func mutatedAnswers() throws {
        let tap = try #require(TapCase.all.first { $0.merchants.count == 3 })
        let exchanges = try record(EmulatedPhone(tap.phone)) { try tap.run(over: $0, ring: TapCase.ring()) }
        var (random, ring) = (SeededRandom(seed: 5), try TapCase.ring())
        ring.prepare(passTypeIdentifier: Sample.passType)
        for _ in 0..<2_000 {
            let answers = exchanges.map { Bool.random(using: &random) ? $0.response : random.mutate($0.response) }
            let entries: [VASEntry]
            do throws(VASError) {
                entries = try VASTerminal(mode: .vasAndPayment).read(tap.merchants, over: AnswerChannel(answers))
                    .entries
            } catch {
                #expect(error.code == .interrupted)
                entries = error.entries
            }
            for entry in entries {
                guard let cryptogram = entry.cryptogram else { continue }
                let identifier = entry.merchant.passTypeIdentifier
                if case .failure(let failure) = ring.decrypt(cryptogram, passTypeIdentifier: identifier) {
                    #expect(failure.code != .internalFailure)
                }
            }
        }
    }
}
