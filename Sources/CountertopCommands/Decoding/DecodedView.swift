// SPDX-License-Identifier: Apache-2.0

internal import AppleVAS
internal import BERTLV
internal import ISO7816

/// Decoded bytes as the tool shows them.
extension Decoded {
    var json: JSON {
        switch self {
        case .command(let command, let name, let trees, let context):
            .object([
                "kind": "command", "name": .string(name), "cla": byte(command.cla), "ins": byte(command.ins),
                "p1": byte(command.p1), "p2": byte(command.p2), "data": .string(Hex.encode(command.data)),
                "ne": command.ne.map { .number($0) }, "text": .optional(aid(command)),
                "tlv": .array(trees.map { json($0, context) }),
            ])
        case .response(let response, let trees, let context):
            .object([
                "kind": "response", "statusWord": .string(response.status.description),
                "meaning": .string(VASStatus(response.status).meaning),
                "tlv": .array(trees.map { json($0, context) }),
            ])
        case .objects(let trees, let context):
            .object(["kind": "tlv", "tlv": .array(trees.map { json($0, context) })])
        }
    }

    var text: [String] {
        switch self {
        case .command(let command, let name, let trees, let context):
            let header = Hex.encode(command.bytes.prefix(4))
            let selected = aid(command).map { " \($0)" } ?? ""
            let data = trees.isEmpty && !command.data.isEmpty ? ["  \(Hex.encode(command.data))"] : []
            return ["\(header) \(name)\(selected)"] + data + lines(trees, context, depth: 1)
        case .response(let response, let trees, let context):
            return lines(trees, context, depth: 0) + ["\(VASStatus(response.status))"]
        case .objects(let trees, let context):
            return lines(trees, context, depth: 0)
        }
    }

    /// The name that a SELECT asks for, when it is text.
    private func aid(_ command: CommandAPDU) -> String? {
        guard command.ins == 0xA4, command.p1 == 0x04, command.data.allSatisfy({ (0x20...0x7E).contains($0) }),
            !command.data.isEmpty
        else { return nil }
        return String(decoding: command.data, as: UTF8.self)
    }

    private func byte(_ value: UInt8) -> JSON { .string(Hex.encode([value])) }

    private func json(_ tree: TLVTree, _ context: TagContext?) -> JSON {
        let row = TagTable.row(tree.object.tag, in: context)
        let isPrimitive = tree.children.isEmpty
        return .object([
            "tag": .string(tree.object.tag.description), "name": .optional(row?.name),
            "length": .number(tree.object.value.count), "offset": .number(tree.object.offset),
            "value": isPrimitive ? .string(Hex.encode(tree.object.value)) : nil,
            "meaning": .optional(row?.format.meaning(tree.object.bytes)),
            "children": isPrimitive ? nil : .array(tree.children.map { json($0, context) }),
        ])
    }

    private func lines(_ trees: [TLVTree], _ context: TagContext?, depth: Int) -> [String] {
        trees.flatMap { tree -> [String] in
            let row = TagTable.row(tree.object.tag, in: context)
            let indentation = String(repeating: "  ", count: depth)
            let value = tree.children.isEmpty ? " \(Hex.encode(tree.object.value))" : ""
            let meaning = row?.format.meaning(tree.object.bytes).map { ": \($0)" } ?? ""
            let name = row.map { "  (\($0.name)\(meaning))" } ?? ""
            return ["\(indentation)\(tree.object.tag) [\(tree.object.value.count)]\(value)\(name)"]
                + lines(tree.children, context, depth: depth + 1)
        }
    }
}
