// SPDX-License-Identifier: Apache-2.0

import CardTesting
import ISO7816
import Testing

@Suite("Identifiers, status words, errors")
struct SmallValueTests {
    @Test("an AID has 1 to 16 bytes", arguments: [0, 1, 5, 16, 17])
    func aid(count: Int) throws {
        let bytes = (0..<count).map { UInt8($0) }
        guard (1...16).contains(count) else {
            let error = #expect(throws: APDUError.self) { try AID(bytes) }
            return #expect(error?.reason == "an AID has 1 to 16 bytes, not \(count)")
        }
        let aid = try AID(bytes)
        #expect(aid.bytes == bytes && aid.description == Hex.encode(bytes))
        let select = CommandAPDU.select(aid)
        #expect(select.data.elementsEqual(bytes) && select.ne == 256 && select.apduCase == 4 && !select.isExtended)
    }

    @Test("the two environments by name")
    func names() {
        #expect(AID.valueAddedServices.bytes == Array("OSE.VAS.01".utf8))
        #expect(AID.proximityPaymentSystem.bytes == Array("2PAY.SYS.DDF01".utf8))
    }

    @Test("status words in bytes, numbers and text")
    func statusWords() {
        let word = StatusWord(sw1: 0x6A, sw2: 0x83)
        #expect(word == 0x6A83 && word.bytes == [0x6A, 0x83] && word.description == "6A83")
        #expect(StatusWord(hex: "6a83") == word && StatusWord(hex: "9000") == .success)
        for text in ["", "900", "90000", "90 0", "90G0", "+900", "-900", "0x90"] {
            #expect(StatusWord(hex: text) == nil)
        }
    }

    @Test(
        "a word of no table of its own is named by its family, and the source is the family's table",
        arguments: [
            (0x6207, "warning; state unchanged"), (0x6342, "warning; state changed"),
            (0x6612, "security-related error"), (0x6AFF, "wrong parameters"), (0x6F12, "no precise diagnosis"),
        ] as [(UInt16, String)])
    func families(raw: UInt16, text: String) {
        let meaning = StatusWord(rawValue: raw).meaning
        #expect(meaning?.text == text)
        #expect(meaning?.source == "ISO/IEC 7816-4, 5.6, table 5")
    }

    @Test("a command that gets fewer than two bytes lost its card", arguments: [[], [0x90]] as [[UInt8]])
    func shortAnswer(bytes: [UInt8]) throws {
        let card = ScriptedChannel([.answer(bytes)])
        let error = #expect(throws: CardChannelError.self) { try card.transmit(.select(.valueAddedServices)) }
        #expect(error?.code == .cardGone)
        #expect(error?.reason == "the card answered \(bytes.count) bytes: it left the field")
    }

    @Test("an answer as a value keeps any status word; a fault passes as it is")
    func values() throws {
        let fault = CardChannelError(.timedOut, reason: "late", hint: "wait", rawCode: 7)
        let card = ScriptedChannel([.answer([1, 0x6A, 0x82]), .fault(fault)])
        #expect(try card.transmit(.select(.valueAddedServices)) == ResponseAPDU(data: [1], status: 0x6A82))
        let error = #expect(throws: CardChannelError.self) { try card.transmit(.select(.valueAddedServices)) }
        #expect(error?.code == .timedOut && error?.hint == "wait" && error?.rawCode == 7)
    }

    @Test("a channel error shows its reason; hint and raw code are for those who ask")
    func channelError() {
        let bare = CardChannelError(.noCard, reason: "no card came")
        #expect(bare.hint == nil && bare.rawCode == nil && "\(bare)" == "no card came")
        let full = CardChannelError(
            .serviceGone, reason: "pcscd is not running", hint: "start it", rawCode: 0x8010_001D)
        #expect("\(full)" == "pcscd is not running" && full.hint == "start it" && full.rawCode == 0x8010_001D)
        let codes: [CardChannelError.Code] = [
            .cardGone, .noCard, .readerGone, .serviceGone, .cancelled, .timedOut, .interfered, .mismatch, .unsupported,
            .other,
        ]
        #expect(Set(codes.map(\.rawValue)).count == codes.count)
        #expect(CardChannelError.Code(rawValue: "cardGone") == .cardGone)
    }

    @Test("milliseconds are rounded to the nearest, and never negative or out of range")
    func milliseconds() {
        let rows: [(Duration, Int)] = [
            (.zero, 0), (.microseconds(499), 0), (.microseconds(500), 1), (.milliseconds(24), 24),
            (.nanoseconds(1_999_500_000), 2_000), (.seconds(3), 3_000), (.microseconds(-500), 0),
            (.seconds(Int64.max), 0), (.seconds(Int64.min), 0),
        ]
        for (duration, expected) in rows { #expect(MonotonicTime.milliseconds(duration) == expected) }
        let first = MonotonicTime.now()
        #expect(MonotonicTime.now() >= first && first >= .zero)
    }
}
