// SPDX-License-Identifier: Apache-2.0

import BERTLV
import Foundation
import ISO7816
import Testing

private let folder = ProcessInfo.processInfo.environment["COUNTERTOP_VECTORS"]

/// Conformance vectors from outside the project.
private struct Vectors: Decodable {
    struct Decoded: Decodable {
        let hex: String
        let value: [String: Value]
    }
    struct Encoded: Decodable {
        let value: [String: Value]
        let hex: String
    }
    struct Rejected: Decodable {
        let hex: String
        let part: String
        let tag: String
        let offset: Int
    }
    /// A primitive value in hex, or the objects inside.
    enum Value: Decodable {
        case hex(String)
        case objects([String: Value])

        init(from decoder: any Decoder) throws {
            if let text = try? decoder.singleValueContainer().decode(String.self) {
                self = .hex(text)
            } else {
                self = .objects(try [String: Value](from: decoder))
            }
        }
    }

    let decode: [Decoded]
    let reject: [Rejected]
    let encode: [Encoded]?

    static func load() throws -> Vectors {
        let path = try #require(folder) + "/emv/tlv/ber-tlv.json"
        return try JSONDecoder().decode(Vectors.self, from: try Data(contentsOf: URL(filePath: path)))
    }
}

@Suite("TLV vectors", .enabled(if: folder != nil, "COUNTERTOP_VECTORS is not set"))
struct TLVVectorTests {
    private func check(_ trees: [TLVTree], _ expected: [String: Vectors.Value]) {
        #expect(Set(trees.map(\.object.tag.description)) == Set(expected.keys))
        for tree in trees {
            switch expected[tree.object.tag.description] {
            case .hex(let hex)?: #expect(Hex.encode(tree.object.value) == hex.uppercased())
            case .objects(let objects)?: check(tree.children, objects)
            case nil: break
            }
        }
    }

    @Test("decode")
    func decode() throws {
        for vector in try Vectors.load().decode {
            check(try TLVTree.read(try Hex.decode(vector.hex), rules: .lenient), vector.value)
        }
    }

    @Test("reject, with part, tag and offset")
    func reject() throws {
        for vector in try Vectors.load().reject {
            let bytes = try Hex.decode(vector.hex)
            let error = #expect(throws: TLVError.self, "\(vector.hex)") { try TLVTree.read(bytes, rules: .lenient) }
            #expect(error?.part.rawValue == vector.part, "\(vector.hex)")
            #expect(error?.tag == vector.tag, "\(vector.hex)")
            #expect(error?.offset == vector.offset, "\(vector.hex)")
        }
    }

    /// Objects of JSON have no order: all that are asked for, by ascending or descending tag.
    private func written(_ values: [String: Vectors.Value], ascending: Bool) throws -> [UInt8] {
        var builder = TLVBuilder()
        for (key, value) in values.sorted(by: { ascending ? $0.key < $1.key : $0.key > $1.key }) {
            let tag = try #require(TLVTag(hex: key))
            switch value {
            case .hex(let hex): builder.append(tag, try Hex.decode(hex))
            case .objects(let objects): builder.append(tag, try written(objects, ascending: ascending))
            }
        }
        return builder.bytes
    }

    @Test("encode")
    func encode() throws {
        for vector in try Vectors.load().encode ?? [] {
            let texts = [true, false].map { try? Hex.encode(written(vector.value, ascending: $0)) }
            #expect(texts.contains(vector.hex.uppercased()), "\(vector.hex)")
        }
    }
}
