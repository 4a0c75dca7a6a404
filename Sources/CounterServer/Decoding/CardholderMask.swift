// SPDX-License-Identifier: Apache-2.0

internal import APDUTrace
package import BERTLV
package import EMVContactless
internal import ISO7816

/// Shows card data without what identifies a cardholder.
///
/// Hidden are account number, tracks, names and what a network treats as sensitive authentication data (PCI DSS 3.3.1,
/// 3.4.1); of the account number the first six and the last four digits stay.
package struct CardholderMask: Sendable {
    /// Whether everything is shown: only after ``TestCardsOnlyOption`` found nothing but test cards.
    package let isOff: Bool

    package static let on = CardholderMask(isOff: false)

    package init(isOff: Bool) { self.isOff = isOff }

    /// Objects that identify a cardholder, in any kernel.
    package static let hidden: Set<TLVTag> = [
        0x56, 0x57, 0x5A, 0x5F20, 0x5F53, 0x99, 0x9F0B, 0x9F1F, 0x9F20, 0x9F60, 0x9F61, 0x9F6B, 0xDF4F,
    ]
    /// Those with an account number in them.
    package static let withAccountNumber: [TLVTag] = [0x5A, 0x57, 0x9F6B, 0x56]

    /// A value as text: hex, with the hidden digits as `*`, as many characters as the hex has.
    package func value(_ tag: TLVTag, _ value: some Collection<UInt8>, in context: TagContext) -> (
        text: String, isMasked: Bool
    ) {
        guard !isOff, context != .valueAddedServices else { return (Hex.encode(value), false) }
        guard Self.hides(tag, count: value.count, in: context) else { return hex(value) }
        let hex = Hex.encode(value)
        guard Self.withAccountNumber.prefix(3).contains(tag) else {
            return (String(repeating: "*", count: hex.utf8.count), true)
        }
        let digits = hex.prefix { $0.isASCII && $0.isNumber }
        let masked = (13...19).contains(digits.count) ? AccountNumber.masked(String(digits)) : stars(digits.count)
        let rest = hex.dropFirst(digits.count)
        // The separator of track 2 and the padding of an account number tell nothing.
        let kept = rest.prefix { $0 == "D" || $0 == "F" }
        return (masked + kept + stars(rest.count - kept.count), true)
    }

    /// Kernel 3's card CVM limit has the tag of kernel 2's track 2; its form tells them apart.
    private static func hides(_ tag: TLVTag, count: Int, in context: TagContext) -> Bool {
        guard hidden.contains(tag) else { return false }
        return !(tag == 0x9F6B && context == .kernel3 && count == 6)
    }

    /// Hex of bytes of which nothing is known; a run of digits that could be an account number is hidden all the same.
    package func hex(_ value: some Collection<UInt8>) -> (text: String, isMasked: Bool) {
        let hex = Hex.encode(value)
        guard !isOff else { return (hex, false) }
        let covered = AccountNumberRuns.covered(AccountNumberRuns.coveredCharacters(Array(value), hex))
        return (covered, covered != hex)
    }

    /// Text in which an account number may stand.
    package func text(_ text: String) -> String { isOff ? text : AccountNumberRuns.covered(text) }

    private func stars(_ count: Int) -> String { String(repeating: "*", count: max(0, count)) }
}

/// Runs of digits that could be account numbers.
package enum AccountNumberRuns {
    /// `text` with the inside of each such run as `*`.
    package static func covered(_ text: String) -> String {
        var result: [UInt8] = []
        for piece in pieces(Array(text.utf8)) {
            let run = String(decoding: piece, as: UTF8.self)
            result += isAccountNumber(run) ? Array(AccountNumber.masked(run).utf8) : insides(Array(piece))
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The hex of bytes, in which digits may stand as characters: the insides of account numbers as `**`.
    package static func coveredCharacters(_ bytes: [UInt8], _ hex: String) -> String {
        var characters = Array(hex.utf8)
        guard characters.count == 2 * bytes.count else { return hex }
        var start = 0
        for index in bytes.indices.map({ $0 + 1 }) where index == bytes.count || !isDigit(bytes[index]) {
            for place in hidden(Array(bytes[start..<index].drop { !isDigit($0) })) {
                let byte = index - bytes[start..<index].drop { !isDigit($0) }.count + place
                (characters[2 * byte], characters[2 * byte + 1]) = (UInt8(ascii: "*"), UInt8(ascii: "*"))
            }
            start = index
        }
        return String(decoding: characters, as: UTF8.self)
    }

    /// A longer run, in which account numbers may stand at any place.
    private static func insides(_ run: [UInt8]) -> [UInt8] {
        guard run.first.map(isDigit) == true else { return run }
        var run = run
        for place in hidden(run) { run[place] = UInt8(ascii: "*") }
        return run
    }

    /// Places of a run of digits that must not be shown: all but the first six and last four of each number.
    private static func hidden(_ digits: [UInt8]) -> [Int] {
        DigitRuns.windows(digits.map { $0 & 0x0F }).flatMap { $0.dropFirst(6).dropLast(4) }
    }

    /// The text, cut where digits begin and end.
    private static func pieces(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var start = 0
        for index in text.indices.dropFirst() where isDigit(text[index]) != isDigit(text[index - 1]) {
            pieces.append(text[start..<index])
            start = index
        }
        return pieces + (text.isEmpty ? [] : [text[start...]])
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Thirteen to nineteen digits that do not begin with zero, with a right check digit (ISO/IEC 7812-1).
    private static func isAccountNumber(_ run: String) -> Bool {
        (13...19).contains(run.utf8.count) && run.utf8.allSatisfy(isDigit) && !run.hasPrefix("0")
            && AccountNumber.isLuhnValid(run)
    }
}
