// SPDX-License-Identifier: Apache-2.0

public import ISO7816

/// What a status word of GET VAS DATA means. Open: every word is kept, known or not.
public struct VASStatus: Hashable, Sendable, CustomStringConvertible {
    /// The word itself.
    public let statusWord: StatusWord

    /// Any status word.
    public init(_ statusWord: StatusWord) { self.statusWord = statusWord }

    /// 9000: pass data came, or the URL was accepted.
    public static let success = VASStatus(0x9000)
    /// 6A83: no pass of this type, or not the one on screen.
    public static let noPass = VASStatus(0x6A83)
    /// 6287: there is a pass, but the phone is locked, or the pass was already read in this authentication.
    public static let notActivated = VASStatus(0x6287)
    /// 6B00: wrong P1 or P2.
    public static let wrongParameters = VASStatus(0x6B00)
    /// 6700: wrong Lc, or an object of a wrong length.
    public static let wrongLength = VASStatus(0x6700)
    /// 6984: the person has to choose or do something.
    public static let userActionNeeded = VASStatus(0x6984)
    /// 6A80: an object with a value that is not allowed.
    public static let incorrectData = VASStatus(0x6A80)
    /// 6340: the phone does not know the terminal's application version.
    public static let unsupportedVersion = VASStatus(0x6340)

    /// The eight words of the VAS protocol; others are the card's or the reader's own.
    public var isVAS: Bool { row?.isVAS ?? false }

    /// What it means, a short sentence without a full stop.
    public var meaning: String { row?.meaning ?? "a status word without a known meaning" }

    /// What the person at the counter can do, if anything.
    public var advice: String? { row?.advice }

    /// Where the meaning is documented; nil for an unknown word.
    public var source: String? { row?.source }

    /// Every status word that has a line of its own in the table.
    public static let known: [VASStatus] = table.filter { $0.mask == 0xFFFF }.map {
        VASStatus(StatusWord(rawValue: $0.word))
    }

    /// The word and its meaning: `6A83: no pass of this type`.
    public var description: String { "\(statusWord): \(meaning)" }

    private var row: Row? { Self.table.first { $0.matches(statusWord) } }
}

extension VASStatus {
    /// One line of the table.
    struct Row: Sendable {
        let word: UInt16
        /// Which bits of the word count: `FF00` for words whose second byte is a number.
        var mask: UInt16 = 0xFFFF
        var isVAS = false
        let meaning: String
        var advice: String?
        let source: String

        func matches(_ status: StatusWord) -> Bool { status.rawValue & mask == word }
    }

    private static let apple = "Apple documentation, CoreNFC NFCVASErrorCode; kormax/apple-vas README"
    private static let iso = "ISO/IEC 7816-4, 5.6"

    /// Status words with their meaning and source; the first line that matches counts.
    static let table: [Row] = [
        Row(word: 0x9000, isVAS: true, meaning: "success", source: apple),
        Row(
            word: 0x6A83, isVAS: true, meaning: "no pass of this type",
            advice: "add the pass to the wallet, or open it before the tap", source: apple),
        Row(
            word: 0x6287, isVAS: true, meaning: "the pass is not activated: phone locked, or pass already read",
            advice: "unlock the phone or double-click the side button, then tap again", source: apple),
        Row(word: 0x6B00, isVAS: true, meaning: "wrong P1 or P2", source: apple),
        Row(word: 0x6700, isVAS: true, meaning: "wrong length of the command or of an object", source: apple),
        Row(
            word: 0x6984, isVAS: true, meaning: "the person has to choose",
            advice: "choose a pass on the phone, tap again",
            source: apple),
        Row(word: 0x6A80, isVAS: true, meaning: "incorrect data in the command", source: apple),
        Row(word: 0x6340, isVAS: true, meaning: "application version not supported", source: apple),
        Row(word: 0x6100, mask: 0xFF00, meaning: "more data is waiting", source: iso),
        Row(word: 0x6982, meaning: "security status not satisfied", advice: "unlock the phone, tap again", source: iso),
        Row(word: 0x6985, meaning: "conditions of use not satisfied", source: iso),
        Row(word: 0x6A81, meaning: "function not supported", source: iso),
        Row(word: 0x6A82, meaning: "application not found: not a wallet, or its NFC is off", source: iso),
        Row(word: 0x6A86, meaning: "incorrect P1 or P2", source: iso),
        Row(word: 0x6C00, mask: 0xFF00, meaning: "wrong Le; the second byte tells the right one", source: iso),
        Row(word: 0x6D00, meaning: "instruction not supported", source: iso),
        Row(word: 0x6E00, meaning: "class not supported", source: iso),
        Row(word: 0x6F00, meaning: "the card had an error it does not explain", source: iso),
    ]
}
