// SPDX-License-Identifier: Apache-2.0

import BERTLV
import CardTesting
import CounterServer
import EMVContactless
import Foundation
import ISO7816
import Testing

@testable import CountertopCommands

@Suite struct NeverTrapsTests {
    static let seeds: [[UInt8]] = [
        [0x00, 0xA4, 0x04, 0x00, 0x02, 0x41, 0x42, 0x00], [0x6F, 0x0A, 0x50, 0x08, 1, 2, 3, 4, 5, 6, 7, 8, 0x90, 0],
        [0x80, 0xCA, 0x01, 0x01, 0x05, 0x9F, 0x22, 0x02, 0x01, 0x00, 0x00], [0x70, 0x03, 0x9F, 0x2A, 0x00],
    ]

    @Test func decode() throws {
        var random = SeededRandom(seed: 20_261_121)
        var decoded = 0
        for round in 0..<4_000 {
            let bytes =
                round.isMultiple(of: 2)
                ? random.bytes(Int(random.next() % 80)) : random.mutate(Self.seeds[round / 2 % Self.seeds.count])
            for kind in Decoded.Kind.allCases {
                guard let value = try? Decoded(bytes, as: kind) else { continue }
                decoded += 1
                #expect(value.text.allSatisfy { !$0.contains("\n") })
                let json = value.json.compact
                let parsed = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
                #expect(parsed?["kind"] is String)
            }
        }
        #expect(decoded > 1_000)
    }

    @Test func decodeValues() throws {
        var random = SeededRandom(seed: 20_261_122)
        var decoded = 0
        for round in 0..<3_000 {
            let kind = ValueKind.table[round % ValueKind.table.count]
            let context = DecodingContext.names[round / 7 % DecodingContext.names.count].context
            let bytes = random.bytes(Int(random.next() % 24))
            guard var value = try? Decoded(bytes, form: .value(kind), in: context) else { continue }
            decoded += 1
            for isOff in [false, true] {
                value.mask = CardholderMask(isOff: isOff)
                #expect(value.text.allSatisfy { !$0.contains("\n") })
                #expect(try JSONSerialization.jsonObject(with: Data(value.json.compact.utf8)) is [String: Any])
            }
        }
        #expect(decoded > 300)
    }

    @Test func masking() {
        var random = SeededRandom(seed: 20_261_123)
        for _ in 0..<3_000 {
            let bytes = random.bytes(Int(random.next() % 24))
            for tag in CardholderMask.hidden {
                let (text, isMasked) = CardholderMask.on.value(tag, bytes, in: .emv)
                #expect(isMasked && text.utf8.count == bytes.count * 2)
                // Ends of an account number, a separator and padding at most.
                #expect(text.filter { $0.isHexDigit && $0 != "D" && $0 != "F" }.count <= 10)
            }
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(AccountNumberRuns.covered(text).utf8.count == text.utf8.count)
        }
    }

    /// Words as they stand on command lines, and worse.
    private func text(_ random: inout SeededRandom, _ pieces: [String]) -> String {
        (0..<Int(random.next() % 8)).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }.joined()
    }

    @Test func passSpecifications() {
        var random = SeededRandom(seed: 2)
        let pieces = [",", "://", "https://e.com/", "pass.x", "Club", " ", "é", "\u{1F3AB}", "%2C", "=", "\0"]
        for _ in 0..<4_000 {
            let text = text(&random, pieces)
            guard let pass = PassSpecification(argument: text) else { continue }
            #expect(!pass.id.isEmpty && !pass.id.contains(","))
            #expect(text.hasPrefix(pass.id))
            #expect(pass.url?.contains(",") != true)
            #expect(pass.name?.isEmpty != true)
        }
    }

    static let specifications: [(String, String, String?, String?)] = [
        ("pass.x", "pass.x", nil, nil), ("pass.x,Club", "pass.x", nil, "Club"),
        ("pass.x,https://e.com/a", "pass.x", "https://e.com/a", nil),
        ("pass.x,https://e.com/a,Club", "pass.x", "https://e.com/a", "Club"),
        ("pass.x,Club,https://e.com/a", "pass.x", "https://e.com/a", "Club"),
        ("pass.x,,Club", "pass.x", nil, "Club"), ("pass.x,", "pass.x", nil, nil),
        // A name may hold commas; a URL writes them %2C.
        ("pass.x,https://e.com/a%2Cb,Club, North", "pass.x", "https://e.com/a%2Cb", "Club, North"),
    ]

    @Test(arguments: specifications)
    func passSpecificationsMean(_ text: String, _ id: String, _ url: String?, _ name: String?) throws {
        let pass = try #require(PassSpecification(argument: text))
        #expect(pass.id == id)
        #expect(pass.url == url)
        #expect(pass.name == name)
    }

    @Test func wordsLoseNothing() {
        var random = SeededRandom(seed: 3)
        for _ in 0..<2_000 {
            let words = (0..<Int(random.next() % 6)).map { _ in text(&random, ["-", "00", "a.pem", "x.apdu", ""]) }
            for place in [Words.Place.first, .last] {
                let (argument, rest) = Words.split(words, preferring: place) { $0.hasSuffix(".apdu") }
                guard !words.isEmpty else {
                    #expect(argument.isEmpty && rest.isEmpty)
                    continue
                }
                #expect((rest + [argument]).sorted() == words.sorted())
                #expect(argument.hasSuffix(".apdu") || !words.contains { $0.hasSuffix(".apdu") })
            }
        }
    }

    @Test func expectedAPDUs() {
        var random = SeededRandom(seed: 4)
        for _ in 0..<4_000 {
            let text = text(&random, ["00A4", "0400", "00", "=", "9000", "XX", "x", "g", " ", "é"])
            guard let apdu = try? ExpectedAPDU(parsing: text) else { continue }
            #expect(apdu.command.bytes.count >= 4)
            #expect(apdu.expected.map { $0.count == 4 } ?? true)
            #expect(apdu.expected != nil || apdu.accepts(StatusWord(rawValue: 0x6A82)))
        }
    }

    @Test func jsonTextIsAlwaysJSON() throws {
        var random = SeededRandom(seed: 5)
        for _ in 0..<500 {
            let text = String(decoding: random.bytes(Int(random.next() % 40)), as: UTF8.self)
            let json = JSON.object(["text": .string(text), "list": .array([.null, .bool(true), .number(-1)])])
            for form in [json.compact, json.pretty()] {
                let parsed = try JSONSerialization.jsonObject(with: Data(form.utf8)) as? [String: Any]
                #expect(parsed?["text"] as? String == text)
            }
            #expect(!json.compact.contains("\n"))
        }
    }
}
