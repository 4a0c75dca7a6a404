// SPDX-License-Identifier: Apache-2.0

package import BERTLV
package import EMVContactless
internal import ISO7816

/// The value of one data object, taken apart.
package struct DecodedValue {
    package let kind: ValueKind
    package let bytes: [UInt8]
    package let context: TagContext
    /// What it says, a line each.
    package let lines: [String]
    /// Its parts, where it has any.
    package let parts: [JSON.Member]

    /// - Throws: ``DecodeError`` with the offset when the bytes cannot be such a value.
    package init(_ bytes: [UInt8], as kind: ValueKind, asked: DecodingContext?) throws {
        (self.kind, self.bytes) = (kind, bytes)
        context = kind.context(asked: asked)
        parts = try Self.parts(bytes, kind, context)
        let entry = TagDictionary.standard.entry(for: kind.tag, in: context)
        if let lengths = entry?.lengths, !lengths.contains(bytes.count) {
            throw DecodeError(
                "wrongLength",
                "\(kind.name): the value has \(bytes.count) bytes, not \(Self.words(lengths))")
        }
        lines = ObjectLines.lines(kind.tag, bytes, in: context)
    }

    private static func parts(_ bytes: [UInt8], _ kind: ValueKind, _ context: TagContext) throws -> [JSON.Member] {
        do { return try readers[kind.tag]?(bytes, context) ?? [] } catch let error as EMVError {
            throw DecodeError(
                error.code.rawValue,
                "\(kind.name): \(error.reason)" + (error.offset.map { ", at offset \($0)" } ?? ""))
        }
    }

    private static func words(_ lengths: ClosedRange<Int>) -> String {
        let (low, high) = (lengths.lowerBound, lengths.upperBound)
        if low == high { return "\(low)" }
        return high == Int(UInt16.max) ? "\(low) or more" : "\(low) to \(high)"
    }

    private var name: String? { TagDictionary.standard.entry(for: kind.tag, in: context)?.name }

    /// The value as an object, for the mask.
    package var object: TLV { TLV(kind.tag, bytes) }

    package func json(_ mask: CardholderMask) -> [JSON.Member] {
        let (text, isMasked) = mask.value(kind.tag, bytes, in: context)
        let all: JSON = .object([
            "as": .string(kind.name), "tag": .string(kind.tag.description), "name": .optional(name),
            "context": .string(DecodingContext.payment(context).name), "length": .number(bytes.count),
            "value": .string(text), "masked": isMasked ? true : nil,
            "words": .array(shownLines(mask).map { .string($0) }),
        ])
        guard case .object(let members) = all else { return [] }
        return members + (CardholderMask.hidden.contains(kind.tag) ? [] : parts)
    }

    package func text(_ mask: CardholderMask) -> [String] {
        let value = mask.value(kind.tag, bytes, in: context).text
        let title = name ?? "no object that is known here"
        return ["\(kind.tag) [\(bytes.count)] \(value)  (\(title))"] + shownLines(mask).map { "  \($0)" }
    }

    private func shownLines(_ mask: CardholderMask) -> [String] {
        CardholderMask.hidden.contains(kind.tag) ? CardLines.lines(kind.tag, bytes, mask) : lines.map(mask.text)
    }

    /// Values with parts; what they throw is an error of the input.
    private static let readers: [TLVTag: @Sendable ([UInt8], TagContext) throws -> [JSON.Member]] = [
        0x9F38: list, 0x8C: list, 0x8D: list, 0x9F49: list, 0x97: list, 0x9F4F: list,
        0x94: { bytes, _ in
            let files = try ApplicationFileLocator(bytes).entries.map { entry -> JSON in
                .object([
                    "sfi": .number(Int(entry.sfi)), "first": .number(Int(entry.records.lowerBound)),
                    "last": .number(Int(entry.records.upperBound)), "authenticated": .number(Int(entry.authenticated)),
                ])
            }
            return [JSON.Member(name: "files", value: .array(files))]
        },
        0x8E: { bytes, _ in
            let list = try CardholderVerificationList(bytes)
            let rules = list.rules.map { rule -> JSON in
                .object([
                    "code": .string(Hex.encode([rule.code])), "condition": .string(Hex.encode([rule.condition])),
                    "text": .string(rule.words),
                ])
            }
            return [
                JSON.Member(name: "amountX", value: .number(Int(list.amountX))),
                JSON.Member(name: "amountY", value: .number(Int(list.amountY))),
                JSON.Member(name: "rules", value: .array(rules)),
            ]
        },
        0x57: track2, 0x9F6B: track2,
        0x56: { bytes, _ in
            _ = try Track1(bytes)
            return []
        },
    ]

    @Sendable private static func track2(_ bytes: [UInt8], _ context: TagContext) throws -> [JSON.Member] {
        if context != .kernel3 || bytes.count != 6 { _ = try Track2(bytes) }
        return []
    }

    @Sendable private static func list(_ bytes: [UInt8], _ context: TagContext) throws -> [JSON.Member] {
        let entries = try DataObjectList(bytes).entries.map { entry -> JSON in
            .object([
                "tag": .string(entry.tag.description),
                "name": .optional(TagDictionary.standard.entry(for: entry.tag, in: context)?.name),
                "length": .number(entry.length),
            ])
        }
        return [JSON.Member(name: "entries", value: .array(entries))]
    }
}
