// SPDX-License-Identifier: Apache-2.0

internal import AppleVAS
internal import BERTLV
internal import EMVContactless
internal import ISO7816

/// Decoded bytes as the tool shows them.
extension Decoded {
    package var json: JSON {
        let members: [JSON.Member?]
        switch content {
        case .command(let command, let name, let trees):
            members = commandMembers(command, name) + [member("tlv", .array(trees.map(json)))]
        case .response(let response, let trees):
            members = [
                member("kind", "response"), member("statusWord", .string(response.status.description)),
                member("meaning", .string(meaning(response.status))), member("tlv", .array(trees.map(json))),
            ]
        case .objects(let trees): members = [member("kind", "tlv"), member("tlv", .array(trees.map(json)))]
        case .value(let value): members = [member("kind", "value")] + value.json(mask).map { $0 }
        }
        let head = members.compactMap(\.self)
        let hasContext = head.contains { $0.name == "context" }
        return .object(
            head + (hasContext ? [] : context.map { [JSON.Member(name: "context", value: .string($0.name))] } ?? [])
                + (guessed.isEmpty ? [] : [JSON.Member(name: "guessed", value: .array(guessed.map { .string($0) }))]))
    }

    /// What nobody said: `kind`, `context`.
    package var guessed: [String] {
        [isGuess ? "kind" : nil, isContextGuess && !isValue ? "context" : nil].compactMap { $0 }
    }

    private var isValue: Bool { if case .value = content { true } else { false } }

    /// What was guessed, as talk; nil when nothing was.
    package var guessWords: String? {
        guard isGuess else { return nil }
        let kind =
            switch content {
            case .command: "a command"
            case .response: "an answer"
            case .objects: "TLV data"
            case .value(let value): "\(value.kind.name) (tag \(value.kind.tag))"
            }
        let place = isContextGuess ? context.map { ", \($0.name)" } ?? "" : ""
        return "taken for \(kind)\(place); --as and --context say otherwise"
    }

    package var text: [String] {
        switch content {
        case .command(let command, let name, let trees):
            let header = Hex.encode(command.bytes.prefix(4))
            let words = command.parameterWords.map { " \($0)" } ?? ""
            let data = trees.isEmpty && !command.data.isEmpty ? ["  \(mask.hex(command.data).text)"] : []
            return ["\(header) \(name)\(words)"] + data + lines(trees, depth: 1)
        case .response(let response, let trees):
            return lines(trees, depth: 0) + ["\(response.status): \(meaning(response.status))"]
        case .objects(let trees): return lines(trees, depth: 0)
        case .value(let value): return value.text(mask)
        }
    }

    /// What the status word of an answer says; nil for anything else.
    package var statusText: String? {
        guard case .response(let response, _) = content else { return nil }
        return meaning(response.status)
    }

    /// Status words mean different things to a pass and to a payment; without a context both are told.
    private func meaning(_ status: StatusWord) -> String {
        let (pass, general) = (VASStatus(status), status.meaning?.text)
        let payment = PaymentStatus.meaning(of: status)
        switch context {
        case .payment: return payment ?? general ?? pass.meaning
        case .vas: return pass.source == nil ? general ?? pass.meaning : pass.meaning
        case nil:
            guard pass.source != nil else { return payment ?? general ?? pass.meaning }
            return payment.map { "\(pass.meaning); in a payment, \($0)" } ?? pass.meaning
        }
    }

    private func member(_ name: String, _ value: JSON) -> JSON.Member? { JSON.Member(name: name, value: value) }

    private func commandMembers(_ command: CommandAPDU, _ name: String) -> [JSON.Member?] {
        [
            member("kind", "command"), member("name", .string(name)), member("cla", byte(command.cla)),
            member("ins", byte(command.ins)), member("p1", byte(command.p1)), member("p2", byte(command.p2)),
            member("data", .string(mask.hex(command.data).text)),
            command.ne.flatMap { member("ne", .number($0)) },
            command.parameterWords.flatMap { member("text", .string($0)) },
        ]
    }

    private func byte(_ value: UInt8) -> JSON { .string(Hex.encode([value])) }

    private func json(_ tree: TLVTree) -> JSON {
        let row = row(tree)
        let isPrimitive = tree.children.isEmpty
        return .object([
            "tag": .string(tree.object.tag.description), "name": .optional(row.name),
            "length": .number(tree.object.value.count), "offset": .number(tree.object.offset),
            "value": isPrimitive ? .string(row.value) : nil, "masked": row.isMasked ? true : nil,
            "meaning": row.lines.isEmpty ? nil : .string(row.lines.joined(separator: "; ")),
            "words": row.lines.count > 1 ? .array(row.lines.map { .string($0) }) : nil,
            "children": isPrimitive ? nil : .array(tree.children.map(json)),
        ])
    }

    private func lines(_ trees: [TLVTree], depth: Int) -> [String] {
        trees.flatMap { tree -> [String] in
            let row = row(tree)
            let indentation = String(repeating: "  ", count: depth)
            let value = tree.children.isEmpty ? " \(row.value)" : ""
            let meaning = row.lines.count == 1 ? ": \(row.lines[0])" : ""
            let name = row.name.map { "  (\($0)\(meaning))" } ?? ""
            let more = row.lines.count > 1 ? row.lines.map { "\(indentation)    - \($0)" } : []
            return ["\(indentation)\(tree.object.tag) [\(tree.object.value.count)]\(value)\(name)"] + more
                + lines(tree.children, depth: depth + 1)
        }
    }

    /// One object as it is shown.
    private struct Row {
        var name: String?
        var value: String
        var isMasked = false
        var lines: [String] = []
    }

    private func row(_ tree: TLVTree) -> Row {
        let object = tree.object
        if case .payment(let context) = context { return payment(object, tree.children.isEmpty, context) }
        let part: VASPart? = if case .vas(let part) = context { part } else { nil }
        if let row = TagTable.row(object.tag, in: part), context != nil || !isPaymentTag(object) {
            let meaning = row.format.meaning(object.bytes).map { [$0] } ?? []
            return Row(name: row.name, value: Hex.encode(object.value), lines: meaning)
        }
        return payment(object, tree.children.isEmpty, .emv)
    }

    /// Without a context, a tag of both protocols is a payment's when its length fits only there.
    private func isPaymentTag(_ object: TLV) -> Bool {
        let meanings = TagDictionary.standard.meanings(of: object.tag).filter {
            $0.lengths.contains(object.value.count)
        }
        return meanings.contains { $0.context != .valueAddedServices }
            && !meanings.contains { $0.context == .valueAddedServices }
    }

    private func payment(_ object: TLV, _ isPrimitive: Bool, _ context: TagContext) -> Row {
        let entry = TagDictionary.standard.entry(for: object.tag, in: context)
        let (value, isMasked) = isPrimitive ? mask.value(object.tag, object.value, in: context) : ("", false)
        guard isPrimitive else { return Row(name: entry?.name, value: value) }
        let isHidden = CardholderMask.hidden.contains(object.tag)
        let lines =
            isHidden
            ? CardLines.lines(object.tag, object.bytes, mask)
            : ObjectLines.lines(object.tag, object.bytes, in: context).map { Printable.text(mask.text($0)) }
        return Row(name: entry?.name, value: value, isMasked: isMasked, lines: lines)
    }
}
