// SPDX-License-Identifier: Apache-2.0

internal import AppleVAS
internal import ISO7816

/// Status words in Apple's words; the only place where they meet.
enum StatusMapping {
    typealias Status = VASReadResult.ReadEntry.Status

    /// What a word outside the eight is nearest to, by the meaning of its first byte (ISO/IEC 7816-4, 5.6, table 5).
    private static let nearest: [UInt8: Status] = [
        0x67: .wrongCommandLength,
        0x6C: .wrongCommandLength,
        0x6B: .wrongP1P2,
        0x69: .userInterventionRequired,
        0x6D: .unsupportedApplicationVersion,
        0x6E: .unsupportedApplicationVersion,
    ]

    /// The eight words are themselves; any other gets what it is nearest to, `incorrectData` when nothing is.
    static func status(_ word: StatusWord) -> Status {
        Status(rawValue: Int(word.rawValue)) ?? nearest[word.sw1] ?? .incorrectData
    }

    /// Whether Apple's API has a case for this word.
    static func isExact(_ word: StatusWord) -> Bool { Status(rawValue: Int(word.rawValue)) != nil }
}
