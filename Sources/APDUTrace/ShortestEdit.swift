// SPDX-License-Identifier: Apache-2.0

/// The fewest removals and insertions that make one list out of another (E. Myers, "An O(ND) Difference Algorithm and
/// Its Variations", Algorithmica 1, 1986).
///
/// The standard library's `difference(from:)` is the same without a limit: two long lists with nothing in common take
/// it memory in the square of their length.
struct ShortestEdit {
    /// Offsets in the first list of what is not in the second.
    private(set) var removed: Set<Int> = []
    /// Offsets in the second list of what is not in the first.
    private(set) var inserted: Set<Int> = []

    /// nil when more than `limit` removals and insertions are needed; memory grows with the square of the limit only.
    init?<Key: Hashable>(from first: [Key], to second: [Key], limit: Int) {
        var numbers: [Key: Int] = [:]
        func numbered(_ keys: [Key]) -> [Int] {
            keys.map { key in
                if let number = numbers[key] { return number }
                numbers[key] = numbers.count
                return numbers.count - 1
            }
        }
        let (a, b) = (numbered(first), numbered(second))
        // How far each diagonal -d, -d + 2 ... d of the edit graph is reached after d edits, for every d.
        var rounds: [[Int]] = []
        for d in 0...max(0, limit) {
            var reached: [Int] = []
            for i in 0...d {
                var x = Self.start(i, of: d, after: rounds.last)
                var y = x - (2 * i - d)
                while x < a.count, y < b.count, a[x] == b[y] { (x, y) = (x + 1, y + 1) }
                reached.append(x)
                if x == a.count, y == b.count {
                    trace(back: i, of: d, rounds)
                    return
                }
            }
            rounds.append(reached)
        }
        return nil
    }

    /// Whether the best way to a diagonal is an insertion, which comes from the diagonal above it.
    private static func isInsertion(_ i: Int, of d: Int, after last: [Int]) -> Bool {
        i == 0 || (i != d && last[i - 1] < last[i])
    }

    private static func start(_ i: Int, of d: Int, after last: [Int]?) -> Int {
        guard let last else { return 0 }
        return isInsertion(i, of: d, after: last) ? last[i] : last[i - 1] + 1
    }

    private mutating func trace(back last: Int, of count: Int, _ rounds: [[Int]]) {
        var i = last
        for d in stride(from: count, to: 0, by: -1) {
            let before = rounds[d - 1]
            if Self.isInsertion(i, of: d, after: before) {
                inserted.insert(before[i] - (2 * i - d + 1))
            } else {
                i -= 1
                removed.insert(before[i])
            }
        }
    }
}
