// SPDX-License-Identifier: Apache-2.0

/// Replaces the values of known objects, length for length.
struct ValueRedaction {
    /// The selected application's name, which tells the scheme.
    let application: [UInt8]?
    /// Today as YYMMDD numbers: an expired card stays expired.
    let today: Int

    static let validUntil: [UInt8] = [0x49, 0x12, 0x31]
    static let expiredOn: [UInt8] = [0x00, 0x12, 0x31]
    /// A name for whoever needs one.
    private static let name = Array("TEST/CARD".utf8)

    func value(_ value: [UInt8], _ replacement: Replacement) -> [UInt8] {
        switch replacement {
        case .account: account(value)
        case .track2: track2(value)
        case .track1: track1(value)
        case .name: Self.name(value)
        case .expiry: expiry(value)
        case .text: value.map { _ in 0x58 }
        case .zeros: value.map { _ in 0 }
        case .issuerData: issuerData(value)
        case .digits: digits(value)
        }
    }

    func number(like digits: [UInt8]) -> [UInt8] { TestAccount.number(like: digits, application: application) }

    private func account(_ value: [UInt8]) -> [UInt8] {
        var nibbles = Nibbles(value)
        let digits = nibbles.values(0..<value.count * 2).prefix { $0 <= 9 }
        for index in 0..<value.count * 2 where nibbles[index] <= 9 { nibbles[index] = 0 }
        nibbles.replace(0..<digits.count, with: number(like: Array(digits)))
        return nibbles.bytes
    }

    private func track2(_ value: [UInt8]) -> [UInt8] {
        var nibbles = Nibbles(account(value))
        let original = Nibbles(value)
        let all = 0..<value.count * 2
        guard let separator = all.first(where: { original[$0] > 9 }), original[separator] == 0x0D else {
            return nibbles.bytes
        }
        let rest = original.values(separator + 1..<all.upperBound)
        nibbles.replace(separator + 1..<all.upperBound, with: afterNumber(rest))
        return nibbles.bytes
    }

    /// Expiry date, service code (kept: outcomes depend on it) and discretionary data; padding stays.
    func afterNumber(_ rest: [UInt8]) -> [UInt8] {
        var result = rest.map { $0 <= 9 ? 0 : $0 }
        guard rest.count >= 4, rest.prefix(4).allSatisfy({ $0 <= 9 }) else { return result }
        let month = rest.prefix(4).reduce(0) { $0 * 10 + Int($1) }
        if (1...12).contains(month % 100) {
            result.replaceSubrange(0..<4, with: century(month) * 100 + 31 < today ? [0, 0, 1, 2] : [4, 9, 1, 2])
        }
        if rest.count >= 7 { result.replaceSubrange(4..<7, with: rest[4..<7]) }
        return result
    }

    private func expiry(_ value: [UInt8]) -> [UInt8] {
        let digits = Nibbles(value).values(0..<value.count * 2)
        guard value.count == 3, digits.allSatisfy({ $0 <= 9 }) else { return value.map { _ in 0 } }
        let date = digits.reduce(0) { $0 * 10 + Int($1) }
        guard (1...12).contains(date / 100 % 100), (1...31).contains(date % 100) else { return [0, 0, 0] }
        return century(date / 100) * 100 + date % 100 < today ? Self.expiredOn : Self.validUntil
    }

    /// YYMM on one line of years: 50 to 99 are before 00 (EMV Book 4, 6.7.3).
    private func century(_ yearMonth: Int) -> Int { yearMonth >= 5000 ? yearMonth - 10000 : yearMonth }

    private func issuerData(_ value: [UInt8]) -> [UInt8] {
        var result = value.map { _ in UInt8(0) }
        if let first = value.first { result[0] = first }
        if value.count > 4 { result[4] = value[4] & 0x30 }
        return result
    }

    private func digits(_ value: [UInt8]) -> [UInt8] {
        let isText = value.allSatisfy { (0x20...0x7E).contains($0) }
        return isText ? value.map { _ in 0x30 } : value.map { _ in 0 }
    }

    static func name(_ value: [UInt8]) -> [UInt8] {
        let end = (value.lastIndex { $0 != 0x20 && $0 != 0 } ?? -1) + 1
        let text = (0..<end).map { name.indices.contains($0) ? name[$0] : 0x58 }
        return text + value[end...]
    }

    /// `B`, number, `^`, name, `^`, expiry date, service code, discretionary data (ISO/IEC 7813, format B).
    func track1(_ value: [UInt8]) -> [UInt8] {
        let parts = value.split(separator: 0x5E, maxSplits: 2, omittingEmptySubsequences: false).map { Array($0) }
        guard parts.count == 3, parts[0].first == 0x42 else { return value.map(Self.blank) }
        let number = parts[0].dropFirst().prefix(while: Self.isDigit).map { $0 - 0x30 }
        let head = [0x42] + self.number(like: number).map { $0 + 0x30 } + parts[0].dropFirst(1 + number.count)
        return head + [0x5E] + Self.name(parts[1]) + [0x5E] + afterNumber(characters: parts[2])
    }

    /// What follows the number, in characters.
    func afterNumber(characters: [UInt8]) -> [UInt8] {
        let values = characters.map { Self.isDigit($0) ? $0 - 0x30 : 0x0F }
        return zip(afterNumber(values), characters).map { value, character in
            value <= 9 ? value + 0x30 : Self.blank(character)
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func blank(_ byte: UInt8) -> UInt8 {
        switch byte {
        case 0x30...0x39: 0x30
        case 0x41...0x5A, 0x61...0x7A: 0x58
        default: byte
        }
    }
}
