// SPDX-License-Identifier: Apache-2.0

import BERTLV
import ISO7816
import Testing

@Suite("Slices and offsets")
struct TLVSliceTests {
    /// Four bytes that belong to something else, two objects, two more foreign bytes.
    private func slice(_ hex: String) throws -> ArraySlice<UInt8> {
        let bytes = try Hex.decode("01020304" + hex + "9000")
        return bytes[4..<bytes.count - 2]
    }

    @Test("offsets of a slice are places in the whole input", arguments: [TLVRules.strict, .lenient])
    func offsets(rules: TLVRules) throws {
        let objects = try TLV.read(try slice("5001AA6F059F24020102"), rules: rules)
        #expect(objects.map(\.offset) == [4, 7])
        #expect(objects.map(\.value.startIndex) == [6, 9])
        let inner = try #require(try objects[1].contents(rules: rules).first)
        #expect(inner.offset == 9 && inner.value.indices == 12..<14 && inner.bytes == [1, 2])
    }

    @Test("a slice ends where it ends, though bytes follow in its array")
    func end() throws {
        let bytes = try Hex.decode("01020304" + "5003AABB" + "9000")
        let error = #expect(throws: TLVError.self) { try TLV.read(bytes[4..<8]) }
        #expect(error == TLVError(.truncatedValue, part: .value, tag: "50", offset: 6))
        #expect(try TLV.read(bytes[4..<4]).isEmpty)
    }

    @Test(
        "errors in a slice, and inside of objects, point into the whole input",
        arguments: [
            ("5001AA9F", TLVError(.truncatedTag, part: .tag, tag: "9F", offset: 7)),
            ("5001AA9F27", TLVError(.truncatedLength, part: .length, tag: "9F27", offset: 9)),
            ("5001AA5080", TLVError(.indefiniteLength, part: .length, tag: "50", offset: 8)),
            ("5001AA508101AA", TLVError(.nonMinimalLength, part: .length, tag: "50", offset: 8)),
            ("9F8182838400", TLVError(.tagTooLong, part: .tag, tag: "9F818283", offset: 4)),
            ("5001AA00", TLVError(.invalidTag, part: .tag, tag: "00", offset: 7)),
            ("5001AA5085", TLVError(.lengthTooLong, part: .length, tag: "50", offset: 8)),
        ])
    func errors(hex: String, expected: TLVError) throws {
        let slice = try slice(hex)
        #expect(throws: expected) { try TLV.read(slice) }
        let wrapped = TLVBuilder.build { $0.append(0x70, slice) }
        let inner = #expect(throws: TLVError.self) { try TLVTree.read(wrapped) }
        #expect(inner?.offset == expected.offset - 2 && inner?.code == expected.code)
    }

    @Test("an object made by hand reads its contents from offset 0 on")
    func byHand() throws {
        let object = TLV(0x6F, try Hex.decode("9F24020102 5001AA"))
        #expect(object.offset == 0)
        #expect(try object.contents().map(\.offset) == [0, 5])
        let broken = TLV(0x6F, [0x50])
        #expect(throws: TLVError(.truncatedLength, part: .length, tag: "50", offset: 1)) { try broken.contents() }
    }

    @Test("equal objects have equal hashes, wherever they stood")
    func hashes() throws {
        let read = try TLV.read(try slice("5001AA5001AA"))
        #expect(read[0] == read[1] && Set(read).count == 1)
        #expect(read[0].hashValue == TLV(0x50, [0xAA]).hashValue)
        #expect(TLV(0x50, [0xAA]) != TLV(0x51, [0xAA]) && TLV(0x50, [0xAA]) != TLV(0x50, [0xAB]))
    }

    @Test("every code has a sentence of its own, with tag and offset and no value")
    func sentences() {
        let codes: [TLVError.Code] = [
            .truncatedTag, .tagTooLong, .invalidTag, .truncatedLength, .indefiniteLength, .lengthTooLong,
            .nonMinimalLength, .truncatedValue, .tooDeep, .missing,
        ]
        let texts = codes.map { TLVError($0, part: .value, tag: "9F27", offset: 77).description }
        #expect(Set(texts).count == codes.count)
        for text in texts {
            #expect(text.hasSuffix("(tag 9F27) at offset 77"))
        }
        let unknown = TLVError(TLVError.Code(rawValue: "later"), part: .tag, offset: 3)
        #expect(unknown.description == "TLV: later at offset 3" && unknown.tag == nil)
    }

    @Test("a tree holds the objects inside constructed ones only")
    func tree() throws {
        let trees = try TLVTree.read(try Hex.decode("6F07 5003 500150 7000 9F2700"), rules: .strict)
        #expect(trees.map(\.object.tag) == [0x6F, 0x9F27])
        #expect(trees[0].children.map(\.object.tag) == [0x50, 0x70])
        #expect(trees[0].children.map(\.object.offset) == [2, 7])
        #expect(trees[0].children.allSatisfy { $0.children.isEmpty } && trees[1].children.isEmpty)
    }
}
