// SPDX-License-Identifier: Apache-2.0

import BERTLV
import ISO7816
import Testing

@testable import EMVContactless

@Suite("Objects in words")
struct ObjectWordsTests {
    @Test("Each form of value")
    func forms() {
        func lines(_ tag: TLVTag, _ value: String, _ context: TagContext = .emv) -> [String] {
            ObjectWords(tag, hex(value), in: context).lines
        }
        #expect(lines(0x9F38, "9F66049F0206", .kernel3).last == "9F02 Amount, Authorised (Numeric), 6 bytes")
        #expect(
            lines(0x94, "0801010018010200") == [
                "SFI 1 record 1, 0 authenticated", "SFI 3 records 1-2, 0 authenticated",
            ])
        #expect(lines(0x8E, "0000000000000000 1F03") == ["No CVM required, if terminal supports the CVM, else fail"])
        #expect(lines(0x9F34, "3F0002") == ["No CVM performed, result successful"])
        #expect(lines(0x9F34, "1E0300").first?.hasPrefix("Signature") == true)
        #expect(lines(0x9A, "260805") == ["2026-08-05"] && lines(0x50, "56495341") == ["VISA"])
        #expect(lines(0x9F27, "80") == ["ARQC (online authorisation requested)", "Reason or advice code = 0"])
        #expect(lines(0x9F6C, "0080", .kernel7) == ["Consumer device CVM performed"])
        #expect(lines(0x9F26, "00800001", .valueAddedServices).contains("VAS and payment"))
        for bad in ["", "9F", "01"] { #expect(lines(0x94, bad).isEmpty && lines(0x9F34, bad).isEmpty) }
    }

    @Test("Sensitive values are named, not told")
    func sensitive() {
        for tag in [0x57, 0x5A, 0x5F20, 0x9F1F, 0x5F24, 0x9F10, 0x9F24] as [TLVTag] {
            let words = ObjectWords(tag, hex("4761739001010119D2812201"), in: .kernel3)
            #expect(words.isSensitive && words.lines.isEmpty && words.name != nil, "\(tag)")
        }
        #expect(ObjectWords(0xDFFF01, [1]).name == nil)
    }

    /// A line of a decoded transcript: how deep, the tag or byte mask before the parenthesis, and what follows it.
    private struct Line {
        let depth: Int
        let head: String
        let name: String
        let rest: String

        init?(_ text: Substring) {
            depth = text.prefix { $0 == " " }.count
            let words = text.drop { $0 == " " }
            guard let open = words.firstRange(of: " ("), let close = words.firstRange(of: ")") else { return nil }
            guard open.upperBound <= close.lowerBound else { return nil }
            head = String(words[..<open.lowerBound])
            name = String(words[open.upperBound..<close.lowerBound])
            rest = String(words[close.upperBound...])
        }
    }

    @Test(
        "Decoded transcripts: the same objects, bits and lists",
        .enabled(if: Vectors.isAvailable, "COUNTERTOP_VECTORS is not set"),
        arguments: Vectors.files("tlv").filter { $0.hasSuffix("-decoded.txt") })
    func decoded(_ file: String) throws {
        let context: TagContext = file.contains("amex") ? .kernel4 : file.contains("mastercard") ? .kernel2 : .emv
        let texts = Vectors.text("tlv/" + file).split(separator: "\n")
        var checked = 0
        for (index, text) in texts.enumerated() {
            guard let line = Line(text), let tag = TLVTag(hex: line.head), line.rest.hasPrefix(": ") else { continue }
            let value = try? Hex.decode(line.rest.dropFirst(2))
            guard let value, tag.rawValue > 0x40, !line.name.hasPrefix("Byte") else { continue }
            let children = texts[(index + 1)...].prefix { $0.prefix { $0 == " " }.count > line.depth }
            let words = ObjectWords(tag, value, in: context)
            guard !words.isSensitive, !tag.isConstructed, tag != 0x80 else { continue }
            for child in children {
                checked += 1
                if let bit = Line(child), bit.name.hasPrefix("Byte"), bit.rest.hasPrefix(": ") {
                    let meaning = String(bit.rest.dropFirst(2))
                    #expect(
                        words.lines.contains { Words.overlap($0, meaning) >= 0.5 }, "\(tag) \(meaning): \(words.lines)")
                } else if tag == 0x94, child.contains("SFI") {
                    let text = child.drop { $0 == " " }
                    #expect(words.lines.contains { $0.hasPrefix(text + ",") }, "\(text)")
                } else if let entry = Line(child), entry.rest.hasSuffix(" bytes") {
                    #expect(words.lines.contains { $0.hasPrefix(entry.head + " ") && $0.hasSuffix("," + entry.rest) })
                }
            }
        }
        #expect(checked > 0)
    }
}
