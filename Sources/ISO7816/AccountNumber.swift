// SPDX-License-Identifier: Apache-2.0

/// Checks on account numbers (ISO/IEC 7812-1). They are cardholder data: nothing here keeps or prints one.
public enum AccountNumber {
    /// Whether the last digit is the check digit that ISO/IEC 7812-1, Annex B asks for.
    public static func isLuhnValid(_ digits: String) -> Bool {
        digits.utf8.allSatisfy { (0x30...0x39).contains($0) } && isLuhnValid(digits.utf8.map { $0 - 0x30 })
    }

    /// The same of digit values 0 to 9.
    package static func isLuhnValid(_ digits: some BidirectionalCollection<UInt8>) -> Bool {
        !digits.isEmpty && luhnSum(digits, doublingLast: false).isMultiple(of: 10)
    }

    /// The check digit that goes behind these digit values.
    package static func checkDigit(for digits: some BidirectionalCollection<UInt8>) -> UInt8 {
        UInt8((10 - luhnSum(digits, doublingLast: true) % 10) % 10)
    }

    private static func luhnSum(_ digits: some BidirectionalCollection<UInt8>, doublingLast: Bool) -> Int {
        var (sum, doubles) = (0, doublingLast)
        for digit in digits.reversed() {
            let value = Int(digit) * (doubles ? 2 : 1)
            sum += value > 9 ? value - 9 : value
            doubles.toggle()
        }
        return sum
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
