// SPDX-License-Identifier: Apache-2.0

import ISO7816
import Testing

@Suite("Values of ISO 7816")
struct ValueTests {
    @Test("hex in either case, with separators; faults with their place")
    func hex() throws {
        #expect(try Hex.decode("9f27 0A:ff\n") == [0x9F, 0x27, 0x0A, 0xFF])
        #expect(Hex.encode([0x9F, 0x00]) == "9F00")
        #expect(throws: Hex.Failure.self) { try Hex.decode("9") }
        let odd = #expect(throws: Hex.Failure.self) { try Hex.decode("9F2") }
        #expect(odd?.isOddLength == true && odd?.offset == 3)
        let wrong = #expect(throws: Hex.Failure.self) { try Hex.decode("9F2x") }
        #expect(wrong?.isOddLength == false && wrong?.offset == 3)
    }

    @Test("status words have meanings with sources")
    func meanings() {
        #expect(StatusWord.success.meaning?.text == "success")
        #expect(StatusWord(rawValue: 0x63C2).meaning?.text.hasSuffix("2") == true)
        #expect(StatusWord(rawValue: 0x6112).meaning?.text == "18 more bytes are available")
        #expect(StatusWord(rawValue: 0x6C00).meaning?.text.contains("256") == true)
        #expect(StatusWord(rawValue: 0x69FF).meaning?.text == "command not allowed")
        #expect(StatusWord(rawValue: 0x1234).meaning == nil)
        for raw in UInt16.min...UInt16.max { _ = StatusWord(rawValue: raw).meaning }
    }

    @Test("ATR of a contact card, round by round")
    func contact() throws {
        let atr = try ATR([0x3B, 0xD2, 0x18, 0xFF, 0x81, 0xB1, 0xFE, 0x45, 0x1F, 0xF0, 0x41, 0x42, 0x00])
        #expect(atr.protocols.first == 1)
        #expect(atr.interfaceBytes.count == 4)
        #expect(atr.isDirect && atr.checkByte != nil)
    }

    @Test("ATR of a phone at a contactless reader")
    func contactless() throws {
        let atr = try ATR([0x3B, 0x80, 0x80, 0x01, 0x01])
        #expect(atr.isContactless && atr.historicalBytes.isEmpty && atr.isCheckByteRight)
        #expect(atr.protocols == [0, 1])
        #expect(atr.storageCard == nil)
    }

    @Test("ATR of a storage card")
    func storage() throws {
        let body = try Hex.decode("8F8001804F0CA000000306030001 00000000")
        let atr = try ATR([0x3B] + body + [body.reduce(0, ^)])
        #expect(atr.storageCard?.standard == 3 && atr.storageCard?.name == 1)
    }

    @Test("ATRs that are none", arguments: ["", "3B", "4B00", "3B10", "3B01", "3B0000", "3B8001"])
    func noATR(hex: String) throws {
        let bytes = try Hex.decode(hex)
        #expect(throws: APDUError.self) { try ATR(bytes) }
    }

    @Test(
        "shorthand",
        arguments: [
            ("A4", "00A40000", nil), ("80CA", "80CA0000", nil), ("B00102/00", "00B0010200", nil),
            ("80CA0101:AABB/00=6A83", "80CA010102AABB00", "6A83"), ("00A40400 0141=", "00A404000141", "9000"),
            ("80CA:AA/0000=9000", "80CA0000000001AA0000", "9000"),
        ] as [(String, String, String?)])
    func shorthand(text: String, hex: String, status: String?) throws {
        let shorthand = try APDUShorthand(text)
        #expect(Hex.encode(shorthand.command.bytes) == hex)
        #expect(shorthand.expectedStatus?.description == status)
    }

    @Test("shorthand that is none", arguments: ["", "=9000", "A4=90", "A4/", "A4/123456", "0:", "xx", "00A4040005"])
    func noShorthand(text: String) throws {
        if text == "00A4040005" { return #expect(try APDUShorthand(text).command.ne == 5) }
        #expect(throws: APDUError.self) { try APDUShorthand(text) }
    }
}
