// SPDX-License-Identifier: Apache-2.0

import BERTLV
import CardTesting
import ISO7816
import Testing

@testable import AppleVAS

@Suite("Answers to GET VAS DATA")
struct EntryTests {
    private static let cryptogram = [UInt8](repeating: 0xCC, count: 56)
    private static let c = "9F2738" + String(repeating: "CC", count: 56)

    @Test(
        "every shape of a good answer gives the cryptogram",
        arguments: [
            ("703E9F2A00\(c)", [UInt8]()),
            ("70409F2A02ABCD\(c)", [0xAB, 0xCD]),
            ("70813E9F2A00\(c)", []),
            ("7082003E9F2A00\(c)", []),
            ("703F9F2A8100\(c)", []),
            ("703E\(c)9F2A00", []),
            ("70439F2A00DF0102ABCD\(c)", []),
            ("703E9F2A00\(c)0000", []),
            ("0000703E9F2A00\(c)", []),
            ("7040009F2A00\(c)00", []),
            ("9F2A00\(c)", []),
        ])
    func shapes(hex: String, token: [UInt8]) throws {
        let entry = Sample.entry(try Hex.decode(hex))
        #expect(entry.cryptogram == Self.cryptogram)
        #expect(entry.mobileToken == token)
        #expect(entry.oddities.isEmpty)
        #expect(entry.status == .success)
    }

    @Test("a token can be absent, unknown objects are kept, a second cryptogram too")
    func objects() throws {
        let entry = Sample.entry(try Hex.decode("7044DF0101AA9F010201FF\(Self.c)"))
        #expect(entry.cryptogram == Self.cryptogram)
        #expect(entry.mobileToken == nil)
        #expect(entry.otherObjects == [TLV(0xDF01, [0xAA]), TLV(0x9F01, [0x01, 0xFF])])
        let twice = Sample.entry(try Hex.decode("\(Self.c)9F2701EE"))
        #expect(twice.cryptogram == Self.cryptogram)
        #expect(twice.otherObjects == [TLV(0x9F27, [0xEE])])
    }

    @Test("success without pass data is right for a URL and odd for a pass", arguments: ["", "7000", "70039F2A00"])
    func noCryptogram(hex: String) throws {
        let data = try Hex.decode(hex)
        #expect(Sample.entry(data, urlOnly: true).oddities.isEmpty)
        let entry = Sample.entry(data)
        #expect(entry.oddities.map(\.code) == [.noPassData])
        #expect(entry.cryptogram == nil)
        #expect(entry.data == data)
        #expect(Sample.entry(data, status: 0x6A83).oddities.isEmpty)
    }

    @Test(
        "a malformed body keeps its bytes, a reason, and what could be read",
        arguments: [
            ("70549F2A009F274EC0B77375", false), ("70", false), ("7080", false), ("FFFFFFFFFF", false),
            ("70FF9F2A00\(c)", false), ("703F9F2A00\(c)", true), ("703E9F2A00\(c)FFFF", true),
            ("70413E9F2A00\(c)", false), ("703E9F2A00\(c)9F", true),
        ])
    func malformed(hex: String, readable: Bool) throws {
        let data = try Hex.decode(hex)
        let entry = Sample.entry(data)
        #expect(entry.oddities.map(\.code) == [.malformed])
        #expect(entry.oddities.first?.text.contains("offset") == true)
        #expect(entry.data == data)
        #expect((entry.cryptogram == Self.cryptogram) == readable)
    }

    @Test("a body with a bad status word is read as well")
    func bodyWithError() throws {
        let entry = Sample.entry(try Hex.decode("70039F2A00"), status: 0x6287)
        #expect(entry.status == .notActivated)
        #expect(entry.mobileToken == [])
    }

    @Test("any bytes can be read, and nothing of them is lost")
    func neverTraps() {
        var random = SeededRandom(seed: 2)
        let good = Array(Sample.answer(Self.cryptogram).dropLast(2))
        for round in 0..<20_000 {
            let bytes = round % 2 == 0 ? random.bytes(round % 80) : random.mutate(good)
            #expect(Sample.entry(bytes).data == bytes)
        }
    }
}

@Suite("Status words")
struct StatusTests {
    @Test(
        "the eight words of the protocol are named with their source",
        arguments: [
            (0x9000, VASStatus.success), (0x6A83, .noPass), (0x6287, .notActivated), (0x6B00, .wrongParameters),
            (0x6700, .wrongLength), (0x6984, .userActionNeeded), (0x6A80, .incorrectData),
            (0x6340, .unsupportedVersion),
        ] as [(UInt16, VASStatus)])
    func words(word: UInt16, status: VASStatus) {
        #expect(VASStatus(StatusWord(rawValue: word)) == status)
        #expect(status.isVAS)
        #expect(status.source != nil)
        #expect(status.description == "\(StatusWord(rawValue: word)): \(status.meaning)")
    }

    @Test(
        "generic words are named, but are not VAS",
        arguments: [0x6100, 0x61FF, 0x6982, 0x6A81, 0x6A82, 0x6C10, 0x6D00, 0x6E00])
    func generic(word: UInt16) {
        let status = VASStatus(StatusWord(rawValue: word))
        #expect(!status.isVAS)
        #expect(status.source != nil)
    }

    @Test("an unknown word is kept, and 91xx is not success")
    func unknown() {
        let status = VASStatus(0x9100)
        #expect(status != .success)
        #expect(!status.isVAS)
        #expect(status.source == nil)
        #expect(status.advice == nil)
        #expect(status.description == "9100: a status word without a known meaning")
    }

    @Test("each word stands once in the table")
    func once() {
        let words = VASStatus.table.map(\.word)
        #expect(Set(words).count == words.count)
        #expect(VASStatus.table.count(where: \.isVAS) == 8)
    }
}
