// SPDX-License-Identifier: Apache-2.0

import BERTLV
import ISO7816
import Testing
import WalletCrypto

@testable import EMVContactless

/// A card that would be approved offline, and what happens when somebody changes what it says.
@Suite("Tampered and torn reads")
struct TamperTests {
    /// Kernels with the application and the profile that makes them approve with proof.
    private static let kinds: [(aid: String, profile: String, signature: MintedCard.Signature)] = [
        ("A0000000041010", "1180", .combined), ("A00000002501", "1180", .combined),
        ("A0000000031010", "2000", .fast(version: 1)), ("A0000001523010", "2000", .fast(version: 1)),
        ("A000000333010101", "2000", .fast(version: 1)),
    ]

    private func card(_ kind: Int) -> MintedCard {
        let card = MintedCard()
        card.aid = hex(Self.kinds[kind].aid)
        (card.profile, card.signature, card.cid) = (Self.kinds[kind].profile, Self.kinds[kind].signature, 0x40)
        // The static signature is not used by these methods: without it every byte of the records counts.
        card.omitted = [0x93]
        return card
    }

    private func entryPoint(for card: MintedCard) throws -> EntryPoint {
        var combination = Combination(
            aid: try AID(Array(card.aid.prefix(7))), kernel: try #require(KernelID.byDefault(for: card.aid)),
            qualifiers: TerminalTransactionQualifiers(hex("27004000")))
        combination.cvmLimit = 5000
        var configuration = EMVConfiguration(
            terminal: TerminalProfile(country: 276), combinations: [combination],
            authorities: try Mint.authorities(for: Array(card.aid.prefix(5))))
        configuration.alwaysRequestsOnline = false
        configuration.terminal.actionCodeOnline = hex("0000000000")
        return EntryPoint(configuration: configuration, transaction: Setup.transaction())
    }

    private func isApproved(_ card: MintedCard) throws -> Bool {
        let result = try? entryPoint(for: card).read(over: card)
        return result?.outcome.value == .approved
    }

    @Test("Unchanged, each of them is approved with its signature verified", arguments: kinds.indices)
    func unchanged(_ kind: Int) throws {
        let card = card(kind)
        let result = try entryPoint(for: card).read(over: card)
        #expect(result.outcome.value == .approved && result.authentication?.isVerified == true)
    }

    @Test("No byte of a signed record or of the certificates can be changed", arguments: kinds.indices)
    func records(_ kind: Int) throws {
        for record in 1...2 {
            var index = 0
            var length = 1
            while index < length {
                let card = card(kind)
                var reads = 0
                card.tamper = (
                    0xB2,
                    { bytes in
                        reads += 1
                        guard reads == record else { return bytes }
                        length = bytes.count
                        return bytes.flipping(index)
                    }
                )
                #expect(try !isApproved(card), "record \(record) byte \(index)")
                index += 3
            }
        }
    }

    @Test("No byte of a GENERATE AC answer can be changed", arguments: 0..<2)
    func cryptogram(_ kind: Int) throws {
        var index = 0
        var length = 1
        while index < length {
            let card = card(kind)
            card.tamper = (
                0xAE,
                { bytes in
                    length = bytes.count
                    return bytes.flipping(index)
                }
            )
            #expect(try !isApproved(card), "byte \(index)")
            index += 1
        }
    }

    @Test("Interchange profile and file locator cannot be changed", arguments: 0..<2)
    func processingOptions(_ kind: Int) throws {
        // 10 and 14 are the numbers of last records: more records that are not signed change nothing that is proved.
        for index in 2..<16 where index != 10 && index != 14 {
            let card = card(kind)
            card.tamper = (0xA8, { $0.flipping(index) })
            #expect(try !isApproved(card), "byte \(index)")
        }
    }

    @Test("The reader's number, amount and currency are under the signature", arguments: 2..<kinds.count)
    func terminalData(_ kind: Int) throws {
        let recorded = card(kind)
        var answer: [UInt8] = []
        recorded.tamper = (
            0xA8,
            { bytes in
                answer = bytes
                return bytes
            }
        )
        #expect(try isApproved(recorded))
        let changes: [(inout EMVTransaction) -> Void] = [
            { $0.unpredictableNumber[3] ^= 1 }, { $0.amount += 1 }, { $0.currency = 840 },
        ]
        for change in changes {
            let replayed = card(kind)
            replayed.tamper = (0xA8, { _ in answer })
            let original = try entryPoint(for: replayed)
            var transaction = original.transaction
            change(&transaction)
            let entryPoint = EntryPoint(configuration: original.configuration, transaction: transaction)
            let result = try entryPoint.read(over: replayed)
            #expect(result.outcome.reason == .authenticationFailed)
        }
    }

    @Test("Torn at every command, then read again", arguments: kinds.indices)
    func torn(_ kind: Int) throws {
        let whole = card(kind)
        let entryPoint = try entryPoint(for: whole)
        _ = try entryPoint.read(over: whole)
        for cut in 0..<whole.sent.count {
            do throws(EMVError) {
                _ = try entryPoint.read(over: TornCard(card(kind), after: cut))
                Issue.record("torn at \(cut) went unnoticed")
            } catch {
                #expect(error.channelError?.code == .cardGone)
            }
        }
        #expect(try entryPoint.read(over: card(kind)).outcome.value == .approved)
    }

    @Test("After see phone the same entry point reads the second tap")
    func secondTap() throws {
        let locked = card(2)
        locked.statuses = [0xA8: 0x6986]
        let entryPoint = try entryPoint(for: locked)
        #expect(try entryPoint.read(over: locked).outcome.start == .b)
        #expect(try entryPoint.read(over: card(2)).outcome.value == .approved)
    }

    @Test("A refused application leaves nothing behind for the next one")
    func nothingLeft() throws {
        let refused = card(0)
        refused.statuses = [0xA8: 0x6985]
        let result = try entryPoint(for: refused).read(over: refused)
        #expect(result.outcome.value == .endApplication && !result.data.contains(0x5A) && result.data.pan == nil)
    }
}

extension [UInt8] {
    /// With one bit of one byte changed; outside nothing changes.
    fileprivate func flipping(_ index: Int) -> [UInt8] {
        guard indices.contains(index) else { return self }
        var copy = self
        copy[index] ^= 0x04
        return copy
    }
}

/// A card that leaves the field.
private final class TornCard: CardChannel {
    private let card: MintedCard
    private var left: Int

    init(_ card: MintedCard, after count: Int) { (self.card, left) = (card, count) }

    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        guard left > 0 else { throw CardChannelError(.cardGone, reason: "the card left the field") }
        left -= 1
        return try card.transmit(command)
    }
}
