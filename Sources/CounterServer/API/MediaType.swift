// SPDX-License-Identifier: Apache-2.0

/// A kind of content that this service writes or takes.
enum MediaType: String, Sendable {
    case json = "application/json"
    case problem = "application/problem+json"
    case events = "text/event-stream"
    case text = "text/plain"
    case html = "text/html"

    /// With its character set, where one is stated. JSON has none (RFC 8259, 11).
    var field: String {
        switch self {
        case .text, .html: rawValue + "; charset=utf-8"
        case .json, .problem, .events: rawValue
        }
    }
}

/// The header field `Accept` (RFC 9110, 12.5.1).
package struct AcceptedTypes: Hashable, Sendable {
    private struct Range: Hashable, Sendable {
        let type: String
        let quality: Int
    }

    private let ranges: [Range]

    /// What cannot be read is left out; a field without anything that can be read accepts everything.
    package init(_ field: String?) {
        ranges = (field ?? "").split(separator: ",").prefix(32).compactMap(Self.range)
    }

    private static func range(_ text: Substring) -> Range? {
        let parts = text.lowercased().split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
        guard let type = parts.first, type.split(separator: "/", omittingEmptySubsequences: false).count == 2 else {
            return nil
        }
        let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Self.thousandths($0.dropFirst(2)) } ?? 1000
        return quality.map { Range(type: type, quality: $0) }
    }

    /// `0.8`: a digit, and up to three behind a point.
    private static func thousandths(_ text: Substring) -> Int? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, whole == "0" || whole == "1" else { return nil }
        let rest = parts.count > 1 ? parts[1] : ""
        guard rest.utf8.count <= 3, rest.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let fraction = Int(rest + String(repeating: "0", count: 3 - rest.utf8.count))
        else { return nil }
        return min(1000, (whole == "1" ? 1000 : 0) + fraction)
    }

    /// The one of `offered` that is liked most; among equals the first. Nil when none is accepted.
    package func best(of offered: [String]) -> String? {
        guard !ranges.isEmpty else { return offered.first }
        var best: (type: String, quality: Int)?
        for type in offered {
            let quality = quality(of: type)
            if quality > best?.quality ?? 0 { best = (type, quality) }
        }
        return best?.type
    }

    /// The most specific range counts.
    private func quality(of type: String) -> Int {
        let main = type.prefix { $0 != "/" } + "/*"
        for range in [type, String(main), "*/*"] {
            if let found = ranges.first(where: { $0.type == range }) { return found.quality }
        }
        return 0
    }
}
