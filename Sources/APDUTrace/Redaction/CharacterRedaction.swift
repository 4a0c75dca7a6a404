// SPDX-License-Identifier: Apache-2.0

/// Account numbers and tracks in characters; lengths stay.
struct CharacterRedaction {
    let values: ValueRedaction
    /// Numbers that were found, as digit values.
    private(set) var accounts: Set<[UInt8]> = []

    init(values: ValueRedaction) { self.values = values }

    mutating func redacted(_ text: [UInt8]) -> [UInt8] {
        var text = text
        for run in Self.runs(text, atLeast: DigitRuns.lengths.lowerBound) {
            let digits = text[run].map { $0 - 0x30 }
            let isTrack = Self.isTrack(text, run)
            let replaced =
                isTrack && run.count <= 19
                ? values.number(like: digits) : DigitRuns.redacted(digits, application: values.application)
            if isTrack || (replaced != digits && TestAccount.isIssuable(digits)), run.count <= 19 {
                accounts.insert(digits)
            }
            text.replaceSubrange(run, with: replaced.map { $0 + 0x30 })
            if isTrack { rest(&text, after: run) }
        }
        return text
    }

    /// Maximal runs of digits.
    static func runs(_ text: [UInt8], atLeast count: Int) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start = 0
        for index in 0...text.count {
            if index < text.count, (0x30...0x39).contains(text[index]) { continue }
            if index - start >= count { runs.append(start..<index) }
            start = index + 1
        }
        return runs
    }

    /// Track 2 in characters (`=` or `D`), track 1 after its `B` (ISO/IEC 7813).
    private static func isTrack(_ text: [UInt8], _ run: Range<Int>) -> Bool {
        guard run.upperBound < text.count else { return false }
        switch text[run.upperBound] {
        case 0x3D, 0x44, 0x64:
            let next = text[(run.upperBound + 1)...].prefix(7)
            return next.count == 7 && next.allSatisfy { (0x30...0x39).contains($0) }
        case 0x5E: return run.lowerBound > 0 && text[run.lowerBound - 1] & 0xDF == 0x42
        default: return false
        }
    }

    private func rest(_ text: inout [UInt8], after run: Range<Int>) {
        var start = run.upperBound + 1
        if text[run.upperBound] == 0x5E {
            let end = text[start...].firstIndex(of: 0x5E) ?? text.count
            text.replaceSubrange(start..<end, with: ValueRedaction.name(Array(text[start..<end])))
            start = end + 1
        }
        guard start < text.count else { return }
        let end = text[start...].firstIndex { !(0x30...0x39).contains($0) } ?? text.count
        text.replaceSubrange(start..<end, with: values.afterNumber(characters: Array(text[start..<end])))
    }
}
