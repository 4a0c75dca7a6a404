// SPDX-License-Identifier: Apache-2.0

/// Reads JSON strictly (RFC 8259): all of it, UTF-8, no member twice, bounded in depth and size. Never traps.
package struct JSONReader {
    /// How much is taken.
    package struct Limits: Sendable {
        /// Bytes of the whole text.
        package var bytes: Int
        /// Arrays and objects within each other, not counting the outermost.
        package var depth: Int
        package init(bytes: Int = 1 << 20, depth: Int = 32) { (self.bytes, self.depth) = (bytes, depth) }
    }

    private let bytes: ArraySlice<UInt8>
    private var position: Int
    private let limits: Limits

    /// The value that `bytes` spell.
    /// - Throws: the reason and the offset; never a byte of the text.
    package static func read(_ bytes: [UInt8], limits: Limits = Limits()) throws(JSONError) -> JSONValue {
        guard bytes.count <= limits.bytes else {
            throw JSONError(
                reason: "The JSON text has \(bytes.count) bytes, more than the \(limits.bytes) that are taken")
        }
        var reader = JSONReader(bytes: bytes[...], position: 0, limits: limits)
        reader.skipBlanks()
        let value = try reader.value(depth: 0)
        reader.skipBlanks()
        guard reader.position == bytes.count else { throw reader.failure("There is more after the JSON text") }
        return value
    }

    private var next: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

    private func failure(_ reason: String) -> JSONError { JSONError(reason: reason, offset: position) }

    private mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    /// Passes over `character` if it comes next.
    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        guard depth <= limits.depth else {
            throw failure("The JSON text has more than \(limits.depth) levels")
        }
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case nil: throw failure("The JSON text ends too early")
        default: return .number(try number())
        }
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
        guard bytes[position...].starts(with: word.utf8) else { throw failure("This is not JSON") }
        position += word.utf8.count
        return value
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
        position += 1
        skipBlanks()
        if take("]") { return .array([]) }
        var elements: [JSONValue] = []
        while true {
            skipBlanks()
            elements.append(try value(depth: depth + 1))
            skipBlanks()
            if take("]") { return .array(elements) }
            guard take(",") else { throw failure("An array goes on with a comma or ends") }
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
        position += 1
        skipBlanks()
        if take("}") { return .object([]) }
        var members: [JSONValue.Member] = []
        var names: Set<String> = []
        while true {
            skipBlanks()
            guard next == UInt8(ascii: "\"") else { throw failure("A member begins with its name in quotes") }
            let name = try string()
            guard names.insert(name).inserted else { throw failure("A member stands twice in one object") }
            skipBlanks()
            guard take(":") else { throw failure("A colon follows a member's name") }
            skipBlanks()
            members.append(JSONValue.Member(name, try value(depth: depth + 1)))
            skipBlanks()
            if take("}") { return .object(members) }
            guard take(",") else { throw failure("An object goes on with a comma or ends") }
        }
    }

    /// RFC 8259, 6: `-`, integer, fraction, exponent. Kept as it is written.
    private mutating func number() throws(JSONError) -> String {
        let start = position
        _ = take("-")
        if !take("0") { guard digits() > 0 else { throw failure("This is not JSON") } }
        if take(".") { guard digits() > 0 else { throw failure("A fraction has digits") } }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            guard digits() > 0 else { throw failure("An exponent has digits") }
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func digits() -> Int {
        let start = position
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        return position - start
    }
}

extension JSONReader {
    /// RFC 8259, 7.
    private mutating func string() throws(JSONError) -> String {
        position += 1
        var utf8: [UInt8] = []
        while let byte = next {
            if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
                utf8 += plainRun()
                continue
            }
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: utf8, as: UTF8.self) else {
                    throw failure("A string is not UTF-8")
                }
                return text
            case UInt8(ascii: "\\"): utf8 += try escape()
            default: throw failure("A string has a control character that is not escaped")
            }
        }
        throw failure("A string is not closed")
    }

    /// Passes over bytes that stand for themselves.
    private mutating func plainRun() -> ArraySlice<UInt8> {
        let run = bytes[position...].prefix {
            $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        position = run.endIndex
        return run
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "\""): 0x22, UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "/"): 0x2F, UInt8(ascii: "b"): 0x08,
        UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    ]

    private mutating func escape() throws(JSONError) -> [UInt8] {
        guard let byte = next else { throw failure("A string is not closed") }
        position += 1
        if let plain = Self.escapes[byte] { return [plain] }
        guard byte == UInt8(ascii: "u") else { throw failure("A string has an unknown escape") }
        var code = try fourDigits()
        if (0xD800..<0xDC00).contains(code) {
            guard take("\\"), take("u"), case let low = try fourDigits(), (0xDC00..<0xE000).contains(low) else {
                throw failure("A string has half a surrogate pair")
            }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw failure("A string has half a surrogate pair") }
        return Array(String(Character(scalar)).utf8)
    }

    private mutating func fourDigits() throws(JSONError) -> UInt32 {
        let digits = bytes[position...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
            let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw failure("An escape has four hex digits") }
        position += 4
        return code
    }
}
