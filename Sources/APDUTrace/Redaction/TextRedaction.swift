// SPDX-License-Identifier: Apache-2.0

/// Redacts a line of a comment or header: numbers with and without blanks, tracks, names, and hex that holds any of it.
struct TextRedaction {
    let values: ValueRedaction
    let known: KnownSecrets

    func redacted(_ text: String) -> String {
        var current = Array(text.utf8)
        for _ in 0..<8 {
            let next = once(current)
            if next == current { return String(decoding: current, as: UTF8.self) }
            current = next
        }
        return "(redacted)"
    }

    private func once(_ text: [UInt8]) -> [UInt8] {
        var text = text
        for token in Self.hexTokens(text) { redactHex(&text, token) }
        var characters = CharacterRedaction(values: values)
        text = characters.redacted(text)
        for group in Self.groupedDigits(text) {
            let digits = group.map { text[$0] - 0x30 }
            guard DigitRuns.isAccount(digits), digits.count >= 13 else { continue }
            for (place, digit) in zip(group, values.number(like: digits)) { text[place] = digit + 0x30 }
        }
        return known.removed(from: text, values)
    }

    private func redactHex(_ text: inout [UInt8], _ places: [Int]) {
        let nibbles = places.compactMap { Self.hexValue(text[$0]) }
        guard nibbles.count == places.count else { return }
        var packed = Nibbles([UInt8](repeating: 0, count: nibbles.count / 2))
        packed.replace(0..<nibbles.count, with: nibbles)
        var redaction = ByteRedaction(values: values)
        let replaced = Nibbles(known.removed(from: redaction.redacted(packed.bytes, .unknown), values))
        guard replaced.bytes != packed.bytes else { return }
        for (index, place) in places.enumerated() where replaced[index] != nibbles[index] {
            let digit = replaced[index]
            text[place] = digit < 10 ? 0x30 + digit : 0x37 + digit
        }
    }

    /// Places of hex digits that belong together: 16 or more in a row, or in pairs with single blanks between.
    private static func hexTokens(_ text: [UInt8]) -> [[Int]] {
        var tokens: [[Int]] = []
        var current: [Int] = []
        func end() {
            if current.count >= 10, current.count.isMultiple(of: 2) { tokens.append(current) }
            current = []
        }
        var index = 0
        while index < text.count {
            let stop = text[index...].firstIndex { hexValue($0) == nil } ?? text.count
            let isSeparate = stop < text.count && (text[stop] == 0x20 || text[stop] == 0x3A || text[stop] == 0x2D)
            if stop - index == 2 {
                current += index..<stop
                if !isSeparate { end() }
            } else {
                end()
                current += index..<stop
                end()
            }
            index = stop + 1
        }
        end()
        return tokens
    }

    /// Places of digits in groups of two to seven with one blank or hyphen between.
    private static func groupedDigits(_ text: [UInt8]) -> [[Int]] {
        var groups: [[Int]] = []
        var current: [Int] = []
        var previousEnd = -2
        for run in CharacterRedaction.runs(text, atLeast: 1) {
            let isNext =
                run.lowerBound == previousEnd + 1 && (text[previousEnd] == 0x20 || text[previousEnd] == 0x2D)
            if !isNext || !(2...7).contains(run.count) {
                if !current.isEmpty { groups.append(current) }
                current = []
            }
            if (2...7).contains(run.count) { current += run }
            previousEnd = run.upperBound
        }
        return current.isEmpty ? groups : groups + [current]
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}
