// SPDX-License-Identifier: Apache-2.0

extension JSONValue {
    /// The value as JSON without blanks, members in their order.
    package var utf8: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    /// The same on several lines, for people.
    package func lines(indent: String = "") -> String {
        let inner = indent + "  "
        switch self {
        case .array(let elements) where !elements.isEmpty:
            let parts = elements.map { inner + $0.lines(indent: inner) }
            return "[\n" + parts.joined(separator: ",\n") + "\n\(indent)]"
        case .object(let members) where !members.isEmpty:
            let parts = members.map {
                inner + JSONString.quoted($0.name) + ": " + $0.value.lines(indent: inner)
            }
            return "{\n" + parts.joined(separator: ",\n") + "\n\(indent)}"
        default: return String(decoding: utf8, as: UTF8.self)
        }
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let flag): bytes += (flag ? "true" : "false").utf8
        case .number(let text): bytes += text.utf8
        case .string(let text): JSONString.append(text, to: &bytes)
        case .array(let elements):
            Self.write(elements, between: "[]", to: &bytes) { $0.write(to: &$1) }
        case .object(let members):
            Self.write(members, between: "{}", to: &bytes) { member, bytes in
                JSONString.append(member.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
        }
    }

    private static func write<E>(
        _ elements: [E], between brackets: String, to bytes: inout [UInt8], _ body: (E, inout [UInt8]) -> Void
    ) {
        bytes += brackets.utf8.prefix(1)
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            body(element, &bytes)
        }
        bytes += brackets.utf8.suffix(1)
    }
}

/// How a string stands in JSON; every writer of JSON here uses it.
package enum JSONString {
    /// The string in quotes.
    package static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the string in quotes. What RFC 8259, 7 wants escaped is, and DEL; `/` stays as it is.
    package static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0x0A: bytes += "\\n".utf8
            case 0x0D: bytes += "\\r".utf8
            case 0x09: bytes += "\\t".utf8
            case 0..<0x20, 0x7F: bytes += "\\u00\(byte >> 4)\(String(byte & 15, radix: 16))".utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
