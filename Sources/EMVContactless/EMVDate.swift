// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A point in time as the terminal writes it: calendar date and time of day.
public struct EMVDate: Hashable, Sendable, Comparable {
    /// Four digits.
    public let year: Int
    /// 1 to 12.
    public let month: Int
    /// 1 to 31.
    public let day: Int
    /// Seconds since midnight.
    public let secondOfDay: Int

    /// A date by its parts; they are taken as they are.
    public init(year: Int, month: Int, day: Int, secondOfDay: Int = 0) {
        (self.year, self.month, self.day, self.secondOfDay) = (year, month, day, secondOfDay)
    }

    /// The date and time of `date` in `timeZone`, Gregorian.
    public init(_ date: Date, timeZone: TimeZone = .gmt) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        let (hour, minute, second) = (parts.hour ?? 0, parts.minute ?? 0, parts.second ?? 0)
        self.init(
            year: parts.year ?? 2000, month: parts.month ?? 1, day: parts.day ?? 1,
            secondOfDay: hour * 3600 + minute * 60 + second)
    }

    /// Reads YYMMDD in three BCD bytes; years 00 to 49 are 2000 on, 50 to 99 are 1950 on (EMV Book 4, 6.7.3).
    public init?(bcd bytes: some Collection<UInt8>) {
        let numbers = bytes.map(BCD.number)
        guard numbers.count == 3, let year = numbers[0], let month = numbers[1], let day = numbers[2],
            (1...12).contains(month), day <= 31
        else { return nil }
        self.init(year: year + (year < 50 ? 2000 : 1900), month: month, day: day)
    }

    /// The last day of MMYY in two BCD bytes, as certificates have it.
    public init?(monthYear bytes: some Collection<UInt8>) {
        let numbers = bytes.map(BCD.number)
        guard numbers.count == 2, let month = numbers[0], let year = numbers[1], (1...12).contains(month) else {
            return nil
        }
        self.init(year: year + (year < 50 ? 2000 : 1900), month: month, day: 31)
    }

    /// YYMMDD in three BCD bytes, tag 9A.
    public var bcd: [UInt8] { [BCD.byte(year % 100), BCD.byte(month), BCD.byte(day)] }

    /// HHMMSS in three BCD bytes, tag 9F21.
    public var time: [UInt8] {
        [BCD.byte(secondOfDay / 3600), BCD.byte(secondOfDay / 60 % 60), BCD.byte(secondOfDay % 60)]
    }

    /// By calendar day, then by time.
    public static func < (a: EMVDate, b: EMVDate) -> Bool {
        (a.year, a.month, a.day, a.secondOfDay) < (b.year, b.month, b.day, b.secondOfDay)
    }

    /// Whether this day is over on `other`'s day.
    func isBefore(dayOf other: EMVDate) -> Bool { (year, month, day) < (other.year, other.month, other.day) }
}

/// Binary coded decimal.
enum BCD {
    /// Two digits.
    static func byte(_ number: Int) -> UInt8 {
        let number = max(0, min(99, number))
        return UInt8((number / 10) << 4 | number % 10)
    }

    /// The number two digits make; nil when they are not decimal.
    static func number(_ byte: UInt8) -> Int? {
        byte >> 4 <= 9 && byte & 15 <= 9 ? Int(byte >> 4) * 10 + Int(byte & 15) : nil
    }

    /// ASCII digits, two in a byte; nil for anything else.
    static func pack(_ digits: some Collection<UInt8>) -> [UInt8]? {
        guard digits.count.isMultiple(of: 2), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        var bytes: [UInt8] = []
        for (position, digit) in digits.enumerated() {
            if position.isMultiple(of: 2) {
                bytes.append((digit - 0x30) << 4)
            } else {
                bytes[bytes.count - 1] |= digit - 0x30
            }
        }
        return bytes
    }

    /// `number` in `count` bytes, leading zeros; digits that do not fit are cut on the left.
    static func bytes(_ number: UInt64, count: Int) -> [UInt8] {
        var rest = number
        var bytes: [UInt8] = []
        for _ in 0..<count {
            bytes.append(byte(Int(rest % 100)))
            rest /= 100
        }
        return bytes.reversed()
    }
}
