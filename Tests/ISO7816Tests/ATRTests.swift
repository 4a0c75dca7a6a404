// SPDX-License-Identifier: Apache-2.0

import CardTesting
import ISO7816
import Testing

@Suite("Answers to reset")
struct ATRTests {
    @Test(
        "protocols and check byte",
        arguments: [
            ("3B00", [0], nil, true), ("3F00", [0], nil, true), ("3B8000", [0], nil, true),
            ("3B800181", [1], 0x81, true), ("3B800180", [1], 0x80, false), ("3B80800101", [0, 1], 0x01, true),
            ("3B024142", [0], nil, true), ("3B8F" + "00" + "000102030405060708090A0B0C0D0E", [0], nil, true),
        ] as [(String, [Int], UInt8?, Bool)])
    func protocols(hex: String, protocols: [Int], check: UInt8?, isRight: Bool) throws {
        let bytes = try Hex.decode(hex)
        let atr = try ATR(bytes)
        #expect(atr.bytes == bytes && atr.isDirect == hex.hasPrefix("3B"))
        #expect(atr.protocols == protocols && atr.checkByte == check && atr.isCheckByteRight == isRight)
        #expect(atr.historicalBytes.count == Int(bytes[1] & 15))
    }

    @Test("interface bytes stand where T0 and the TD bytes announce them")
    func interfaceBytes() throws {
        // T0 announces TA1 and TD1; TD1 announces TB2 and TC2 and T=1.
        let atr = try ATR(try Hex.decode("3B91" + "95" + "61" + "4500" + "AA" + "8A"))
        let rounds = atr.interfaceBytes
        #expect(rounds.map(\.ta) == [0x95, nil])
        #expect(rounds.map(\.tb) == [nil, 0x45])
        #expect(rounds.map(\.tc) == [nil, 0x00])
        #expect(rounds.map(\.td) == [0x61, nil])
        #expect(atr.historicalBytes == [0xAA] && atr.protocols == [1] && atr.checkByte == 0x8A && atr.isCheckByteRight)
    }

    @Test(
        "the error points to the end of what is missing, or to what is too much",
        arguments: [
            ("", 0, "2 to 33"), ("3B", 0, "2 to 33"), ("3A00", 0, "TS"), ("3B10", 2, "TA"), ("3B20", 2, "TB"),
            ("3B40", 2, "TC"), ("3B80", 2, "TD"), ("3B8080", 3, "TD"), ("3B03AABB", 4, "historical"),
            ("3B8001", 3, "TCK"), ("3B0000", 2, "follow"), ("3B80800101FF", 5, "follow"),
        ])
    func refused(hex: String, offset: Int, word: String) throws {
        let bytes = try Hex.decode(hex)
        let error = #expect(throws: APDUError.self) { try ATR(bytes) }
        #expect(error?.offset == offset && error?.reason.contains(word) == true, "\(error?.description ?? "none")")
    }

    @Test("more than 33 bytes are none, though TD bytes could go on for ever")
    func endless() {
        #expect(throws: APDUError.self) { try ATR([0x3B] + [UInt8](repeating: 0x80, count: 33)) }
        #expect(throws: APDUError.self) { try ATR([0x3B] + [UInt8](repeating: 0x80, count: 32)) }
    }

    @Test("a storage card is named only by the right prefix behind a contactless reader")
    func storage() throws {
        func atr(_ historical: String) throws -> ATR {
            let bytes = try Hex.decode(historical)
            let body = [0x80 | UInt8(bytes.count), 0x80, 0x01] + bytes
            return try ATR([0x3B] + body + [body.reduce(0, ^)])
        }
        let classic = try atr("804F0CA00000030603000200000000")
        #expect(classic.storageCard?.standard == 3 && classic.storageCard?.name == 2 && classic.isCheckByteRight)
        #expect(try atr("804F0CA000000306030002").storageCard?.name == 2)
        for other in ["", "804F0CA0000003060300", "804F0CA00000030703000200000000", "8031"] {
            #expect(try atr(other).isContactless && atr(other).storageCard == nil)
        }
        let contact = try ATR(try Hex.decode("3B0F804F0CA00000030603000200000000"))
        #expect(!contact.isContactless && contact.storageCard == nil)
    }

    @Test("what is read is all of the bytes, whatever they are")
    func neverTraps() {
        var random = SeededRandom(seed: 71)
        var read = 0
        for _ in 0..<20_000 {
            let start: UInt8 = Bool.random(using: &random) ? 0x3B : 0x3F
            let bytes = [start] + random.bytes(Int.random(in: 0...34, using: &random))
            guard let atr = try? ATR(bytes) else { continue }
            read += 1
            let interface = atr.interfaceBytes.flatMap { [$0.ta, $0.tb, $0.tc, $0.td] }.compactMap(\.self)
            let parts = [bytes[0], bytes[1]] + interface + atr.historicalBytes + (atr.checkByte.map { [$0] } ?? [])
            #expect(parts == bytes)
            _ = atr.storageCard
        }
        #expect(read > 20)
    }
}
