// SPDX-License-Identifier: Apache-2.0

/// Reads JSON strictly (RFC 8259): UTF-8, nothing after the value, no name twice (RFC 7515, 4), 16 levels at most.
struct JOSEReader {
    private let bytes: [UInt8]
    private var position = 0

    /// The value that `bytes` spell, or nil.
    static func read(_ bytes: [UInt8]) -> JOSEValue? {
        var reader = JOSEReader(bytes: bytes)
        guard let value = reader.value(depth: 0) else { return nil }
        reader.skipBlanks()
        return reader.position == bytes.count ? value : nil
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func take(word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard bytes.count - position >= count,
            word.withUTF8Buffer({ $0.elementsEqual(bytes[position..<position + count]) })
        else { return false }
        position += count
        return true
    }

    private mutating func value(depth: Int) -> JOSEValue? {
        guard depth < 16 else { return nil }
        skipBlanks()
        switch next {
        case UInt8(ascii: "{"): return object(depth: depth)
        case UInt8(ascii: "["): return array(depth: depth)
        case UInt8(ascii: "\""): return string().map { .string($0) }
        case UInt8(ascii: "t"): return take(word: "true") ? .bool(true) : nil
        case UInt8(ascii: "f"): return take(word: "false") ? .bool(false) : nil
        case UInt8(ascii: "n"): return take(word: "null") ? .null : nil
        default: return number()
        }
    }

    private mutating func object(depth: Int) -> JOSEValue? {
        var members: [JOSEMember] = []
        guard take("{") else { return nil }
        skipBlanks()
        if take("}") { return .object([]) }
        repeat {
            skipBlanks()
            guard let name = string(), !members.contains(where: { $0.name == name }) else { return nil }
            skipBlanks()
            guard take(":"), let value = value(depth: depth + 1) else { return nil }
            members.append(JOSEMember(name, value))
            skipBlanks()
        } while take(",")
        return take("}") ? .object(members) : nil
    }

    private mutating func array(depth: Int) -> JOSEValue? {
        var values: [JOSEValue] = []
        guard take("[") else { return nil }
        skipBlanks()
        if take("]") { return .array([]) }
        repeat {
            guard let value = value(depth: depth + 1) else { return nil }
            values.append(value)
            skipBlanks()
        } while take(",")
        return take("]") ? .array(values) : nil
    }

    private mutating func number() -> JOSEValue? {
        let start = position
        _ = take("-")
        if !take("0") { guard digits() else { return nil } }
        var isWhole = true
        if take(".") {
            guard digits() else { return nil }
            isWhole = false
        }
        if take("e") || take("E") {
            if !take("-") { _ = take("+") }
            guard digits() else { return nil }
            isWhole = false
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        return isWhole ? Int(text).map { .integer($0) } ?? .number(text) : .number(text)
    }

    /// One digit or more.
    private mutating func digits() -> Bool {
        let start = position
        while let byte = next, (0x30...0x39).contains(byte) { position += 1 }
        return position > start
    }

    private mutating func string() -> String? {
        guard take("\"") else { return nil }
        var text: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"): guard escape(&text) else { return nil }
            case 0..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "\""): 0x22, UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "/"): 0x2F, UInt8(ascii: "b"): 0x08,
        UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    ]

    private mutating func escape(_ text: inout [UInt8]) -> Bool {
        guard let kind = next else { return false }
        position += 1
        guard kind == UInt8(ascii: "u") else {
            guard let byte = Self.escapes[kind] else { return false }
            text.append(byte)
            return true
        }
        guard var code = unit() else { return false }
        if (0xD800..<0xDC00).contains(code) {
            guard take("\\"), take("u"), let low = unit(), (0xDC00..<0xE000).contains(low) else { return false }
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { return false }
        text += Character(scalar).utf8
        return true
    }

    /// Four hex digits.
    private mutating func unit() -> UInt32? {
        guard bytes.count - position >= 4 else { return nil }
        var value: UInt32 = 0
        for byte in bytes[position..<position + 4] {
            guard byte < 0x80, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            value = value << 4 | UInt32(digit)
        }
        position += 4
        return value
    }
}
