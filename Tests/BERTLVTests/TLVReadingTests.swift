// SPDX-License-Identifier: Apache-2.0

import BERTLV
import CardTesting
import ISO7816
import Testing

@Suite("Reading TLVs")
struct TLVReadingTests {
    private func read(_ hex: String, _ rules: TLVRules = .strict) throws -> [TLV] {
        try TLV.read(try Hex.decode(hex), rules: rules)
    }

    private func error(_ hex: String, _ rules: TLVRules = .strict) throws -> TLVError {
        try #require(#expect(throws: TLVError.self) { try read(hex, rules) })
    }

    @Test("tags of one to four bytes, also two-byte tags under 31")
    func tags() throws {
        #expect(try read("9F0200").first?.tag == 0x9F02)
        #expect(try read("9F81820300").first?.tag == 0x9F81_8203)
        #expect(try error("9F8182838400").code == .tagTooLong)
    }

    @Test("values keep the indices of the whole input")
    func offsets() throws {
        let objects = try read("5001AA 6F05 9F24020102")
        #expect(objects.map(\.offset) == [0, 3])
        let inner = try #require(try objects[1].contents().first)
        #expect(inner.offset == 5)
        #expect(inner.value.startIndex == 8)
    }

    @Test("lengths 0, 1, 127, 128, 255, 256, 65,535, 65,536", arguments: [0, 1, 127, 128, 255, 256, 65_535, 65_536])
    func lengths(count: Int) throws {
        let value = [UInt8](repeating: 0x5A, count: count)
        let bytes = TLVBuilder.build { $0.append(0x9F27, value) }
        let header = count < 128 ? 1 : count < 256 ? 2 : count < 65_536 ? 3 : 4
        #expect(bytes.count == 2 + header + count)
        #expect(try TLV.read(bytes) == [TLV(0x9F27, value)])
        #expect(throws: TLVError.self) { try TLV.read(Array(bytes.dropLast())) }
    }

    @Test("padding and long lengths pass leniently only")
    func lenient() throws {
        #expect(try read("0000 5001AA 00 5001BB 0000", .lenient).map(\.bytes) == [[0xAA], [0xBB]])
        #expect(try error("005001AA").code == .invalidTag)
        for hex in ["508101AA", "50820001AA", "5083000001AA", "508400000001AA"] {
            #expect(try read(hex, .lenient).map(\.bytes) == [[0xAA]])
            #expect(try error(hex).code == .nonMinimalLength)
            #expect(try error(hex).offset == 1)
        }
    }

    @Test("indefinite and oversized lengths are refused by both rules", arguments: [TLVRules.strict, .lenient])
    func refused(rules: TLVRules) throws {
        #expect(try error("30800000", rules).code == .indefiniteLength)
        #expect(try error("5085000000000100", rules).code == .lengthTooLong)
        #expect(try error("50FF", rules).code == .lengthTooLong)
        #expect(try error("5084FFFFFFFF00", rules).code == .truncatedValue)
    }

    @Test("errors tell code, part, tag and offset")
    func errors() throws {
        #expect(try error("9F") == TLVError(.truncatedTag, part: .tag, tag: "9F", offset: 0))
        #expect(try error("5001AA 9C") == TLVError(.truncatedLength, part: .length, tag: "9C", offset: 4))
        #expect(try error("5001AA 9C02FF") == TLVError(.truncatedValue, part: .value, tag: "9C", offset: 5))
        #expect(try error("9C02FF").description.contains("offset 2"))
    }

    @Test("a tree as deep as the limit is read, one level more is not")
    func depth() throws {
        func nested(_ levels: Int) -> [UInt8] {
            (0..<levels).reduce([]) { inner, _ in TLVBuilder.build { $0.append(0x30, inner) } }
        }
        #expect(try TLVTree.read(nested(16)).count == 1)
        for levels in [17, 10_000] {
            let error = #expect(throws: TLVError.self) { try TLVTree.read(nested(levels)) }
            #expect(error?.code == .tooDeep)
        }
        #expect(throws: TLVError.self) { try TLVTree.read(nested(1), maximumDepth: 0) }
    }

    @Test("objects are equal by tag and value, and found at their own level")
    func lookup() throws {
        let objects = try read("5001AA 6F039F2400 5001BB")
        #expect(objects.first(0x50)?.bytes == [0xAA])
        #expect(objects.first(0x9F24) == nil)
        #expect(objects[0] == TLV(0x50, [0xAA]))
        #expect(Set(objects + objects).count == 3)
    }

    @Test("tags spell themselves")
    func tagText() {
        #expect(TLVTag(hex: "9F27") == 0x9F27)
        #expect(TLVTag(hex: "9F2") == nil)
        #expect(TLVTag(0x9F27).description == "9F27")
        #expect(TLVTag(0x50).bytes == [0x50])
        #expect(TLVTag(rawValue: 0).bytes == [0])
        #expect(TLVTag(0x6F).isConstructed && !TLVTag(0x9F27).isConstructed)
    }
}
