// SPDX-License-Identifier: Apache-2.0

import APDUTrace
import ISO7816
import Testing

/// Two commands and the rules by which the second counts as the first.
struct MatchRow: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let recorded: [UInt8]
    let sent: [UInt8]
    let rules: Set<ReplayMatching.Rule>

    static func all() throws -> [MatchRow] {
        let get = try Commands.getVASData(0xAA, nonce: 1)
        let pin: [UInt8] = [0, 0x20, 0, 0x80, 1, 1]
        func row(
            _ name: String, _ recorded: [UInt8], _ sent: [UInt8], _ rules: Set<ReplayMatching.Rule> = []
        ) -> MatchRow { MatchRow(testDescription: name, recorded: recorded, sent: sent, rules: rules) }
        let (every, meaning): (Set<ReplayMatching.Rule>, Set<ReplayMatching.Rule>) = (
            [.exact, .varying, .equivalent], [.equivalent]
        )
        return [
            row("the same bytes", get, get, every),
            row("no command at all, the same", [1], [1], every),
            row("another nonce", get, try Commands.getVASData(0xAA, nonce: 2), [.varying, .equivalent]),
            row("other order and optional tags", get, try Commands.getVASData(0xAA, urlFirst: true), meaning),
            row("without Le", get, try Commands.getVASData(0xAA, nonce: 1, le: nil), meaning),
            row("extended Le", get, try Commands.getVASData(0xAA, nonce: 1, le: 65_536), meaning),
            row("another merchant", get, try Commands.getVASData(0xAB, nonce: 1)),
            row("another P1", get, try Commands.getVASData(0xAA, nonce: 1, p1: 2)),
            row("another P2", get, try Commands.getVASData(0xAA, nonce: 1, p2: 3)),
            row("URL only instead", get, try Commands.getVASData(0xAA, nonce: 1, p2: 0)),
            row(
                "URL only for another merchant", try Commands.getVASData(1, p2: 0), try Commands.getVASData(2, p2: 0),
                meaning),
            row("SELECT without Le", Commands.select, Commands.select.dropLast(), meaning),
            row("SELECT of something else", Commands.select, CommandAPDU.select(.proximityPaymentSystem).bytes),
            row("SELECT against GET VAS DATA", Commands.select, get),
            row("GET DATA of a payment card, another Le", [0x80, 0xCA, 0x9F, 0x36, 0], [0x80, 0xCA, 0x9F, 0x36, 5]),
            row("VERIFY with another PIN", pin, [0, 0x20, 0, 0x80, 1, 2]),
            row("READ RECORD with another Le", [0, 0xB2, 1, 0x0C, 0], [0, 0xB2, 1, 0x0C, 9]),
            row("READ RECORD of another record", [0, 0xB2, 1, 0x0C, 0], [0, 0xB2, 2, 0x0C, 0]),
            row("READ RECORD of another file", [0, 0xB2, 1, 0x0C, 0], [0, 0xB2, 1, 0x14, 0]),
            row(
                "GET PROCESSING OPTIONS for another amount", [0x80, 0xA8, 0, 0, 4, 0x83, 2, 1, 2, 0],
                [0x80, 0xA8, 0, 0, 2, 0x83, 0, 0], meaning),
            row(
                "GENERATE AC, another type and number", [0x80, 0xAE, 0x90, 0, 1, 1, 0], [0x80, 0xAE, 0x50, 0, 1, 2, 0],
                meaning),
            row("GENERATE AC against GET PROCESSING OPTIONS", [0x80, 0xA8, 0, 0, 0], [0x80, 0xAE, 0, 0, 0]),
        ]
    }
}

@Suite("When a command counts as another")
struct MatchingTests {
    @Test("each rule against each pair, both ways", arguments: try MatchRow.all())
    func rules(row: MatchRow) {
        for rule in ReplayMatching.Rule.allCases {
            let matching = ReplayMatching(rule)
            #expect(matching.matches(recorded: row.recorded, sent: row.sent) == row.rules.contains(rule), "\(rule)")
            #expect(matching.matches(recorded: row.sent, sent: row.recorded) == row.rules.contains(rule), "\(rule)")
        }
    }

    @Test("by meaning is equivalent and skipping, the others are strict about the order")
    func presets() {
        #expect(ReplayMatching.byMeaning == ReplayMatching(.equivalent, skipping: true))
        #expect(![ReplayMatching.exact, .varying, .equivalent].contains { $0.skipping })
        #expect(ReplayMatching.Rule.allCases.map(\.rawValue) == ["exact", "varying", "equivalent"])
    }
}

@Suite("Replaying parts of a tap")
struct PartialReplayTests {
    /// SELECT and three merchants, as a terminal recorded that asked for all of them.
    private func tap() throws -> APDUTrace.Tap {
        var exchanges = [TraceExchange(command: Commands.select, response: [0x90, 0x00])]
        for merchant: UInt8 in [0xA, 0xB, 0xC] {
            exchanges.append(
                TraceExchange(
                    command: try Commands.getVASData(merchant, nonce: 7, p1: merchant == 0xC ? 1 : 2),
                    response: [merchant, 0x90, 0x00]))
        }
        return APDUTrace.Tap(exchanges: exchanges)
    }

