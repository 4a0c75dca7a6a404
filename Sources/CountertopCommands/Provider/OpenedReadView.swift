// SPDX-License-Identifier: Apache-2.0

internal import BERTLV
internal import CounterServer
internal import EMVContactless
internal import Foundation

/// A read as the provider opens it, as the tool shows it.
struct OpenedReadView {
    private let opened: OpenedRead
    private let mask: CardholderMask
    private let context: TagContext

    init(_ opened: OpenedRead, _ mask: CardholderMask) {
        (self.opened, self.mask) = (opened, mask)
        let name = opened.objects.first(0x84)?.bytes ?? []
        context = ContextGuess.context(ofApplication: name) ?? .emv
    }

    var json: JSON {
        let objects = opened.objects.map { object in
            JSON.Member(
                name: object.tag.description, value: .string(mask.value(object.tag, object.value, in: context).text))
        }
        return .object(["header": header, "tlv": .object(objects)])
    }

    var text: [String] {
        let head = [
            ("transaction", opened.transactionID), ("sealed at", opened.issuedAt.map(Self.time)),
            ("reader", opened.readerID), ("merchant", opened.merchantID), ("key", opened.keyID),
        ]
        let lines = head.compactMap { name, text in
            text.flatMap { $0.isEmpty ? nil : "\(name): \(Printable.text($0))" }
        }
        return lines + opened.objects.flatMap(self.lines)
    }

    private static func time(_ seconds: Int) -> String {
        Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    }

    private func lines(_ object: TLV) -> [String] {
        let entry = TagDictionary.standard.entry(for: object.tag, in: context)
        let value = mask.value(object.tag, object.value, in: context).text
        let words =
            CardholderMask.hidden.contains(object.tag)
            ? CardLines.lines(object.tag, object.bytes, mask)
            : ObjectLines.lines(object.tag, object.bytes, in: context).map { Printable.text(mask.text($0)) }
        let name = entry.map { "  (\($0.name)\(words.count == 1 ? ": \(words[0])" : ""))" } ?? ""
        return ["\(object.tag) [\(object.value.count)] \(value)\(name)"]
            + (words.count > 1 ? words.map { "    - \($0)" } : [])
    }

    /// The header as it was sealed; anybody can read it.
    private var header: JSON {
        guard let value = try? JSONSerialization.jsonObject(with: Data(opened.header.utf8)) else { return .null }
        return JSON(value)
    }
}

extension JSON {
    /// A value that Foundation read; members in the order of their names, numbers as whole ones.
    init(_ value: Any) {
        switch value {
        case let text as String: self = .string(text)
        // A number before a Boolean: Foundation bridges one to the other.
        case let number as NSNumber where !(value is Bool): self = .number(number.intValue)
        case let flag as Bool: self = .bool(flag)
        case let list as [Any]: self = .array(list.map { JSON($0) })
        case let object as [String: Any]:
            self = .object(object.sorted { $0.key < $1.key }.map { Member(name: $0.key, value: JSON($0.value)) })
        default: self = .null
        }
    }
}
