// SPDX-License-Identifier: Apache-2.0

/// Reads the JSON of a JOSE header (RFC 7515, 4): no name twice, 16 levels at most.
enum JOSEReader {
    private static let limits = JSONReader.Limits(depth: 15)

    /// The value that `bytes` spell, or nil.
    static func read(_ bytes: [UInt8]) -> JOSEValue? {
        (try? JSONReader.read(bytes, limits: limits)).map { JOSEValue($0) }
    }
}

extension JOSEValue {
    /// The same value; whole numbers that fit are integers.
    init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let flag): self = .bool(flag)
        case .number(let text): self = Int(text).map { .integer($0) } ?? .number(text)
        case .string(let text): self = .string(text)
        case .array(let elements): self = .array(elements.map { JOSEValue($0) })
        case .object(let members): self = .object(members.map { JOSEMember($0.name, JOSEValue($0.value)) })
        }
    }
}
