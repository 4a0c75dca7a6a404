// SPDX-License-Identifier: Apache-2.0

/// A JSON text (RFC 8259) as it stands: members in their order, numbers as written. Never printed, for it may hold
/// card data.
package enum JSONValue: Hashable, Sendable, Concealed {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// A member of an object.
    package struct Member: Hashable, Sendable, Concealed {
        package var name: String
        package var value: JSONValue

        package init(_ name: String, _ value: JSONValue) { (self.name, self.value) = (name, value) }
    }

    /// The member with this name, if this is an object that has it.
    package subscript(name: String) -> JSONValue? { members?.first { $0.name == name }?.value }

    /// The value at a path of member names with dots between them; an empty path is the value itself.
    package func at(_ path: String) -> JSONValue? {
        path.split(separator: ".").reduce(Optional(self)) { $0?[String($1)] }
    }

    package var members: [Member]? { if case .object(let members) = self { members } else { nil } }
    package var text: String? { if case .string(let text) = self { text } else { nil } }
    package var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
    package var flag: Bool? { if case .bool(let flag) = self { flag } else { nil } }

    /// The number, if this is a whole one that fits.
    package var integer: Int? { if case .number(let text) = self { Int(text) } else { nil } }

    /// What kind of value this is, for messages.
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a Boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// Puts `value` at a path, making objects on the way. Without a path this value becomes it.
    package mutating func set(_ path: some Collection<Substring>, to value: JSONValue) {
        guard let first = path.first else { return self = value }
        var members = members ?? []
        let index = members.firstIndex { $0.name == first } ?? members.count
        if index == members.count { members.append(Member(String(first), .object([]))) }
        members[index].value.set(path.dropFirst(), to: value)
        self = .object(members)
    }
}
