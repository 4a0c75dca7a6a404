// SPDX-License-Identifier: Apache-2.0

package import WalletCrypto

/// A JSON value that keeps the order of its members, so that the text is the same every time.
package enum JSON: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(Int)
    case decimal(Double)
    /// A number as it is written.
    case numeral(String)
    case string(String)
    case array([JSON])
    case object([Member])

    package struct Member: Sendable, Equatable {
        package let name: String
        package let value: JSON

        package init(name: String, value: JSON) { (self.name, self.value) = (name, value) }
    }

    /// An object without the members that are nil.
    package static func object(_ members: KeyValuePairs<String, JSON?>) -> JSON {
        .object(members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
    }

    /// The same value.
    package init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let flag): self = .bool(flag)
        case .number(let text): self = .numeral(text)
        case .string(let text): self = .string(text)
        case .array(let elements): self = .array(elements.map { JSON($0) })
        case .object(let members): self = .object(members.map { Member(name: $0.name, value: JSON($0.value)) })
        }
    }

    /// A string, or nothing to go into an object.
    package static func optional(_ text: String?) -> JSON? { text.map { .string($0) } }

    /// On one line, as JSON Lines need it.
    package var compact: String {
        switch self {
        case .array(let values): "[" + values.map(\.compact).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { "\(JSONString.quoted($0.name)):\($0.value.compact)" }.joined(separator: ",") + "}"
        default: scalar
        }
    }

    /// Over several lines, two blanks a level.
    package func pretty(indentation: String = "") -> String {
        let inner = indentation + "  "
        switch self {
        case .array(let values) where !values.isEmpty:
            let lines = values.map { inner + $0.pretty(indentation: inner) }
            return "[\n" + lines.joined(separator: ",\n") + "\n\(indentation)]"
        case .object(let members) where !members.isEmpty:
            let lines = members.map { "\(inner)\(JSONString.quoted($0.name)): \($0.value.pretty(indentation: inner))" }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(indentation)}"
        default: return compact
        }
    }

    private var scalar: String {
        switch self {
        case .bool(let value): value ? "true" : "false"
        case .number(let value): String(value)
        case .decimal(let value) where value.isFinite: "\(value)"
        case .numeral(let text): text
        case .string(let text): JSONString.quoted(text)
        default: "null"
        }
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
    package init(stringLiteral value: String) { self = .string(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int) { self = .number(value) }
}
