// SPDX-License-Identifier: Apache-2.0

internal import BERTLV

/// How a sensitive value is replaced; all keep its length.
enum Replacement: Sendable {
    /// Digits with `F` padding: a test number.
    case account
    /// Track 2 in half bytes: test number, expiry date, service code, zeros.
    case track2
    /// Track 1 in characters.
    case track1
    /// A person's name.
    case name
    /// YYMMDD: the last day of a year on the same side of today.
    case expiry
    /// Text that tells something: letters.
    case text
    /// Zeros.
    case zeros
    /// Issuer application data: zeros but for its length and the cryptogram's kind, on which outcomes depend.
    case issuerData
    /// Digits of the account number elsewhere: zeros.
    case digits
}

/// What a trace may not show of a card.
enum SensitiveObjects {
    struct Row: Sendable {
        let tag: TLVTag
        let replacement: Replacement
        /// Lengths that the value has on real cards; for finding it where no template tells.
        let lengths: ClosedRange<Int>
        /// Where the object is described, or why it is here.
        let source: String
    }

    private static let book3 = "EMV Book 3, Annex A"
    private static let book2 = "EMV Book 2, 5 and 6: holds or guards the account number"
    private static let kernel2 = "EMV Contactless Book C-2, Annex A"

    static let rows: [Row] = [
        Row(tag: 0x5A, replacement: .account, lengths: 5...10, source: book3),
        Row(tag: 0x57, replacement: .track2, lengths: 8...19, source: book3),
        Row(tag: 0x9F6B, replacement: .track2, lengths: 8...19, source: kernel2),
        Row(tag: 0x56, replacement: .track1, lengths: 16...76, source: kernel2),
        Row(tag: 0x5F20, replacement: .name, lengths: 2...26, source: book3),
        Row(tag: 0x9F0B, replacement: .name, lengths: 27...45, source: book3),
        Row(tag: 0x9F1F, replacement: .digits, lengths: 1...54, source: book3),
        Row(tag: 0x9F20, replacement: .digits, lengths: 1...30, source: book3),
        Row(tag: 0x5F24, replacement: .expiry, lengths: 3...3, source: book3),
        Row(tag: 0x9F24, replacement: .text, lengths: 29...29, source: "EMV payment account reference, \(book3)"),
        Row(tag: 0x9F10, replacement: .issuerData, lengths: 5...32, source: book3),
        Row(tag: 0x9F26, replacement: .zeros, lengths: 8...8, source: book3),
        Row(tag: 0x9F4B, replacement: .zeros, lengths: 64...248, source: book2),
        Row(tag: 0x93, replacement: .zeros, lengths: 64...248, source: book2),
        Row(tag: 0x9F46, replacement: .zeros, lengths: 64...248, source: book2),
        Row(tag: 0x9F48, replacement: .zeros, lengths: 8...64, source: book2),
        Row(tag: 0x9F2D, replacement: .zeros, lengths: 64...248, source: book2),
        Row(tag: 0x9F2F, replacement: .zeros, lengths: 8...64, source: book2),
        // The issuer's certificate shows the number's first eight digits, and opens the card's.
        Row(tag: 0x90, replacement: .zeros, lengths: 64...248, source: book2),
        Row(tag: 0x92, replacement: .zeros, lengths: 8...64, source: book2),
        Row(tag: 0x42, replacement: .digits, lengths: 3...3, source: "\(book3): the number's first digits"),
        Row(tag: 0x9F0C, replacement: .digits, lengths: 3...4, source: "\(book3): the number's first digits"),
        Row(tag: 0x9F25, replacement: .digits, lengths: 2...2, source: "\(book3): the number's last digits"),
        Row(tag: 0x5F53, replacement: .text, lengths: 15...34, source: "\(book3): account number of the bank"),
        Row(tag: 0x9F60, replacement: .zeros, lengths: 2...2, source: kernel2),
        Row(tag: 0x9F61, replacement: .zeros, lengths: 2...40, source: "\(kernel2); PBOC 3.0: cardholder's identity"),
    ]

    private static let byTag = Dictionary(uniqueKeysWithValues: rows.map { ($0.tag, $0) })

    static func row(_ tag: TLVTag) -> Row? { byTag[tag] }

    /// Values that are text: a name such as `VISA CREDIT` is a run of digits in half bytes.
    static let texts: Set<TLVTag> = [0x50, 0x9F12, 0x5F2D, 0x5F50, 0x9F4E]

    /// Lists of what the card wants to be given (EMV Book 3, 5.4), by which commands are read.
    static let lists: Set<TLVTag> = [0x9F38, 0x8C, 0x8D, 0x9F49, 0x9F69]
}
