// SPDX-License-Identifier: Apache-2.0

/// Track 2 equivalent data, tag 57 (EMV Book 3, Annex A; ISO/IEC 7813). Cardholder data: cannot be printed.
package struct Track2: Sendable {
    /// The PAN's digits.
    package let pan: String
    /// YYMM, or nil when it is not four digits.
    package let expiry: String?
    /// Three digits, or nil when they are not digits.
    package let serviceCode: String?
    /// What follows, digits only.
    package let discretionary: String

    /// Reads the value: PAN digits, `D`, expiry, service code, discretionary data, `F` padding.
    package init(_ bytes: some Collection<UInt8>) throws(EMVError) {
        var nibbles: [UInt8] = []
        nibbles.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            nibbles.append(byte >> 4)
            nibbles.append(byte & 15)
        }
        defer { nibbles.wipe() }
        guard let separator = nibbles.firstIndex(of: 0xD), (1...19).contains(separator),
            nibbles[..<separator].allSatisfy({ $0 <= 9 })
        else { throw EMVError(.malformedCardData, "track 2 has no PAN and separator") }
        let rest = nibbles[(separator + 1)...]
        pan = Self.digits(nibbles[..<separator]) ?? ""
        expiry = rest.count >= 4 ? Self.digits(rest.prefix(4)) : nil
        serviceCode = rest.count >= 7 ? Self.digits(rest.dropFirst(4).prefix(3)) : nil
        discretionary = Self.digits(rest.dropFirst(7).prefix { $0 <= 9 }) ?? ""
    }

    private static func digits(_ nibbles: ArraySlice<UInt8>) -> String? {
        guard nibbles.allSatisfy({ $0 <= 9 }) else { return nil }
        return String(decoding: nibbles.map { 0x30 + $0 }, as: UTF8.self)
    }
}

/// Track 1 data, tag 56 (ISO/IEC 7813, format B). Cardholder data: cannot be printed.
package struct Track1: Sendable {
    /// The PAN's digits.
    package let pan: String
    /// The name as the track has it.
    package let name: String
    /// YYMM, or nil when it is not four digits.
    package let expiry: String?
    /// Three digits, or nil when they are not digits.
    package let serviceCode: String?

    /// Reads the value: `B`, PAN, `^`, name, `^`, expiry, service code and what follows. Masking characters after the
    /// PAN's digits are passed over.
    package init(_ bytes: some Collection<UInt8>) throws(EMVError) {
        let parts = Array(bytes).split(separator: 0x5E, maxSplits: 2, omittingEmptySubsequences: false)
        let fields = parts.map { Array($0) }
        guard fields.count == 3, fields[0].first == 0x42 else {
            throw EMVError(.malformedCardData, "track 1 is not of format B with three fields")
        }
        let digits = fields[0].dropFirst().prefix { (0x30...0x39).contains($0) }
        guard (1...19).contains(digits.count) else { throw EMVError(.malformedCardData, "track 1 has no PAN") }
        pan = String(decoding: digits, as: UTF8.self)
        name = String(decoding: fields[1], as: UTF8.self)
        expiry = Self.digits(fields[2].prefix(4), count: 4)
        serviceCode = Self.digits(fields[2].dropFirst(4).prefix(3), count: 3)
    }

    private static func digits(_ bytes: ArraySlice<UInt8>, count: Int) -> String? {
        guard bytes.count == count, bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Track2: CustomStringConvertible, CustomReflectable {
    /// Without any digit.
    package var description: String { "<track 2>" }
    /// Without children.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Track1: CustomStringConvertible, CustomReflectable {
    /// Without any digit.
    package var description: String { "<track 1>" }
    /// Without children.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
