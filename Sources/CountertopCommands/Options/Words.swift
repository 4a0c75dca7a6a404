// SPDX-License-Identifier: Apache-2.0

/// Free words on the command line: one is the argument proper, the others belong to the `--key` before them, so that
/// `--key A B` means the same as `--key A --key B`.
enum Words {
    /// Which word is meant when none or several look like the argument.
    enum Place { case first, last }

    static func split(
        _ words: [String], preferring place: Place = .last, looksRight: (String) -> Bool
    ) -> (argument: String, rest: [String]) {
        let fitting = words.indices.filter { looksRight(words[$0]) }
        let candidates = fitting.isEmpty ? Array(words.indices) : fitting
        guard let index = place == .first ? candidates.first : candidates.last else { return ("", []) }
        var rest = words
        let argument = rest.remove(at: index)
        return (argument, rest)
    }
}
