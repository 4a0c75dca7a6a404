// SPDX-License-Identifier: Apache-2.0

/// What a request is for: path and query, decoded once (RFC 9112, 3.2; RFC 3986, 3.3 and 3.4).
package struct RequestTarget: Hashable, Sendable {
    /// One member of the query.
    package struct Item: Hashable, Sendable {
        package let name: String
        package let value: String
    }

    /// The longest that is read, in bytes.
    package static let limit = 4096
    private static let itemLimit = 32

    /// The path's segments, decoded; none of them is empty but the last, for a path that ends with `/`.
    package let segments: [String]
    /// The query's members, in their order.
    package let query: [Item]
    /// Host and port, where the target is a whole URL.
    package let authority: String?

    /// A target from what stands in the request line.
    ///
    /// Dot segments, empty segments, and separators or control characters behind percent signs are refused rather than
    /// interpreted: no path of this service has any.
    package init(parsing text: String) throws(Problem) {
        guard text.utf8.count <= Self.limit else {
            throw Problem(414, "targetTooLong", "the target has more than \(Self.limit) bytes")
        }
        let (authority, rest) = try Self.split(text)
        self.authority = authority
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.first, path.hasPrefix("/") else { throw Self.malformed("it does not begin with /") }
        segments = try Self.segments(path.dropFirst())
        query = parts.count > 1 ? try Self.items(parts[1]) : []
    }

    private static func malformed(_ reason: String) -> Problem {
        Problem(400, "invalidTarget", "the target cannot be read: \(reason)")
    }

    /// The absolute form has scheme and authority before the path (RFC 9112, 3.2.2).
    private static func split(_ text: String) throws(Problem) -> (String?, Substring) {
        for scheme in ["http://", "https://"] where text.lowercased().hasPrefix(scheme) {
            let rest = text.dropFirst(scheme.count)
            let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
            guard end > rest.startIndex else { throw malformed("no host stands after the scheme") }
            return (String(rest[..<end]), rest[end...].hasPrefix("/") ? rest[end...] : "/" + rest[end...])
        }
        return (nil, text[...])
    }

    private static func segments(_ path: Substring) throws(Problem) -> [String] {
        let raw = path.split(separator: "/", omittingEmptySubsequences: false)
        var segments: [String] = []
        for (index, piece) in raw.enumerated() {
            let segment = try decoded(piece, plusIsBlank: false)
            guard segment != ".", segment != "..", !segment.utf8.contains(where: isSeparator),
                !segment.isEmpty || index == raw.count - 1
            else { throw malformed("a part of the path is empty, `.`, `..`, or has a separator in it") }
            segments.append(segment)
        }
        return segments
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\")
    }

    private static func items(_ query: Substring) throws(Problem) -> [Item] {
        var items: [Item] = []
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard items.count < itemLimit else { throw malformed("the query has more than \(itemLimit) members") }
            items.append(
                Item(
                    name: try decoded(parts[0], plusIsBlank: true),
                    value: parts.count > 1 ? try decoded(parts[1], plusIsBlank: true) : ""))
        }
        return items
    }

    /// Percent signs decoded; what results is UTF-8 without control characters.
    private static func decoded(_ text: Substring, plusIsBlank: Bool) throws(Problem) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    throw malformed("a percent sign is not followed by two hexadecimal digits")
                }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsBlank: bytes.append(0x20)
            default: bytes.append(byte)
            }
        }
        guard let result = String(validating: bytes, as: UTF8.self), !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F })
        else { throw malformed("it is not UTF-8, or has control characters") }
        return result
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}
