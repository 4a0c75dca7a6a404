// SPDX-License-Identifier: Apache-2.0

import CardTesting
import ISO7816
import Testing

@Suite("Command APDUs")
struct CommandAPDUTests {
    private func make(_ count: Int, _ ne: Int?, extended: Bool) throws -> CommandAPDU {
        try CommandAPDU(
            cla: 0x80, ins: 0xCA, p1: 1, p2: 2, data: [UInt8](repeating: 7, count: count), ne: ne, extended: extended)
    }

    @Test(
        "all cases, both forms, are built and read alike", arguments: [0, 1, 255, 256, 65_535],
        [nil, 1, 255, 256, 257, 65_536] as [Int?])
    func roundTrip(count: Int, ne: Int?) throws {
        for extended in [false, true] {
            let built = try make(count, ne, extended: extended)
            let read = try CommandAPDU(built.bytes)
            #expect(read == built)
            #expect(read.data.count == count && read.ne == ne && read.apduCase == built.apduCase)
            #expect(read.apduCase == (count == 0 ? 1 : 3) + (ne == nil ? 0 : 1))
            let mustExtend = count > 255 || (ne ?? 0) > 256
            #expect(read.isExtended == (mustExtend || (extended && (count > 0 || ne != nil))))
            #expect([read.cla, read.ins, read.p1, read.p2] == [0x80, 0xCA, 1, 2])
        }
    }

    @Test("the forms byte for byte")
    func forms() throws {
        #expect(Hex.encode(try make(0, nil, extended: false).bytes) == "80CA0102")
        #expect(Hex.encode(try make(0, 256, extended: false).bytes) == "80CA010200")
        #expect(Hex.encode(try make(0, 65_536, extended: false).bytes) == "80CA0102000000")
        #expect(Hex.encode(try make(1, nil, extended: false).bytes) == "80CA01020107")
        #expect(Hex.encode(try make(1, 256, extended: false).bytes) == "80CA0102010700")
        #expect(Hex.encode(try make(1, nil, extended: true).bytes) == "80CA010200000107")
        #expect(Hex.encode(try make(1, 256, extended: true).bytes) == "80CA0102000001070100")
        #expect(CommandAPDU.select(.valueAddedServices).bytes.count == 16)
    }

    @Test(
        "malformed commands are refused with the offset",
        arguments: [
            ("", 0), ("00A404", 3), ("00A404000201", 4), ("00A4040001020304", 4), ("00A404000001", 5),
            ("00A4040000000001", 5), ("00A40400000002FF", 5),
        ])
    func refused(hex: String, offset: Int) throws {
        let bytes = try Hex.decode(hex)
        let error = #expect(throws: APDUError.self) { try CommandAPDU(bytes) }
        #expect(error?.offset == offset)
    }

    @Test("fields out of range are refused")
    func range() {
        #expect(throws: APDUError.self) { try make(65_536, nil, extended: true) }
        #expect(throws: APDUError.self) { try make(0, 0, extended: false) }
        #expect(throws: APDUError.self) { try make(0, 65_537, extended: false) }
        #expect(throws: APDUError.self) { try AID([]) }
        #expect(throws: APDUError.self) { try ResponseAPDU([0x90]) }
    }

    @Test("no bytes make the parsers trap")
    func neverTraps() throws {
        var random = SeededRandom(seed: 3)
        for _ in 0..<5_000 {
            let bytes = random.mutate(random.bytes(Int.random(in: 0...40, using: &random)))
            if let command = try? CommandAPDU(bytes) {
                #expect(command.bytes == bytes && command.data.count <= bytes.count)
            }
            _ = try? ResponseAPDU(bytes).status.meaning
            if let atr = try? ATR([0x3B] + bytes) { #expect(atr.historicalBytes.count <= 15) }
            let text = String(decoding: bytes, as: UTF8.self)
            _ = try? Hex.decode(text)
            _ = try? APDUShorthand(text)
        }
    }
}
