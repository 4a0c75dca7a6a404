// SPDX-License-Identifier: Apache-2.0

internal import AppleVAS
internal import BERTLV
internal import EMVContactless
internal import ISO7816

/// All that the page's own decoder needs to know: tags by context, bit fields, status words, commands.
enum DictionaryView {
    static let json: JSON = .object([
        "contexts": .array(contexts), "tags": .array(tags), "bitFields": .array(BitFields.all.map(json)),
        "statusWords": .array(statusWords), "commands": .array(CommandRow.table.map(json)),
        "applications": .array(applications),
    ])

    private static let contexts: [JSON] = {
        var seen: Set<TagContext> = []
        return DecodingContext.names.compactMap { row in
            guard seen.insert(row.context.tags).inserted else { return nil }
            return .object(["name": .string(row.context.name), "id": .string(row.context.tags.rawValue)])
        }
    }()

    // One list a step: the compiler takes minutes over sums of literals.
    private static let tags: [JSON] = TagTable.rows.map(json) + emvTags

    private static let emvTags: [JSON] = TagDictionary.standard.all.filter { $0.context != .valueAddedServices }
        .map(json)

    private static func json(_ row: TagRow) -> JSON {
        .object([
            "tag": .string(row.tag.description), "context": "vas", "part": .string(row.context.rawValue),
            "name": .string(row.name), "format": .string("\(row.format)"), "source": .string(row.source),
            "sensitive": false,
        ])
    }

    private static func json(_ entry: TagEntry) -> JSON {
        let isSensitive = entry.isSensitive || CardholderMask.hidden.contains(entry.tag)
        return .object([
            "tag": .string(entry.tag.description), "context": .string(entry.context.rawValue),
            "name": .string(entry.name), "format": .string(entry.format.rawValue),
            "minimum": .number(entry.lengths.lowerBound), "maximum": .number(entry.lengths.upperBound),
            "source": .string(entry.source.rawValue), "sensitive": .bool(isSensitive),
        ])
    }

    private static func json(_ field: BitField) -> JSON {
        .object([
            "tag": .string(field.tag.description), "context": .string(field.context.rawValue),
            "name": .string(field.name),
            "rules": .array(
                field.rules.map { rule in
                    .object([
                        "conditions": .array(rule.conditions.map(json)), "meaning": .string(rule.meaning),
                    ])
                }),
        ])
    }

    /// Byte 1 is leftmost, bit 8 the most significant.
    private static func json(_ condition: BitCondition) -> JSON {
        switch condition {
        case .bit(let byte, let bit, let isSet):
            .object(["byte": .number(byte), "bit": .number(bit), "set": .bool(isSet)])
        case .equals(let byte, let value): .object(["byte": .number(byte), "equals": .number(Int(value))])
        case .number(let byte, let high, let low):
            .object(["byte": .number(byte), "high": .number(high), "low": .number(low)])
        }
    }

    private static let statusWords: [JSON] = vasStatusWords + paymentStatusWords + generalStatusWords

    private static let vasStatusWords: [JSON] = VASStatus.known.map { status in
        json(status.statusWord, context: "vas", status.meaning, hint: status.advice)
    }

    private static let paymentStatusWords: [JSON] = PaymentStatus.table.sorted { $0.key < $1.key }.map { word, text in
        json(StatusWord(rawValue: word), context: "emv", text)
    }

    private static let generalStatusWords: [JSON] = (UInt16(0x6100)...UInt16(0x9000)).compactMap { word in
        let status = StatusWord(rawValue: word)
        guard let text = status.meaning?.text, (word & 0xFF) == 0 || text != family(status) else { return nil }
        return json(status, context: nil, text)
    }

    private static func json(
        _ status: StatusWord, context: String?, _ text: String, hint: String? = nil
    ) -> JSON {
        .object([
            "status": .string(status.description), "context": context.map { .string($0) } ?? .null,
            "text": .string(text), "hint": hint.map { .string($0) } ?? .null,
        ])
    }

    private static func family(_ status: StatusWord) -> String? {
        StatusWord(rawValue: UInt16(status.sw1) << 8 | 0xFF).meaning?.text
    }

    private static let applications: [JSON] = ApplicationNames.providers.map { row in
        // Providers' own applications begin with their registration: a name of that length finds the kernel.
        let context = ContextGuess.context(ofApplication: row.rid) ?? .emv
        return .object([
            "rid": .string(Hex.encode(row.rid)), "name": .string(row.name), "context": .string(context.rawValue),
        ])
    }

    private static func json(_ row: CommandRow) -> JSON {
        .object([
            "header": .array(row.header.map { $0.map { .string(Hex.encode([$0])) } ?? .null }),
            "name": .string(row.name), "hasObjects": .bool(row.hasObjects),
            "context": row.context.map { .string($0.tags.rawValue) } ?? .null, "source": .string(row.source),
        ])
    }
}
