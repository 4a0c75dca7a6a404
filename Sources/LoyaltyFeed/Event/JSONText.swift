// SPDX-License-Identifier: Apache-2.0

/// Writes one JSON text (RFC 8259) on one line, without blanks, straight into bytes.
struct JSONText {
    private(set) var bytes: [UInt8] = []
    private var isFirst = true

    /// An object that `body` fills.
    static func object(capacity: Int = 768, _ body: (inout JSONText) -> Void) -> [UInt8] {
        var text = JSONText()
        text.bytes.reserveCapacity(capacity)
        text.nest(body)
        return text.bytes
    }

    /// Values between brackets.
    static func array<Element>(_ elements: [Element], _ body: (Element, inout JSONText) -> Void) -> [UInt8] {
        var text = JSONText()
        text.bytes.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { text.bytes.append(UInt8(ascii: ",")) }
            text.nest { body(element, &$0) }
        }
        text.bytes.append(UInt8(ascii: "]"))
        return text.bytes
    }

    private mutating func nest(_ body: (inout JSONText) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        isFirst = true
        body(&self)
        bytes.append(UInt8(ascii: "}"))
        isFirst = false
    }

    /// A member's name, which needs no escape.
    private mutating func name(_ name: StaticString) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    /// A member with a text; nothing when there is none, or an empty one.
    mutating func member(_ name: StaticString, _ text: String?) {
        guard var text, !text.isEmpty else { return }
        self.name(name)
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8 { utf8 in
            if utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }) {
                bytes.append(contentsOf: utf8)
            } else {
                for byte in utf8 { escape(byte) }
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// A member whose value is JSON already.
    mutating func member(_ name: StaticString, json: some Collection<UInt8>) {
        self.name(name)
        bytes.append(contentsOf: json)
    }

    /// A member with a number: whole ones without a point, others to the thousandth. What is no number is 0.
    mutating func member(_ name: StaticString, number: Double) {
        let isSane = number.isFinite && abs(number) < 1e15
        let thousandths = isSane ? (number * 1000).rounded() : 0
        let value = thousandths / 1000
        member(name, json: (value == value.rounded() ? "\(Int64(value))" : "\(value)").utf8)
    }

    /// A member with an object.
    mutating func member(_ name: StaticString, _ body: (inout JSONText) -> Void) {
        self.name(name)
        nest(body)
    }

    /// RFC 8259, 7: what must be escaped, and no more.
    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case 0x22, 0x5C: bytes += [0x5C, byte]
        case 0x0A: bytes += "\\n".utf8
        case 0x0D: bytes += "\\r".utf8
        case 0x09: bytes += "\\t".utf8
        case 0..<0x20: bytes += "\\u00\(byte < 16 ? 0 : 1)\(String(byte & 15, radix: 16))".utf8
        default: bytes.append(byte)
        }
    }
}
