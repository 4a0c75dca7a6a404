// SPDX-License-Identifier: Apache-2.0

internal import ISO7816

/// The published test number that stands for an account number in a redacted trace.
///
/// It depends on scheme and length alone, so that all places of one number agree and a second redaction changes
/// nothing. Every one is inside `TestCards`.
enum TestAccount {
    private struct Row {
        let scheme: String
        /// First digits of the numbers that this row stands for.
        let prefixes: [ClosedRange<Int>]
        /// Lengths that the scheme issues.
        let lengths: [Int]
        /// First digits of the test number, and the lengths that the test range has.
        let test: [UInt8]
        let testLengths: ClosedRange<Int>
    }

    private static func row(
        _ scheme: String, _ prefixes: [ClosedRange<Int>], _ lengths: [Int], _ test: String,
        _ testLengths: ClosedRange<Int>
    ) -> Row {
        Row(
            scheme: scheme, prefixes: prefixes, lengths: lengths, test: test.utf8.map { $0 - 0x30 },
            testLengths: testLengths)
    }

    /// Issuer ranges as the schemes publish them (ISO/IEC 7812 register; schemes' own BIN rules).
    private static let rows: [Row] = [
        row("visa", [4...4], [13, 16, 19], "47617390", 16...16),
        row("visa", [4...4], [13, 16, 19], "4999999999", 13...19),
        row("mastercard", [51...55], [16], "541333", 16...16),
        row("mastercard2", [2221...2720], [16], "22230000", 16...16),
        row("amex", [34...34, 37...37], [15], "37424545540000", 15...15),
        row("diners", [30...30, 36...36, 38...39], [14, 16, 17, 18, 19], "3607050000102", 14...14),
        row("jcb", [35...35], [16, 17, 18, 19], "35699900", 16...16),
        row("unionpay", [62...62, 81...81], [16, 17, 18, 19], "62109400", 16...19),
        row("discover", [60...60, 64...65], [16, 17, 18, 19], "65100000", 16...16),
        row("rupay", [82...82], [16], "", 0...0),
        row("maestro", [50...50, 56...59, 61...61, 63...63, 66...69], Array(13...19), "", 0...0),
    ]

    /// Schemes of application providers (ISO/IEC 7816-5 registered identifiers).
    private static let providers: [[UInt8]: String] = [
        [0xA0, 0, 0, 0, 0x03]: "visa", [0xA0, 0, 0, 0, 0x04]: "mastercard", [0xA0, 0, 0, 0, 0x25]: "amex",
        [0xA0, 0, 0, 0, 0x42]: "visa", [0xA0, 0, 0, 0, 0x65]: "jcb", [0xA0, 0, 0, 0x01, 0x52]: "discover",
        [0xA0, 0, 0, 0x03, 0x33]: "unionpay", [0xA0, 0, 0, 0x02, 0x77]: "visa",
    ]

    /// Digits in counting order: for schemes and lengths without a published range.
    private static let anyScheme: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 0]

    /// A test number as long as `digits`, of the same scheme where that has one. Short ones become zeros.
    static func number(like digits: some Collection<UInt8>, application: [UInt8]? = nil) -> [UInt8] {
        let count = digits.count
        guard (11...19).contains(count) else { return [UInt8](repeating: 0, count: count) }
        let provider = application.flatMap { providers[Array($0.prefix(5))] }
        let scheme = row(of: digits)?.scheme
        for candidate in [scheme, provider] {
            guard let candidate else { continue }
            if let found = rows.first(where: { $0.scheme == candidate && $0.testLengths.contains(count) }) {
                return completed(found.test, count)
            }
        }
        return completed(anyScheme, count)
    }

    /// Whether a number like this could be a scheme's: first digits and length fit.
    static func isIssuable(_ digits: some Collection<UInt8>) -> Bool {
        row(of: digits)?.lengths.contains(digits.count) ?? false
    }

    private static func row(of digits: some Collection<UInt8>) -> Row? {
        guard digits.count >= 4 else { return nil }
        let first = digits.prefix(4).reduce(0) { $0 * 10 + Int($1) }
        let places = [(1, first / 1000), (2, first / 100), (4, first)]
        return rows.first { row in
            row.prefixes.contains { range in
                places.contains { range.contains($0.1) && String(range.lowerBound).utf8.count == $0.0 }
            }
        }
    }

    private static func completed(_ prefix: [UInt8], _ count: Int) -> [UInt8] {
        let body = prefix.prefix(count - 1) + [UInt8](repeating: 0, count: max(0, count - 1 - prefix.count))
        return body + [AccountNumber.checkDigit(for: body)]
    }
}
