// SPDX-License-Identifier: Apache-2.0

/// A JSON value of a JOSE header; members keep their order.
public enum JOSEValue: Hashable, Sendable {
    /// A text.
    case string(String)
    /// A whole number.
    case integer(Int)
    /// Any other number, as it is written.
    case number(String)
    /// True or false.
    case bool(Bool)
    /// Null.
    case null
    /// Values in order.
    case array([JOSEValue])
    /// Named values in order; no name comes twice.
    case object([JOSEMember])

    /// The text, if this is one.
    public var string: String? { if case .string(let text) = self { text } else { nil } }
    /// The whole number, if this is one.
    public var integer: Int? { if case .integer(let number) = self { number } else { nil } }

    /// A member of an object; nil for other values and names that are not there.
    public subscript(name: String) -> JOSEValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// Without blanks, members in order, only what must be escaped escaped (RFC 8259, 7).
    public var text: String {
        var text: [UInt8] = []
        write(to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}

/// A named value of a JOSE header.
public struct JOSEMember: Hashable, Sendable {
    /// The name.
    public let name: String
    /// The value.
    public let value: JOSEValue

    /// Appends the member to an object that has one already.
    func append(to text: inout [UInt8]) {
        text.append(UInt8(ascii: ","))
        JSONString.append(name, to: &text)
        text.append(UInt8(ascii: ":"))
        value.write(to: &text)
    }

    /// A member.
    public init(_ name: String, _ value: JOSEValue) { (self.name, self.value) = (name, value) }
}

extension JOSEValue {
    func write(to text: inout [UInt8]) {
        switch self {
        case .string(let value): JSONString.append(value, to: &text)
        case .integer(let value): text += String(value).utf8
        case .number(let value): text += value.utf8
        case .bool(let value): text += (value ? "true" : "false").utf8
        case .null: text += "null".utf8
        case .array(let values):
            Self.write(values, between: ("[", "]"), to: &text) { $0.write(to: &$1) }
        case .object(let members):
            Self.write(members, between: ("{", "}"), to: &text) { member, text in
                JSONString.append(member.name, to: &text)
                text.append(UInt8(ascii: ":"))
                member.value.write(to: &text)
            }
        }
    }

    private static func write<Element>(
        _ elements: [Element], between brackets: (Unicode.Scalar, Unicode.Scalar), to text: inout [UInt8],
        _ write: (Element, inout [UInt8]) -> Void
    ) {
        text.append(UInt8(ascii: brackets.0))
        for (index, element) in elements.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            write(element, &text)
        }
        text.append(UInt8(ascii: brackets.1))
    }
}
