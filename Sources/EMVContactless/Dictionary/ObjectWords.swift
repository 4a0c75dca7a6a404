// SPDX-License-Identifier: Apache-2.0

public import BERTLV
internal import ISO7816

/// A data object explained: its name and what its value says.
///
/// Sensitive values are named, never told.
public struct ObjectWords: Hashable, Sendable {
    /// The specification's name, or nil for an unknown object.
    public let name: String?
    /// Whether the value must not be shown.
    public let isSensitive: Bool
    /// What the value says, a line each; empty where there is nothing to tell beyond its bytes.
    public let lines: [String]

    /// Explains one object in the meaning it has in `context`.
    public init(_ tag: TLVTag, _ value: [UInt8], in context: TagContext = .emv) {
        let entry = TagDictionary.standard.entry(for: tag, in: context)
        name = entry?.name
        let isVAS = context == .valueAddedServices
        isSensitive = isVAS ? entry?.isSensitive ?? false : TagDictionary.standard.isSensitive(tag)
        lines = isSensitive ? [] : Self.lines(tag, value, context, entry)
    }

    /// Objects whose value has a form of its own.
    private static let readers: [TLVTag: @Sendable ([UInt8], TagContext) -> [String]] = [
        0x8C: list, 0x8D: list, 0x97: list, 0x9F38: list, 0x9F49: list, 0x9F4F: list,
        0x8E: { value, _ in (try? CardholderVerificationList(value))?.rules.map(\.words) ?? [] },
        0x94: { value, _ in files(value) },
        0x9F34: { value, _ in results(value) },
    ]

    /// Action codes have the bits of the terminal verification results (EMV Book 3, 10.7).
    private static let actionCodes: Set<TLVTag> = [0x9F0D, 0x9F0E, 0x9F0F, 0xDF8120, 0xDF8121, 0xDF8122]

    private static func lines(
        _ tag: TLVTag, _ value: [UInt8], _ context: TagContext, _ entry: TagEntry?
    ) -> [String] {
        if context != .valueAddedServices, let reader = readers[tag] { return reader(value, context) }
        let words = BitFields.words(for: actionCodes.contains(tag) ? 0x95 : tag, in: context, value)
        if !words.isEmpty { return words }
        switch entry?.format {
        case .alphanumeric, .alphanumericSpecial:
            return value.allSatisfy { (0x20...0x7E).contains($0) } ? [String(decoding: value, as: UTF8.self)] : []
        case .numeric where value.count == 3 && (entry?.name.contains("Date") ?? false):
            return EMVDate(bcd: value).map { ["\($0.year)-\(two($0.month))-\(two($0.day))"] } ?? []
        default: return []
        }
    }

    @Sendable private static func list(_ value: [UInt8], _ context: TagContext) -> [String] {
        guard let list = try? DataObjectList(value) else { return [] }
        return list.entries.map { entry in
            let name = TagDictionary.standard.entry(for: entry.tag, in: context)?.name ?? "unknown"
            return "\(entry.tag) \(name), \(entry.length) bytes"
        }
    }

    private static func files(_ value: [UInt8]) -> [String] {
        guard let locator = try? ApplicationFileLocator(value) else { return [] }
        return locator.entries.map { entry in
            let (first, last) = (entry.records.lowerBound, entry.records.upperBound)
            let records = first == last ? "record \(first)" : "records \(first)-\(last)"
            return "SFI \(entry.sfi) \(records), \(entry.authenticated) authenticated"
        }
    }

    /// Method, condition, result (EMV Book 4, A4).
    private static func results(_ value: [UInt8]) -> [String] {
        guard value.count == 3 else { return [] }
        let rule = CardholderVerificationList.Rule(code: value[0], condition: value[1])
        let result = [0: "unknown", 1: "failed", 2: "successful"][Int(value[2])] ?? "RFU"
        let isNone = value[0] & 0x3F == 0x3F
        return ["\(isNone ? "No CVM performed" : rule.words), result \(result)"]
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
