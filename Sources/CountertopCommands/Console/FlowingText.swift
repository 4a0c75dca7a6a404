// SPDX-License-Identifier: Apache-2.0

extension String {
    /// A help text whose paragraphs are one line each, so that they are wrapped for the terminal that shows them.
    /// Lines that begin with a blank (examples, tables) stay as they are, and so does a heading that ends with a colon.
    var flowing: String {
        var lines: [String] = []
        for line in split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            guard let last = lines.last, !last.isEmpty, !last.hasPrefix(" "), !last.hasSuffix(":"), !line.isEmpty,
                !line.hasPrefix(" ")
            else {
                lines.append(line)
                continue
            }
            lines[lines.count - 1] = last + " " + line
        }
        return lines.joined(separator: "\n")
    }
}
