// SPDX-License-Identifier: Apache-2.0

import WalletCrypto

/// Any JSON document, kept as it is so that unknown keys and wrong types can be named with their path.
enum PhoneJSON: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([PhoneJSON])
    case object([String: PhoneJSON])

    /// What people call the type.
    var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// Reads a whole document, with a byte order mark or without.
    init(parsing bytes: [UInt8]) throws(WalletError) {
        let text = bytes.starts(with: Self.byteOrderMark) ? Array(bytes.dropFirst(3)) : bytes
        do throws(JSONError) {
            self.init(try JSONReader.read(text, limits: JSONReader.Limits(bytes: 16 << 20)))
        } catch {
            let place = error.offset.map { Self.place($0, in: text) } ?? ""
            throw WalletError(
                .notJSON, "not a JSON document: \(error.reason)\(place)", hint: Self.hint(for: bytes))
        }
    }

    private init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let flag): self = .bool(flag)
        case .number(let text): self = .number(Double(text) ?? .nan)
        case .string(let text): self = .string(text)
        case .array(let elements): self = .array(elements.map { PhoneJSON($0) })
        case .object(let members):
            self = .object(members.reduce(into: [:]) { $0[$1.name] = PhoneJSON($1.value) })
        }
    }

    /// U+FEFF in UTF-8 (RFC 8259, 8.1: may be passed over).
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Lines and columns as editors count them, from 1.
    private static func place(_ offset: Int, in text: [UInt8]) -> String {
        let before = text.prefix(offset)
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let column = before.reversed().prefix { $0 != UInt8(ascii: "\n") }.count + 1
        return " (line \(line), column \(column))"
    }

    private static func hint(for bytes: [UInt8]) -> String {
        bytes.isEmpty
            ? "the file is empty"
            : "check it with `python3 -m json.tool FILE`: quotes around keys, no comma after the last one"
    }
}

extension PhoneJSON: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode([PhoneJSON].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: PhoneJSON].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value):
            if let whole = Int(exactly: value) { try container.encode(whole) } else { try container.encode(value) }
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}
