// SPDX-License-Identifier: Apache-2.0

public import BERTLV

/// Who gives a tag its meaning: all of EMV, one kernel, or the value added services protocol.
public struct TagContext: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// The context's short name, as the dictionary's rows have it.
    public let rawValue: String
    /// A context by its short name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// EMV Book 3: holds where no kernel says otherwise.
    public static let emv = TagContext(rawValue: "emv")
    /// Kernel 2 (Mastercard).
    public static let kernel2 = TagContext(rawValue: "k2")
    /// Kernel 3 (Visa), and Visa's contact application.
    public static let kernel3 = TagContext(rawValue: "k3")
    /// Kernel 4 (American Express).
    public static let kernel4 = TagContext(rawValue: "k4")
    /// Kernel 5 (JCB).
    public static let kernel5 = TagContext(rawValue: "k5")
    /// Kernel 6 (Discover).
    public static let kernel6 = TagContext(rawValue: "k6")
    /// Kernel 7 (UnionPay).
    public static let kernel7 = TagContext(rawValue: "k7")
    /// Kernel 8 (EMVCo).
    public static let kernel8 = TagContext(rawValue: "k8")
    /// Interac Flash.
    public static let interac = TagContext(rawValue: "interac")
    /// The wallet's value added services exchange, which reuses EMV's tags.
    public static let valueAddedServices = TagContext(rawValue: "vas")

    /// The short name.
    public var description: String { rawValue }
}

/// How a data object's value is written (EMV Book 3, 4.3).
public enum TagFormat: String, Hashable, Sendable {
    /// Numeric: two digits a byte, right aligned, padded with zeros on the left.
    case numeric = "n"
    /// Compressed numeric: two digits a byte, left aligned, padded with `F` on the right.
    case compressedNumeric = "cn"
    /// Letters and digits.
    case alphanumeric = "an"
    /// Any printable characters.
    case alphanumericSpecial = "ans"
    /// Bytes.
    case binary = "b"
    /// A template: other objects inside.
    case template = "t"
}

/// Who sets a data object.
public enum TagSource: String, Hashable, Sendable {
    /// The card sends it.
    case card
    /// The reader or its configuration supplies it.
    case terminal
    /// The issuer sends it through the acquirer.
    case issuer
}

/// One meaning of one tag.
public struct TagEntry: Hashable, Sendable {
    /// The tag.
    public let tag: TLVTag
    /// Where this meaning holds.
    public let context: TagContext
    /// The specification's name.
    public let name: String
    /// How the value is written.
    public let format: TagFormat
    /// Allowed lengths in bytes.
    public let lengths: ClosedRange<Int>
    /// Who sets it.
    public let source: TagSource
    /// Cardholder data or a cryptogram: must not be shown, logged or put in an error.
    public let isSensitive: Bool
}

/// Tags with their names, formats and sources. A tag may mean different things per kernel; the caller says which.
public struct TagDictionary: Sendable {
    private let entries: [TLVTag: [TagEntry]]
    private let sensitive: Set<TLVTag>

    /// The built-in dictionary.
    public static let standard = TagDictionary(table: tagTableText)

    /// Reads rows of the form in `tagTableText`; rows that do not parse are left out.
    init(table: String) {
        entries = Dictionary(grouping: table.split(separator: "\n").compactMap(Self.entry), by: \.tag)
        let isSensitive = { (entry: TagEntry) in entry.isSensitive && entry.context != .valueAddedServices }
        sensitive = Set(entries.filter { $0.value.contains(where: isSensitive) }.keys)
    }

    /// Every meaning of every tag, by tag.
    public var all: [TagEntry] { entries.sorted { $0.key.rawValue < $1.key.rawValue }.flatMap(\.value) }

    /// Number of meanings.
    public var count: Int { entries.values.reduce(0) { $0 + $1.count } }

    /// Every meaning of `tag`, in table order; empty for an unknown one.
    public func meanings(of tag: TLVTag) -> [TagEntry] { entries[tag] ?? [] }

    /// The meaning of `tag` in `context`, or EMV's own when the context has none; nil when neither has.
    public func entry(for tag: TLVTag, in context: TagContext) -> TagEntry? {
        let meanings = meanings(of: tag)
        return meanings.first { $0.context == context }
            ?? (context == .valueAddedServices ? nil : meanings.first { $0.context == .emv })
    }

    /// Who sets `tag` in `context`.
    func source(of tag: TLVTag, in context: TagContext) -> TagSource? {
        // Nearly every tag has EMV's meaning alone.
        guard let meanings = entries[tag] else { return nil }
        if meanings.count == 1, meanings[0].context == .emv, context != .valueAddedServices {
            return meanings[0].source
        }
        return entry(for: tag, in: context)?.source
    }

    /// Whether any of the meanings that `tag` has in a payment is sensitive: without a kernel the careful answer counts.
    public func isSensitive(_ tag: TLVTag) -> Bool { sensitive.contains(tag) }

    /// Tags with more than one meaning.
    public var collisions: [TLVTag] { entries.filter { $0.value.count > 1 }.keys.sorted { $0.rawValue < $1.rawValue } }

    private static func entry(_ row: Substring) -> TagEntry? {
        let columns = row.split(separator: "|", maxSplits: 6, omittingEmptySubsequences: false)
        guard columns.count == 7, let tag = TLVTag(hex: columns[0]), let format = TagFormat(rawValue: "\(columns[2])"),
            let source = TagSource(rawValue: "\(columns[4])"), let lengths = lengths(columns[3])
        else { return nil }
        return TagEntry(
            tag: tag, context: TagContext(rawValue: "\(columns[1])"), name: "\(columns[6])", format: format,
            lengths: lengths, source: source, isSensitive: columns[5] == "s")
    }

    /// `3`, `5-16` or `0-` (no upper bound but the TLV's own).
    private static func lengths(_ text: Substring) -> ClosedRange<Int>? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard let low = ends.first.flatMap({ Int($0) }) else { return nil }
        let high = ends.count == 1 ? low : ends[1].isEmpty ? Int(UInt16.max) : Int(ends[1])
        return high.flatMap { $0 >= low ? low...$0 : nil }
    }
}
