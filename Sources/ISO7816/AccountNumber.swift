// SPDX-License-Identifier: Apache-2.0

/// Checks on account numbers (ISO/IEC 7812-1). They are cardholder data: nothing here keeps or prints one.
public enum AccountNumber {
    /// Whether the last digit is the check digit that ISO/IEC 7812-1, Annex B asks for.
    public static func isLuhnValid(_ digits: String) -> Bool {
        var sum = 0
        for (position, character) in digits.utf8.reversed().enumerated() {
            guard (0x30...0x39).contains(character) else { return false }
            let digit = Int(character - 0x30) * (position.isMultiple(of: 2) ? 1 : 2)
            sum += digit > 9 ? digit - 9 : digit
        }
        return !digits.isEmpty && sum.isMultiple(of: 10)
    }

    /// First six and last four digits with `*` between, what PCI DSS 3.4 lets be shown; all `*` when shorter than 13.
    public static func masked(_ digits: String) -> String {
        guard digits.utf8.count >= 13 else { return String(repeating: "*", count: digits.utf8.count) }
        return digits.prefix(6) + String(repeating: "*", count: digits.utf8.count - 10) + digits.suffix(4)
    }

    /// The digits of a compressed numeric value, up to the `F` padding.
    @inlinable public static func digits(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            guard byte >> 4 <= 9 else { break }
            text.append(0x30 + (byte >> 4))
            guard byte & 15 <= 9 else { break }
            text.append(0x30 + (byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }
}
