// SPDX-License-Identifier: Apache-2.0

import CardTesting
import ISO7816
import Testing

@Suite("Hex and shorthand")
struct TextTests {
    @Test(
        "each way to write a command",
        arguments: [
            ("a4", "00A40000", nil), ("80ca", "80CA0000", nil), ("A40400", "00A40400", nil),
            ("80CA0101", "80CA0101", nil), ("A4/00", "00A4000000", nil), ("80CA/10", "80CA000010", nil),
            ("CA0101:9F22", "00CA0101029F22", nil), ("80CA0101:9F22/00", "80CA0101029F2200", nil),
            ("80CA0101:", "80CA0101", nil), ("80CA0101:/05", "80CA010105", nil), ("B0/0000", "00B00000000000", nil),
            ("B0/0100", "00B00000000100", nil), ("DA:AA/0001", "00DA0000000001AA0001", nil),
            ("00 A4 04 00 02 AA BB 00", "00A4040002AABB00", nil), ("00B0000005", "00B0000005", nil),
            ("A4=", "00A40000", "9000"), ("A4 = 6a82", "00A40000", "6A82"), ("B0/00=", "00B0000000", "9000"),
            ("80CA0101:AA = 9000", "80CA010101AA", "9000"), ("80CA:\tAA\n/00", "80CA000001AA00", nil),
        ] as [(String, String, String?)])
    func written(text: String, hex: String, status: String?) throws {
        let shorthand = try APDUShorthand(text)
        #expect(Hex.encode(shorthand.command.bytes) == hex)
        #expect(shorthand.expectedStatus?.description == status)
        #expect(try APDUShorthand("  \(text)\n") == shorthand)
    }

    @Test("more than 255 bytes of data go in extended form")
    func long() throws {
        let shorthand = try APDUShorthand("DA:" + String(repeating: "5A", count: 300))
        #expect(shorthand.command.isExtended && shorthand.command.data.count == 300 && shorthand.command.ne == nil)
        #expect(throws: APDUError.self) { try APDUShorthand("DA:" + String(repeating: "5A", count: 65_536)) }
    }

    @Test(
        "what is wrong is named",
        arguments: [
            ("", "a header"), ("=", "a header"), (":AA", "a header"), ("0080CA0101:AA", "a header"),
            ("A", "the header is not hex"), ("A4:A", "the data is not hex"), ("A4:AA:BB/zz", "Le is not hex"),
            ("A4/", "Le is two or four"), ("A4/010203", "Le is two or four"), ("A4/0/0", "Le is not hex"),
            ("A4=90", "four hex digits"), ("A4=90000", "four hex digits"), ("A4=+900", "four hex digits"),
            ("A4==9000", "four hex digits"), ("00A4040005", ""), ("00A404000201", "Lc is 2"),
        ])
    func refused(text: String, words: String) throws {
        guard !words.isEmpty else { return #expect(try APDUShorthand(text).command.ne == 5) }
        let error = #expect(throws: APDUError.self) { try APDUShorthand(text) }
        #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "none")")
    }

    @Test("the text of an error holds none of the data")
    func noData() {
        let error = #expect(throws: APDUError.self) { try APDUShorthand("0020 0080: 1234 56x8") }
        #expect(error?.description.contains("123456") == false)
    }

    @Test(
        "hex faults have their place",
        arguments: [
            ("x", 0, false), ("0", 1, true), ("00 1", 4, true), ("0 0", 1, false), ("00,00", 2, false),
            ("0x00", 1, false), ("00é", 2, false), ("００", 0, false), ("1:2", 1, false),
        ])
    func hexFaults(text: String, offset: Int, isOdd: Bool) {
        let failure = #expect(throws: Hex.Failure.self) { try Hex.decode(text) }
        #expect(failure?.offset == offset && failure?.isOddLength == isOdd)
        #expect(failure?.description.hasSuffix("at character \(offset)") == true)
    }

    @Test("separators stand between bytes only, and any number of them")
    func separators() throws {
        #expect(try Hex.decode(" 00::FF\t\r\n aB:") == [0x00, 0xFF, 0xAB])
        #expect(try Hex.decode("").isEmpty && Hex.decode(" : ").isEmpty)
        #expect(try Hex.decode(utf8: Array("9f27".utf8)[...]) == [0x9F, 0x27])
    }

    @Test("bytes become hex and bytes again")
    func roundTrip() throws {
        #expect(try Hex.decode(Hex.encode(0...255)) == Array(0...255))
        var random = SeededRandom(seed: 73)
        for count in 0..<200 {
            let bytes = random.bytes(count)
            #expect(try Hex.decode(Hex.encode(bytes)) == bytes)
            #expect(try Hex.decode(Hex.encode(bytes).lowercased()) == bytes)
        }
    }

    @Test("no text makes hex or shorthand trap, and what is read is a command")
    func neverTraps() throws {
        var random = SeededRandom(seed: 74)
        let seeds = ["80CA0101:9F220201009F28/00=9000", "00A4040007A0000000031010", "B0/0000=", "A4:=/"]
        let alphabet = Array("0123456789abcdefABCDEF:/= \n+-xé".unicodeScalars)
        var read = 0
        for round in 0..<6_000 {
            let bytes = random.mutate(Array((seeds.randomElement(using: &random) ?? "").utf8))
            var text = String(decoding: bytes, as: UTF8.self)
            if round.isMultiple(of: 3) {
                let scalars = (0..<Int.random(in: 0...24, using: &random)).compactMap { _ in
                    alphabet.randomElement(using: &random)
                }
                text = String(String.UnicodeScalarView(scalars))
            }
            if let bytes = try? Hex.decode(text) { #expect(bytes.count <= text.utf8.count / 2) }
            guard let shorthand = try? APDUShorthand(text) else { continue }
            read += 1
            #expect(try CommandAPDU(shorthand.command.bytes) == shorthand.command)
        }
        #expect(read > 100)
    }
}
