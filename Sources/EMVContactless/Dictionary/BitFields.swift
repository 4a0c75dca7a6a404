// SPDX-License-Identifier: Apache-2.0

public import BERTLV

/// What part of a data object a rule looks at. Byte 1 is leftmost, bit 8 the most significant.
public enum BitCondition: Hashable, Sendable {
    /// One bit with this value.
    case bit(byte: Int, bit: Int, isSet: Bool)
    /// A whole byte with this value.
    case equals(byte: Int, value: UInt8)
    /// Always true: bits `high` to `low` of a byte are a number.
    case number(byte: Int, high: Int, low: Int)

    func holds(in bytes: [UInt8]) -> Bool {
        switch self {
        case .bit(let byte, let bit, let isSet):
            bytes.indices.contains(byte - 1) && (bytes[byte - 1] & (1 << UInt8(bit - 1)) != 0) == isSet
        case .equals(let byte, let value): bytes.indices.contains(byte - 1) && bytes[byte - 1] == value
        case .number(let byte, _, _): bytes.indices.contains(byte - 1)
        }
    }

    func number(in bytes: [UInt8]) -> Int? {
        guard case .number(let byte, let high, let low) = self, bytes.indices.contains(byte - 1) else { return nil }
        return (Int(bytes[byte - 1]) >> (low - 1)) & ((1 << (high - low + 1)) - 1)
    }
}

/// One meaning: when all conditions hold, the text applies.
public struct BitRule: Hashable, Sendable {
    /// All must hold.
    public let conditions: [BitCondition]
    /// The meaning in words.
    public let meaning: String
}

/// The bit meanings of one data object in one context.
public struct BitField: Hashable, Sendable {
    /// The data object.
    public let tag: TLVTag
    /// Where these meanings hold.
    public let context: TagContext
    /// The object's name.
    public let name: String
    /// The rules, in byte and bit order.
    public let rules: [BitRule]

    /// What `bytes` say, in words and in rule order. Bytes that are missing match nothing.
    public func words(for bytes: [UInt8]) -> [String] {
        rules.compactMap { rule in
            guard rule.conditions.allSatisfy({ $0.holds(in: bytes) }) else { return nil }
            let number = rule.conditions.compactMap { $0.number(in: bytes) }.first
            return number.map { "\(rule.meaning) = \($0)" } ?? rule.meaning
        }
    }
}

/// All bit tables.
public enum BitFields {
    /// Every table, in the order of the data.
    public static let all: [BitField] = parse(bitTableText)

    /// The table of `tag` in `context`, or EMV's own.
    public static func field(for tag: TLVTag, in context: TagContext) -> BitField? {
        let fields = all.filter { $0.tag == tag }
        return fields.first { $0.context == context }
            ?? (context == .valueAddedServices ? nil : fields.first { $0.context == .emv })
    }

    /// What the value of `tag` says in `context`, in words; empty where no table exists.
    public static func words(for tag: TLVTag, in context: TagContext, _ bytes: [UInt8]) -> [String] {
        field(for: tag, in: context)?.words(for: bytes) ?? []
    }

    static func parse(_ text: String) -> [BitField] {
        var fields: [BitField] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("= ") {
                let words = line.split(separator: " ", maxSplits: 3)
                guard words.count == 4, let tag = TLVTag(hex: words[1]) else { continue }
                let context = TagContext(rawValue: "\(words[2])")
                fields.append(BitField(tag: tag, context: context, name: "\(words[3])", rules: []))
            } else if let rule = rule(line), let last = fields.popLast() {
                fields.append(
                    BitField(tag: last.tag, context: last.context, name: last.name, rules: last.rules + [rule]))
            }
        }
        return fields
    }

    private static func rule(_ line: Substring) -> BitRule? {
        guard let colon = line.firstRange(of: " : ") else { return nil }
        let conditions = line[..<colon.lowerBound].split(separator: " ").map(condition)
        guard !conditions.isEmpty, !conditions.contains(nil) else { return nil }
        return BitRule(conditions: conditions.compactMap { $0 }, meaning: String(line[colon.upperBound...]))
    }

    private static func condition(_ text: Substring) -> BitCondition? {
        let numbers = text.split { !$0.isNumber }.compactMap { Int($0) }
        if text.contains("==") {
            guard numbers.count == 2, let value = UInt8(exactly: numbers[1]) else { return nil }
            return .equals(byte: numbers[0], value: value)
        }
        if text.contains(":") {
            return numbers.count == 3 ? .number(byte: numbers[0], high: numbers[1], low: numbers[2]) : nil
        }
        guard numbers.count == (text.contains("=") ? 3 : 2), (1...8).contains(numbers[1]) else { return nil }
        return .bit(byte: numbers[0], bit: numbers[1], isSet: numbers.count == 2)
    }
}
