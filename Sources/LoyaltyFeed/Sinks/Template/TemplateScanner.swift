// SPDX-License-Identifier: Apache-2.0

/// One tag of a template.
struct TemplateTag: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// `{{name}}`.
        case value
        /// `{{{name}}}` or `{{&name}}`: the value as JSON.
        case json
        /// `{{#name}}`: what follows holds when there is a value.
        case begin
        /// `{{^name}}`: what follows holds when there is none.
        case beginInverted
        /// `{{/name}}`.
        case end
    }

    let kind: Kind
    let name: String
}

/// A part of a template.
enum TemplatePart: Hashable, Sendable {
    case text(String)
    case tag(TemplateTag)
}

/// Reads the Mustache that sinks may use: values, conditions and comments; no partials, lambdas or other delimiters.
///
/// Source: mustache.github.io, mustache(5).
struct TemplateScanner {
    /// Longer than any request that a provider takes.
    static let limit = 64 * 1024
    /// More conditions inside each other than anybody needs; the Mustache parser recurses.
    static let depthLimit = 16

    /// What is wrong with a template, in one sentence without a full stop.
    struct Fault: Error, Hashable, Sendable {
        let reason: String
    }

    /// The parts in their order; conditions are closed as they were opened.
    static func parts(_ text: String) throws(Fault) -> [TemplatePart] {
        guard text.utf8.count <= limit else { throw Fault(reason: "is longer than 64 kB") }
        var scanner = TemplateScanner(rest: Array(text.utf8)[...])
        var (parts, open): ([TemplatePart], [String]) = ([], [])
        while !scanner.rest.isEmpty {
            guard let part = try scanner.next() else { continue }
            if case .tag(let tag) = part { try track(tag, &open) }
            parts.append(part)
        }
        if let last = open.last { throw Fault(reason: "does not close {{#\(last)}}") }
        return parts
    }

    private var rest: ArraySlice<UInt8>

    private static func track(_ tag: TemplateTag, _ open: inout [String]) throws(Fault) {
        switch tag.kind {
        case .begin, .beginInverted:
            open.append(tag.name)
            guard open.count <= depthLimit else { throw Fault(reason: "has too many conditions inside each other") }
        case .end:
            guard open.popLast() == tag.name else {
                throw Fault(reason: "closes {{/\(tag.name)}}, which is not the condition that is open")
            }
        case .value, .json: break
        }
    }

    /// The next part; nil for a comment.
    private mutating func next() throws(Fault) -> TemplatePart? {
        let opening = Array("{{".utf8)
        guard let start = rest.firstRange(of: opening)?.lowerBound else {
            defer { rest = [] }
            return .text(String(decoding: rest, as: UTF8.self))
        }
        if start > rest.startIndex {
            defer { rest = rest[start...] }
            return .text(String(decoding: rest[..<start], as: UTF8.self))
        }
        rest = rest.dropFirst(2)
        let isTriple = rest.first == UInt8(ascii: "{")
        if isTriple { rest = rest.dropFirst() }
        guard let end = rest.firstRange(of: Array((isTriple ? "}}}" : "}}").utf8)) else {
            throw Fault(reason: "has a {{ without }}")
        }
        let inside = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
        rest = rest[end.upperBound...]
        return try Self.tag(inside, isTriple: isTriple).map(TemplatePart.tag)
    }

    private static let sigils: [Character: TemplateTag.Kind] = [
        "#": .begin, "^": .beginInverted, "/": .end, "&": .json,
    ]

    private static func tag(_ inside: String, isTriple: Bool) throws(Fault) -> TemplateTag? {
        var text = inside[...]
        var kind = isTriple ? TemplateTag.Kind.json : .value
        if !isTriple, let first = text.first {
            if first == "!" { return nil }
            if let known = sigils[first] {
                kind = known
                text = text.dropFirst()
            }
        }
        let name = text.split(separator: " ", omittingEmptySubsequences: true)
        guard name.count == 1, let word = name.first, isName(word) else {
            throw Fault(reason: "has a tag that is no name, condition or comment")
        }
        return TemplateTag(kind: kind, name: String(word))
    }

    /// Words of letters, digits and `_`, joined by dots.
    static func isName(_ text: Substring) -> Bool {
        text.utf8.count <= 128
            && text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { word in
                !word.isEmpty
                    && word.utf8.allSatisfy {
                        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                            || $0 == UInt8(ascii: "_")
                    }
            }
    }
}
