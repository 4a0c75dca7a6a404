// SPDX-License-Identifier: Apache-2.0

/// Finds the word that was meant.
enum NearestWord {
    /// Longer words are not compared.
    private static let limit = 64

    /// The word with the fewest changes, if those are few; the first of several.
    static func find(_ word: String, among words: [String]) -> String? {
        let near = words.map { (word: $0, distance: distance(word.lowercased(), $0.lowercased())) }
            .min { $0.distance < $1.distance }
        guard let near, near.distance <= max(1, min(word.utf8.count, near.word.utf8.count) / 3) else { return nil }
        return near.word
    }

    /// Letters to insert, delete, replace, or exchange with their neighbour (optimal string alignment).
    static func distance(_ first: String, _ second: String) -> Int {
        let (a, b) = (Array(first.utf8), Array(second.utf8))
        guard a.count <= limit, b.count <= limit else { return Int.max }
        var (older, old) = ([Int](), Array(0...b.count))
        for (i, x) in a.enumerated() {
            var row = [i + 1]
            for (j, y) in b.enumerated() {
                var best = min(old[j] + (x == y ? 0 : 1), old[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, x == b[j - 1], a[i - 1] == y { best = min(best, older[j - 1] + 1) }
                row.append(best)
            }
            (older, old) = (old, row)
        }
        return old.last ?? 0
    }
}
