// SPDX-License-Identifier: Apache-2.0

import BERTLV
import ISO7816
import Testing

@Suite("Writing TLVs")
struct TLVBuilderTests {
    @Test(
        "a length takes the fewest bytes",
        arguments: [
            (0, "5000"), (1, "5001"), (127, "507F"), (128, "508180"), (255, "5081FF"), (256, "50820100"),
            (65_535, "5082FFFF"), (65_536, "5083010000"), (16_777_216, "508401000000"),
        ])
    func lengths(count: Int, head: String) throws {
        let bytes = TLVBuilder.build { $0.append(0x50, repeatElement(0xA5, count: count)) }
        #expect(Hex.encode(bytes.prefix(head.count / 2)) == head)
        #expect(bytes.count == head.count / 2 + count)
        #expect(bytes.dropFirst(head.count / 2).allSatisfy { $0 == 0xA5 })
        let object = try #require(try TLV.read(bytes).first)
        #expect(object.value.count == count && object.value.startIndex == head.count / 2)
    }

    @Test(
        "tags of one to four bytes are written and read as they stand",
        arguments: [
            ("50", 0x50), ("9F27", 0x9F27), ("9F00", 0x9F00), ("9F8001", 0x9F_8001), ("DF818203", 0xDF81_8203),
            ("7F49", 0x7F49), ("BFFFFF7F", 0xBFFF_FF7F),
        ] as [(String, UInt32)])
    func tags(hex: String, value: UInt32) throws {
        let tag = TLVTag(rawValue: value)
        #expect(tag.byteCount == hex.count / 2)
        #expect(Hex.encode(tag.bytes) == hex && tag.description == hex && TLVTag(hex: hex) == tag)
        let bytes = TLVBuilder.build { $0.append(tag, [0x01]) }
        #expect(Hex.encode(bytes) == hex + "0101")
        // Strict reading goes by the tag alone; what is inside a constructed object is not looked at.
        #expect(try TLV.read(bytes) == [TLV(tag, [0x01])])
    }

    @Test("a tag's form is in bit 6 of its first byte, whatever its size")
    func forms() {
        for (tag, isConstructed) in [(0x6F, true), (0x7F49, true), (0xBF0C, true), (0xFFFF_FF7F, true)]
            + [(0x4F, false), (0x5F2D, false), (0x9F20, false), (0xDF81_8203, false)] as [(UInt32, Bool)]
        {
            #expect(TLVTag(rawValue: tag).isConstructed == isConstructed)
        }
        #expect(TLVTag(0x9F8001).leadingByte == 0x9F)
        #expect(TLVTag(rawValue: 0).byteCount == 1 && TLVTag(rawValue: 0).leadingByte == 0)
    }

    @Test(
        "tags are spelt with two to eight hex digits",
        arguments: ["", "9", "9F2", "9F270", "9F81828384", "+9", "-1", "0x50", "9G", " 50", "5０"])
    func noTag(text: String) {
        #expect(TLVTag(hex: text) == nil)
    }

    @Test("tags are spelt in either case")
    func lowerCase() {
        #expect(TLVTag(hex: "9f2b") == 0x9F2B)
        #expect(TLVTag(hex: "df818203"[...]) == 0xDF81_8203)
    }

    @Test("objects are written in order, constructed ones around what is written inside")
    func nested() throws {
        let bytes = TLVBuilder.build { builder in
            builder.append(0x50, Array("Pay".utf8))
            builder.append(0x6F) { template in
                template.append(0x84, [0x01, 0x02])
                template.append(0xA5) { $0.append(0x9F38, []) }
            }
            builder.append(0x70) { _ in }
        }
        #expect(Hex.encode(bytes) == "5003506179" + "6F09" + "84020102" + "A5039F3800" + "7000")
        var builder = TLVBuilder()
        #expect(builder.bytes.isEmpty)
        builder.append(0x50, [0x61])
        builder.append(0x50, [0x62])
        #expect(Hex.encode(builder.bytes) == "500161500162")
    }

    @Test("any collection of bytes is a value: slices that do not start at 0, too")
    func collections() {
        let bytes: [UInt8] = [1, 2, 3, 4, 5]
        #expect(TLVBuilder.build { $0.append(0x50, bytes[2...3]) } == [0x50, 2, 3, 4])
        #expect(TLVBuilder.build { $0.append(0x50, "é".utf8) } == [0x50, 2, 0xC3, 0xA9])
        #expect(TLVBuilder.build { $0.append(0x50, CollectionOfOne(9)) } == [0x50, 1, 9])
    }
}
