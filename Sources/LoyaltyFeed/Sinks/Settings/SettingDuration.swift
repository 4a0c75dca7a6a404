// SPDX-License-Identifier: Apache-2.0

/// Times as they stand in settings: a whole number and `ms`, `s`, `m`, `h` or `d`.
public enum SettingDuration {
    private static let milliseconds: [String: Int64] = [
        "ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000,
    ]
    /// A hundred years: nothing that anybody waits for.
    private static let limit: Int64 = 100 * 365 * 86_400_000

    /// The time that a text such as `15s` names; nil when it names none.
    public static func parse(_ text: String) -> Duration? {
        let digits = text.utf8.prefix { (0x30...0x39).contains($0) }
        guard let number = Int64(String(decoding: digits, as: UTF8.self)),
            let unit = milliseconds[String(decoding: text.utf8.dropFirst(digits.count), as: UTF8.self)]
        else { return nil }
        let (product, overflow) = number.multipliedReportingOverflow(by: unit)
        return overflow || product > limit ? nil : .milliseconds(product)
    }

    /// A duration with the largest unit that leaves it whole.
    public static func text(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let total = overflow ? limit : whole + attoseconds / 1_000_000_000_000_000
        let unit = milliseconds.sorted { $0.value > $1.value }.first { total % $0.value == 0 && total >= $0.value }
        return unit.map { "\(total / $0.value)\($0.key)" } ?? "0s"
    }
}
