// SPDX-License-Identifier: Apache-2.0

internal import ISO7816

/// Account numbers in runs of digits that nothing says the meaning of.
package enum DigitRuns {
    /// How long an account number is (ISO/IEC 7812-1, 4.1), without those too short to tell from other numbers.
    static let lengths = 12...19

    /// A run of digits without account numbers.
    ///
    /// A run that is one number becomes a test number. Numbers inside a longer run become zeros, again and again until
    /// none is left: what zeros and neighbours make together could be one too.
    static func redacted(_ run: [UInt8], application: [UInt8]?) -> [UInt8] {
        var run = run
        while run.count >= lengths.lowerBound {
            if isAccount(run) { return TestAccount.number(like: run, application: application) }
            let found = windows(run)
            guard !found.isEmpty else { break }
            for window in found {
                run.replaceSubrange(window, with: repeatElement(0, count: window.count))
            }
        }
        return run
    }

    /// Whether the whole run is a number with a right check digit; none begins with 0.
    static func isAccount(_ run: some BidirectionalCollection<UInt8>) -> Bool {
        lengths.contains(run.count) && run.first != 0 && AccountNumber.isLuhnValid(run)
    }

    /// Where inside a run of digits there are numbers of a scheme, with its length and a right check digit.
    package static func windows(_ run: [UInt8]) -> [Range<Int>] {
        guard run.count >= 13 else { return [] }
        var found: [Range<Int>] = []
        for start in 0...(run.count - 13) where run[start] != 0 {
            for count in 13...min(19, run.count - start) {
                let window = run[start..<start + count]
                if TestAccount.isIssuable(window), AccountNumber.isLuhnValid(window) {
                    found.append(start..<start + count)
                }
            }
        }
        return found
    }
}

/// Bytes as half bytes, to be read and written one by one.
struct Nibbles {
    var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    subscript(index: Int) -> UInt8 {
        get { index.isMultiple(of: 2) ? bytes[index / 2] >> 4 : bytes[index / 2] & 0x0F }
        set {
            let keep = bytes[index / 2] & (index.isMultiple(of: 2) ? 0x0F : 0xF0)
            bytes[index / 2] = keep | (index.isMultiple(of: 2) ? newValue << 4 : newValue & 0x0F)
        }
    }

    /// The half bytes of a range of half bytes.
    func values(_ range: Range<Int>) -> [UInt8] { range.map { self[$0] } }

    mutating func replace(_ range: Range<Int>, with values: [UInt8]) {
        for (index, value) in zip(range, values) { self[index] = value }
    }

    /// Maximal runs of digits at least `count` long.
    func digitRuns(in range: Range<Int>, atLeast count: Int) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start = range.lowerBound
        for index in range {
            guard self[index] > 9 else { continue }
            if index - start >= count { runs.append(start..<index) }
            start = index + 1
        }
        if range.upperBound - start >= count { runs.append(start..<range.upperBound) }
        return runs
    }
}
