// SPDX-License-Identifier: Apache-2.0

internal import struct Foundation.Date

/// Times of events: whole milliseconds since 1970, and their text (RFC 3339, 5.6; always UTC).
enum EventTime {
    /// The years with four digits: 0000-01-01 to 9999-12-31.
    private static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

    /// Milliseconds since 1970, rounded; held within the years 0 to 9999.
    static func milliseconds(_ date: Date) -> Int64 {
        let value = (date.timeIntervalSince1970 * 1000).rounded()
        guard value.isFinite else { return 0 }
        return Int64(min(max(value, Double(range.lowerBound)), Double(range.upperBound)))
    }

    static func date(milliseconds: Int64) -> Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// `2026-11-21T01:40:00.123Z`, or without the fraction.
    static func text(_ date: Date, fraction: Bool = true) -> String {
        let milliseconds = milliseconds(date)
        let seconds = milliseconds.floored(by: 1000)
        let (year, month, day) = civil(seconds.quotient.floored(by: 86_400).quotient)
        let time = Int(seconds.quotient.floored(by: 86_400).remainder)
        var text: [UInt8] = []
        text.reserveCapacity(24)
        for (value, width, separator) in [
            (year, 4, "-"), (month, 2, "-"), (day, 2, "T"), (time / 3600, 2, ":"), (time / 60 % 60, 2, ":"),
            (time % 60, 2, fraction ? "." : "Z"),
        ] as [(Int, Int, Unicode.Scalar)] {
            append(value, width: width, to: &text)
            text.append(UInt8(ascii: separator))
        }
        if fraction {
            append(Int(seconds.remainder), width: 3, to: &text)
            text.append(UInt8(ascii: "Z"))
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func append(_ value: Int, width: Int, to text: inout [UInt8]) {
        var divisor = [1, 10, 100, 1000][width - 1]
        while divisor > 0 {
            text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / divisor % 10))
            divisor /= 10
        }
    }

    /// Reads `YYYY-MM-DDThh:mm:ss`, a fraction of one to nine digits or none, `Z`; nil for anything else. What is finer
    /// than a millisecond is cut off.
    static func date(_ text: String) -> Date? {
        let utf8 = Array(text.utf8)
        guard utf8.count >= 20, utf8.last == UInt8(ascii: "Z") else { return nil }
        let shape = Array("dddd-dd-ddTdd:dd:dd".utf8)
        for (byte, wanted) in zip(utf8, shape) {
            guard wanted == UInt8(ascii: "d") ? isDigit(byte) : byte == wanted else { return nil }
        }
        let fraction = utf8[shape.count..<utf8.count - 1]
        guard fraction.isEmpty || fraction.first == UInt8(ascii: ".") && (2...10).contains(fraction.count) else {
            return nil
        }
        guard fraction.dropFirst().allSatisfy(isDigit) else { return nil }
        func number(_ range: Range<Int>) -> Int { utf8[range].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } }
        let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
        let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
        guard hour < 24, minute < 60, second < 60, (1...12).contains(month) else { return nil }
        let days = days(year, month, day)
        guard day >= 1, civil(Int64(days)) == (year, month, day) else { return nil }
        let digits = (fraction.dropFirst().prefix(3) + [0x30, 0x30, 0x30]).prefix(3)
        let thousandths = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second
        return date(milliseconds: Int64(seconds * 1000 + thousandths))
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Year, month and day of a day counted from 1970-01-01, in the Gregorian calendar; eras of 400 years that begin on
    /// 1 March (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
    private static func civil(_ day: Int64) -> (Int, Int, Int) {
        let era = (day + 719_468).floored(by: 146_097)
        let dayOfEra = Int(era.remainder)
        let year = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let isNextYear = month >= 10
        return (
            Int(era.quotient) * 400 + year + (isNextYear ? 1 : 0), isNextYear ? month - 9 : month + 3,
            dayOfYear - (153 * month + 2) / 5 + 1
        )
    }

    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let era = Int64(month <= 2 ? year - 1 : year).floored(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let yearOfEra = Int(era.remainder)
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return Int(era.quotient) * 146_097 + dayOfEra - 719_468
    }
}

extension Int64 {
    /// Division that rounds down, so that the remainder is never below zero.
    fileprivate func floored(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
