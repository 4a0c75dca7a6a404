// SPDX-License-Identifier: Apache-2.0

/// Free words on the command line: one is the argument proper, the others belong to the `--key` before them, so that
/// `--key A B` means the same as `--key A --key B`.
enum Words {
    /// The last word that looks like the argument, or the last of all; and the rest.
    static func split(_ words: [String], looksRight: (String) -> Bool) -> (argument: String, rest: [String]) {
        var rest = words
        guard let index = words.lastIndex(where: looksRight) ?? words.indices.last else { return ("", []) }
        let argument = rest.remove(at: index)
        return (argument, rest)
    }
}
