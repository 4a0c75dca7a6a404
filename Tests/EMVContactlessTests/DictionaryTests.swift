// SPDX-License-Identifier: Apache-2.0

import BERTLV
import Testing

@testable import EMVContactless

@Suite("Tag dictionary")
struct DictionaryTests {
    @Test("Every row of the table is read")
    func rows() {
        let rows = tagTableText.split(separator: "\n")
        #expect(TagDictionary.standard.count == rows.count)
        #expect(BitFields.all.flatMap(\.rules).count + BitFields.all.count == bitTableText.split(separator: "\n").count)
    }

    @Test("A context's own meaning wins over EMV's")
    func contexts() throws {
        let dictionary = TagDictionary.standard
        #expect(dictionary.entry(for: 0x9F66, in: .kernel3)?.name == "Terminal Transaction Qualifiers")
        #expect(dictionary.entry(for: 0x9F66, in: .kernel2)?.name == "PUNATC(Track2)")
        #expect(dictionary.entry(for: 0x9F26, in: .valueAddedServices)?.lengths == 4...4)
        #expect(dictionary.entry(for: 0x9F02, in: .valueAddedServices) == nil)
        #expect(dictionary.entry(for: 0x9F02, in: .kernel7)?.format == .numeric)
        #expect(dictionary.entry(for: 0xDFFF01, in: .emv) == nil)
    }

    @Test("What must not be shown is marked")
    func sensitive() {
        let tags: [TLVTag] = [
            0x57, 0x5A, 0x56, 0x9F6B, 0x5F20, 0x9F1F, 0x9F20, 0x5F24, 0x9F24, 0x9F0B, 0x9F10, 0x9F26, 0x9F4B, 0x93,
            0x9F46,
        ]
        for tag in tags { #expect(TagDictionary.standard.isSensitive(tag), "\(tag)") }
        #expect(!TagDictionary.standard.isSensitive(0x9F27) && !TagDictionary.standard.isSensitive(0x82))
        #expect(TagDictionary.standard.entry(for: 0x9F27, in: .valueAddedServices)?.isSensitive == true)
    }

    @Test(
        "Every collision in the vectors is known", .enabled(if: Vectors.isAvailable, "COUNTERTOP_VECTORS is not set"))
    func collisions() throws {
        let contexts: [String: TagContext] = [
            "EMV": .emv, "Apple VAS": .valueAddedServices, "Interac": .interac, "2": .kernel2, "3": .kernel3,
            "4": .kernel4, "5": .kernel5, "6": .kernel6, "7": .kernel7,
        ]
        for row in Vectors.load("tags/kernel-tag-collisions.json")["collisions"].elements {
            let tag = try #require(row["tag"].string.flatMap { TLVTag(hex: $0) })
            for meaning in row["meanings"].elements {
                let text = try #require(meaning["meaning"].string)
                let kernels = (meaning["kernel"].string ?? "").split(separator: ",").map { kernel in
                    contexts["\(kernel)"] ?? kernel.first.flatMap { contexts["\($0)"] }
                }
                for context in kernels.compactMap({ $0 }) {
                    guard text != "not defined" else { continue }
                    let entry = try #require(TagDictionary.standard.entry(for: tag, in: context), "\(tag) \(context)")
                    #expect(Words.overlap(entry.name, text) >= 0.5, "\(tag) \(context): \(entry.name)")
                    checkLength(entry, text)
                }
            }
        }
    }

    /// `4 bytes`, `up to 32 bytes`, `5-32 bytes` in the vector's words must lie in the entry's lengths.
    private func checkLength(_ entry: TagEntry, _ text: String) {
        guard let bytes = text.firstRange(of: " byte") else { return }
        let number = text[..<bytes.lowerBound].split { !$0.isNumber }.last.flatMap { Int($0) }
        guard let number else { return }
        #expect(entry.lengths.contains(number), "\(entry.tag) \(entry.context)")
    }

    @Test(
        "Every bit rule in the vectors is known", .enabled(if: Vectors.isAvailable, "COUNTERTOP_VECTORS is not set"))
    func bits() throws {
        let vectors = Vectors.load("tags/bit-fields.json")
        for field in vectors["fields"].elements {
            let tag = try #require(field["tag"].string.flatMap { TLVTag(hex: $0) })
            let name = try #require(field["name"].string)
            for rule in field["bits"].elements {
                let conditions = rule["if"].elements.compactMap(condition)
                let meaning = try #require(rule["meaning"].string)
                let known = BitFields.all.filter { $0.tag == tag }.flatMap(\.rules).filter {
                    $0.conditions == conditions
                }
                #expect(known.contains { Words.overlap($0.meaning, meaning) >= 0.5 }, "\(tag) \(name): \(meaning)")
            }
        }
        for rule in vectors["addedHere"].elements {
            guard let tag = rule["tag"].string.flatMap({ TLVTag(hex: $0) }), let bit = rule["bit"].int,
                let byte = rule["byte"].int, let meaning = rule["meaning"].string, !meaning.contains("RFU")
            else { continue }
            var bytes: [UInt8] = [0, 0, 0, 0]
            bytes[byte - 1] = 1 << UInt8(bit - 1)
            #expect(BitFields.words(for: tag, in: .kernel3, bytes).count >= 1, "\(meaning)")
        }
    }

    private func condition(_ json: JSON) -> BitCondition? {
        guard let byte = json["byte"].int else { return nil }
        if let value = json["equals"].int { return .equals(byte: byte, value: UInt8(value)) }
        if let high = json["bitFrom"].int, let low = json["bitTo"].int {
            return .number(byte: byte, high: high, low: low)
        }
        guard let bit = json["bit"].int, let value = json["value"].int else { return nil }
        return .bit(byte: byte, bit: bit, isSet: value == 1)
    }

    @Test("Words for values")
    func words() {
        #expect(
            BitFields.words(for: 0x95, in: .emv, hex("0000048000")) == [
                "Online PIN entered", "Transaction exceeds floor limit",
            ])
        #expect(BitFields.words(for: 0x9F6C, in: .kernel3, hex("0080")) == ["Consumer device CVM performed"])
        #expect(BitFields.words(for: 0x9F6C, in: .kernel2, hex("0001")).isEmpty)
        #expect(
            BitFields.words(for: 0x9F10, in: .kernel2, hex("000029")).contains("Right nibble of PIN try counter = 9"))
        #expect(ApplicationInterchangeProfile(hex("5980"))?.description.contains("CDA supported") == true)
        #expect(TerminalTransactionQualifiers(hex("2080"))?.description == nil)
    }
}

/// Comparing wordings.
enum Words {
    /// Share of the words of the shorter text that the other has too.
    static func overlap(_ a: String, _ b: String) -> Double {
        let (a, b) = (words(a), words(b))
        let fewest = min(a.count, b.count)
        return fewest == 0 ? 0 : Double(a.intersection(b).count) / Double(fewest)
    }

    private static func words(_ text: String) -> Set<String> {
        Set(text.lowercased().split { !$0.isLetter && !$0.isNumber }.map { String($0.prefix(6)) })
    }
}
