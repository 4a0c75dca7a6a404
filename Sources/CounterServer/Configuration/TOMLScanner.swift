// SPDX-License-Identifier: Apache-2.0

/// Reads a TOML document statement by statement (TOML 1.0.0: expressions), without what the values say.
struct TOMLScanner {
    /// A table's header or a key with its value.
    struct Statement: Equatable {
        enum Kind { case table, tableOfArray, pair }
        let kind: Kind
        let name: [String]
        let place: TOMLOutline.Place
    }

    private let bytes: [UInt8]
    private var index = 0
    private var line = 1
    private var lineStart = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

    private var place: TOMLOutline.Place {
        let characters = bytes[lineStart..<index].reduce(into: 0) { $0 += $1 & 0xC0 == 0x80 ? 0 : 1 }
        return TOMLOutline.Place(line: line, column: characters + 1)
    }

    private func isAt(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        return index + count <= bytes.count
            && text.withUTF8Buffer { $0.elementsEqual(bytes[index..<index + count]) }
    }

    private mutating func advance() throws(TOMLOutline.Refusal) {
        guard let byte else { return }
        guard byte != 0 else { throw refusal("a NUL is no character of a text file") }
        index += 1
        if byte == UInt8(ascii: "\n") { (line, lineStart) = (line + 1, index) }
    }

    private func refusal(_ reason: String) -> TOMLOutline.Refusal { TOMLOutline.Refusal(place: place, reason: reason) }

    private mutating func skip(while fits: (UInt8) -> Bool) throws(TOMLOutline.Refusal) {
        while let byte, fits(byte) { try advance() }
    }

    /// The next header or key; nil at the end.
    mutating func next() throws(TOMLOutline.Refusal) -> Statement? {
        while let byte {
            switch byte {
            case 0x09, 0x0A, 0x0D, 0x20: try advance()
            case UInt8(ascii: "#"): try skipLine()
            case UInt8(ascii: "["): return try header()
            default:
                let start = place
                let name = try name()
                try skipValue()
                if !name.isEmpty { return Statement(kind: .pair, name: name, place: start) }
            }
        }
        return nil
    }

    private mutating func skipLine() throws(TOMLOutline.Refusal) { try skip { $0 != UInt8(ascii: "\n") } }

    private mutating func header() throws(TOMLOutline.Refusal) -> Statement {
        let start = place
        let kind: Statement.Kind = isAt("[[") ? .tableOfArray : .table
        try skip { $0 == UInt8(ascii: "[") }
        let name = try name()
        try skipLine()
        return Statement(kind: kind, name: name, place: start)
    }

    /// The parts of a dotted name, up to what belongs to none.
    private mutating func name() throws(TOMLOutline.Refusal) -> [String] {
        var parts: [String] = []
        while true {
            try skip { $0 == 0x20 || $0 == 0x09 }
            guard let part = try part() else { return parts }
            parts.append(part)
            guard parts.count <= TOMLOutline.partLimit else {
                throw refusal("a name has at most \(TOMLOutline.partLimit) parts")
            }
            try skip { $0 == 0x20 || $0 == 0x09 }
            guard byte == UInt8(ascii: ".") else { return parts }
            try advance()
        }
    }

    private mutating func part() throws(TOMLOutline.Refusal) -> String? {
        let start = index
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
            try skipString()
            return String(decoding: bytes[start..<index].dropFirst().dropLast(), as: UTF8.self)
        }
        try skip(while: Self.isBare)
        return index > start ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
    }

    /// TOML 1.0.0, unquoted-key.
    private static func isBare(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    /// From behind a key to the end of its value: the end of the line outside strings and brackets.
    private mutating func skipValue() throws(TOMLOutline.Refusal) {
        var (depth, dots) = (0, 0)
        while let byte {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"): try skipString()
            case UInt8(ascii: "#"): try skipLine()
            case UInt8(ascii: "\n") where depth <= 0: return
            default:
                depth += Self.step(byte)
                dots = byte == UInt8(ascii: ".") ? dots + 1 : Self.endsName(byte) ? 0 : dots
                guard depth <= TOMLOutline.depthLimit else {
                    throw refusal("values nest at most \(TOMLOutline.depthLimit) deep")
                }
                guard dots < TOMLOutline.partLimit else {
                    throw refusal("a name has at most \(TOMLOutline.partLimit) parts")
                }
                try advance()
            }
        }
    }

    private static func step(_ byte: UInt8) -> Int {
        switch byte {
        case UInt8(ascii: "["), UInt8(ascii: "{"): 1
        case UInt8(ascii: "]"), UInt8(ascii: "}"): -1
        default: 0
        }
    }

    private static func endsName(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "=") || byte == UInt8(ascii: "\n") || step(byte) != 0
    }

    /// A string of any of the four kinds; one line's end ends a string of one line that has no end.
    private mutating func skipString() throws(TOMLOutline.Refusal) {
        guard let quote = byte else { return }
        let isLong = isAt("\"\"\"") || isAt("'''")
        let marks = isLong ? 3 : 1
        for _ in 0..<marks { try advance() }
        while let byte {
            if byte == UInt8(ascii: "\n"), !isLong { return }
            if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                guard !isAt("\\u0000"), !isAt("\\U00000000") else { throw refusal("a text cannot hold a NUL") }
                try advance()
                if self.byte != UInt8(ascii: "\n") || isLong { try advance() }
                continue
            }
            guard byte == quote, !isLong || isAt("\"\"\"") || isAt("'''") else {
                try advance()
                continue
            }
            for _ in 0..<marks { try advance() }
            // One or two quotes may stand before the three that end it.
            while isLong, self.byte == quote { try advance() }
            return
        }
    }
}
