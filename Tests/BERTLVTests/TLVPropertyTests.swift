// SPDX-License-Identifier: Apache-2.0

import BERTLV
import CardTesting
import Testing

@Suite("TLV properties")
struct TLVPropertyTests {
    private static let tags: [TLVTag] = [0x50, 0x84, 0x9F02, 0x9F27, 0x5F2D, 0x9F8101]

    private func object(_ random: inout SeededRandom, depth: Int, into builder: inout TLVBuilder) {
        if depth > 0, Bool.random(using: &random) {
            let inner = forest(&random, depth: depth - 1)
            builder.append(0x6F, inner)
        } else {
            let tag = Self.tags.randomElement(using: &random) ?? 0x50
            builder.append(tag, random.bytes(Int.random(in: 0...300, using: &random)))
        }
    }

    private func forest(_ random: inout SeededRandom, depth: Int) -> [UInt8] {
        var builder = TLVBuilder()
        for _ in 0..<Int.random(in: 0...4, using: &random) { object(&random, depth: depth, into: &builder) }
        return builder.bytes
    }

    private func written(_ trees: [TLVTree]) -> [UInt8] {
        TLVBuilder.build { builder in
            for tree in trees {
                let tag = tree.object.tag
                builder.append(tag, tag.isConstructed ? written(tree.children) : tree.object.bytes)
            }
        }
    }

    @Test("what a builder writes is read, and written again the same")
    func roundTrip() throws {
        var random = SeededRandom(seed: 1)
        for _ in 0..<300 {
            let bytes = forest(&random, depth: 4)
            #expect(written(try TLVTree.read(bytes)) == bytes)
            #expect(try TLVTree.read(bytes) == TLVTree.read(bytes, rules: .lenient))
        }
    }

    @Test("no bytes make the reader trap, and errors point into the input")
    func neverTraps() {
        var random = SeededRandom(seed: 2)
        for round in 0..<5_000 {
            let bytes =
                round.isMultiple(of: 2)
                ? random.bytes(Int.random(in: 0...60, using: &random)) : random.mutate(forest(&random, depth: 3))
            for rules in [TLVRules.strict, .lenient] {
                do throws(TLVError) {
                    _ = try TLVTree.read(bytes, rules: rules)
                } catch {
                    #expect((0...bytes.count).contains(error.offset))
                }
            }
        }
    }
}
