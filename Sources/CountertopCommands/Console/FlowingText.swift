// SPDX-License-Identifier: Apache-2.0

extension String {
    /// A help text whose paragraphs are one line each, so that they are wrapped for the terminal that shows them.
    /// Lines that begin with a blank (examples, tables) stay as they are, and so does a heading that ends with a colon;
    /// long examples go on in a second line after a backslash, so that they can be pasted as they are shown.
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
        let examples = lines.lastIndex(of: "EXAMPLES:") ?? lines.endIndex
        return (lines[..<examples] + lines[examples...].flatMap(\.continued)).joined(separator: "\n")
    }

    /// A command in as many lines as fit a terminal of 80 columns.
    private var continued: [String] {
        guard count > 79, !contains(" #") else { return [self] }
        var quote: Character?
        var place: Index?
        for index in indices.prefix(78).dropFirst(8) {
            switch self[index] {
            case let character where character == quote: quote = nil
            case "\"", "'": quote = quote ?? self[index]
            case " " where quote == nil: place = index
            default: break
            }
        }
        guard let place else { return [self] }
        return ["\(self[..<place]) \\"] + "    \(self[place...].drop { $0 == " " })".continued
    }
}
