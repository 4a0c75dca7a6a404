// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Any JSON document, kept as it is so that unknown keys and wrong types can be named with their path.
enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

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

    /// Reads a whole document.
    init(parsing bytes: [UInt8]) throws(WalletError) {
        do {
            self = try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
        } catch {
            throw WalletError(.notJSON, "not a JSON document\(Self.detail(error))", hint: Self.hint(for: bytes))
        }
    }

    /// The decoder's own words, such as "Unexpected character 'x' around line 1, column 5."
    private static func detail(_ error: any Error) -> String {
        guard case DecodingError.dataCorrupted(let context) = error else { return "" }
        let words = (context.underlyingError as? NSError)?.userInfo["NSDebugDescription"] as? String
        return words.map { ": " + ($0.hasSuffix(".") ? String($0.dropLast()) : $0) } ?? ""
    }

    private static func hint(for bytes: [UInt8]) -> String {
        bytes.isEmpty
            ? "the file is empty"
            : "check it with `python3 -m json.tool FILE`: quotes around keys, no comma after the last one"
    }
}

extension JSONValue: Codable {
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
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
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
