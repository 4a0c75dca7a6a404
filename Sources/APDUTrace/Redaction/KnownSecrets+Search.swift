// SPDX-License-Identifier: Apache-2.0

extension KnownSecrets {
    mutating func formUnion(_ other: KnownSecrets) {
        accounts.formUnion(other.accounts)
        names.formUnion(other.names)
        values.merge(other.values) { first, _ in first }
    }

    /// Bytes without what is known, in half bytes and in characters.
    func removed(from bytes: [UInt8], _ redaction: ValueRedaction) -> [UInt8] {
        guard !(accounts.isEmpty && names.isEmpty && values.isEmpty), bytes.count >= 5 else { return bytes }
        var bytes = bytes
        for (value, replaced) in values.sorted(by: Self.longerFirst) { Self.replace(value, with: replaced, in: &bytes) }
        for account in accounts.sorted(by: Self.isBefore) {
            let test = redaction.number(like: account)
            Self.replace(account.map { $0 + 0x30 }, with: test.map { $0 + 0x30 }, in: &bytes)
            replace(digits: account, with: test, in: &bytes)
        }
        for name in names.sorted(by: Self.isBefore) {
            Self.replace(name, with: ValueRedaction.name(name), in: &bytes) { $0 & 0xDF }
        }
        return bytes
    }

    /// Longer ones first, so that a part does not spoil the whole; the order does not depend on chance.
    private static func isBefore(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        a.count == b.count ? a.lexicographicallyPrecedes(b) : a.count > b.count
    }

    private static func longerFirst(_ a: (key: [UInt8], value: [UInt8]), _ b: (key: [UInt8], value: [UInt8])) -> Bool {
        isBefore(a.key, b.key)
    }

    private func replace(digits: [UInt8], with test: [UInt8], in bytes: inout [UInt8]) {
        var nibbles = Nibbles(bytes)
        var start = 0
        while start + digits.count <= bytes.count * 2 {
            if (0..<digits.count).allSatisfy({ nibbles[start + $0] == digits[$0] }) {
                nibbles.replace(start..<start + digits.count, with: test)
            }
            start += 1
        }
        bytes = nibbles.bytes
    }

    private static func replace(
        _ pattern: [UInt8], with replacement: [UInt8], in bytes: inout [UInt8],
        folding: (UInt8) -> UInt8 = { $0 }
    ) {
        guard let first = pattern.first, pattern.count <= bytes.count else { return }
        for start in 0...(bytes.count - pattern.count) where folding(bytes[start]) == folding(first) {
            let range = start..<start + pattern.count
            if zip(bytes[range], pattern).allSatisfy({ folding($0) == folding($1) }) {
                bytes.replaceSubrange(range, with: replacement)
            }
        }
    }
}