    private func ask(_ merchants: [UInt8], over channel: any CardChannel) throws -> [UInt8] {
        _ = try channel.transmit(Commands.select)
        return try merchants.compactMap {
            try channel.transmit(Commands.getVASData($0, nonce: 99, p1: $0 == 0xC ? 1 : 2)).first
        }
    }

    @Test(
        "any of several merchants, in any order",
        arguments: [[0xA, 0xB, 0xC], [0xB], [0xC, 0xA], [0xC, 0xB, 0xA], []] as [[UInt8]])
    func subset(merchants: [UInt8]) throws {
        let channel = ReplayChannel(try tap(), matching: .byMeaning)
        #expect(try ask(merchants, over: channel) == merchants)
        #expect(channel.remaining == 3 - merchants.count)
    }

    @Test("without skipping, a subset is a mismatch that leaves the place where it was")
    func strict() throws {
        let channel = ReplayChannel(try tap(), matching: .equivalent)
        let error = #expect(throws: CardChannelError.self) { try ask([0xB], over: channel) }
        #expect(error?.code == .mismatch && error?.hint != nil)
        #expect(channel.remaining == 3 && !channel.isUsedUp)
        #expect(try channel.transmit(Commands.getVASData(0xA, p1: 2)) == [0xA, 0x90, 0x00])
    }

    @Test("an answer is given once; a merchant that was never recorded is said so")
    func once() throws {
        let channel = ReplayChannel(try tap(), matching: .byMeaning)
        #expect(try ask([0xA], over: channel) == [0xA])
        for merchant: UInt8 in [0xA, 0xD] {
            let error = #expect(throws: CardChannelError.self) {
                try channel.transmit(Commands.getVASData(merchant, p1: 2))
            }
            #expect(error?.code == .mismatch && error?.reason.contains("no recorded exchange") == true)
        }
        #expect(try channel.transmit(Commands.getVASData(0xC)) == [0xC, 0x90, 0x00])
        let over = #expect(throws: CardChannelError.self) { try channel.transmit(Commands.getVASData(0xC)) }
        #expect(over?.code == .cardGone && channel.isUsedUp)
    }

    @Test("a card that left at a command leaves there again, and stays away", arguments: [false, true])
    func lost(skipping: Bool) throws {
        var tap = try tap()
        tap.lost = LostCommand(command: [0, 0xB0, 0, 0])
        let channel = ReplayChannel(tap, matching: ReplayMatching(.equivalent, skipping: skipping))
        #expect(try ask([0xA, 0xB, 0xC], over: channel) == [0xA, 0xB, 0xC])
        #expect(!channel.isUsedUp)
        for _ in 0..<2 {
            let error = #expect(throws: CardChannelError.self) { try channel.transmit([0, 0xB0, 0, 0] as [UInt8]) }
            #expect(error?.code == .cardGone && channel.isUsedUp)
        }
        let after = #expect(throws: CardChannelError.self) { try channel.transmit(Commands.select) }
        #expect(after?.code == .cardGone)
    }

    @Test("a whole trace as one tap")
    func whole() throws {
        let trace = APDUTrace(taps: [try tap(), APDUTrace.Tap(lost: LostCommand(command: [0, 1, 2, 3]))])
        let channel = ReplayChannel(trace, matching: .varying)
        #expect(try ask([0xA, 0xB, 0xC], over: channel).count == 3)
        let error = #expect(throws: CardChannelError.self) { try channel.transmit([0, 1, 2, 3] as [UInt8]) }
        #expect(error?.code == .cardGone)
    }

    @Test(
        "no mismatch shows what a PIN or a key may be in",
        arguments: [0x20, 0x21, 0x24, 0x2C, 0x82, 0xDA, 0xDB] as [UInt8], [ReplayMatching.exact, .byMeaning])
    func secrets(ins: UInt8, matching: ReplayMatching) throws {
        let recorded: [UInt8] = [0, ins, 0, 0x80, 4, 0x31, 0x32, 0x33, 0x34]
        let tap = APDUTrace.Tap(exchanges: [TraceExchange(command: recorded, response: [0x90, 0])])
        for place in 5..<9 {
            var sent = recorded
            sent[place] = 0x77
            let error = #expect(throws: CardChannelError.self) {
                try ReplayChannel(tap, matching: matching).transmit(sent)
            }
            let text = [error?.reason, error?.hint].compactMap(\.self).joined()
            #expect(error?.code == .mismatch && text.contains("00\(Hex.encode([ins]))0080"))
            for secret in ["31", "32", "33", "34", "77"] { #expect(!text.contains(secret)) }
        }
    }

    @Test("no matching traps, whatever the bytes")
    func neverTraps() throws {
        var random = SeededRandomCommands(seed: 81)
        for _ in 0..<2_000 {
            let (recorded, sent) = try (random.next(), random.next())
            for rule in ReplayMatching.Rule.allCases {
                let matching = ReplayMatching(rule)
                #expect(matching.matches(recorded: recorded, sent: recorded))
                let fits = matching.matches(recorded: recorded, sent: sent)
                #expect(fits == matching.matches(recorded: sent, sent: recorded))
                let tap = APDUTrace.Tap(exchanges: [TraceExchange(command: recorded, response: [0x90, 0])])
                #expect((try? ReplayChannel(tap, matching: matching).transmit(sent)) == (fits ? [0x90, 0] : nil))
            }
        }
    }
}
