// SPDX-License-Identifier: Apache-2.0

/// A property list in XML (Apple documentation, "Information Property List"; the DTD PropertyList 1.0), as far as the
/// checks need it: dictionaries, arrays, strings and Booleans. Never traps; bounded in size and depth.
enum PropertyListText: Hashable, Sendable {
    case string(String)
    case flag(Bool)
    case array([PropertyListText])
    case dictionary([String: PropertyListText])
    case other

    private static let most = (bytes: 1 << 20, depth: 32)

    /// The list that `bytes` spell.
    /// - Throws: `invalidRequest`; the text names `place`, and nothing of the list.
    static func read(_ bytes: [UInt8], _ place: String) throws(ProvisioningError) -> PropertyListText {
        guard !bytes.starts(with: "bplist".utf8) else {
            throw ProvisioningError(
                .invalidRequest, "\(place) is a binary property list", hint: "plutil -convert xml1 makes it XML")
        }
        guard bytes.count <= most.bytes, let text = String(validating: bytes, as: UTF8.self) else {
            throw ProvisioningError(.invalidRequest, "\(place) is not a property list of at most 1 MiB in UTF-8")
        }
        var reader = Reader(text: text[...])
        guard reader.skip(to: "<plist"), reader.skip(to: ">"), let value = reader.value(depth: 0) else {
            throw ProvisioningError(.invalidRequest, "\(place) is not a property list in XML")
        }
        return value
    }

    func dictionary(_ name: String) -> PropertyListText? {
        if case .dictionary(let members) = self, case .dictionary? = members[name] { members[name] } else { nil }
    }

    func text(_ name: String) -> String? {
        if case .dictionary(let members) = self, case .string(let text)? = members[name] { text } else { nil }
    }

    func flag(_ name: String) -> Bool? {
        if case .dictionary(let members) = self, case .flag(let flag)? = members[name] { flag } else { nil }
    }

    func texts(_ name: String) -> [String] {
        guard case .dictionary(let members) = self, case .array(let elements)? = members[name] else { return [] }
        return elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }

    private struct Reader {
        var text: Substring

        /// Goes to the end of the next `mark`.
        mutating func skip(to mark: String) -> Bool {
            guard let range = text.firstRange(of: mark) else { return false }
            text = text[range.upperBound...]
            return true
        }

        /// The name of the next tag, with `/` before it when it ends and after it when it is empty; comments are
        /// passed over.
        private mutating func tag() -> Substring? {
            while skip(to: "<") {
                if text.hasPrefix("!--") {
                    guard skip(to: "-->") else { return nil }
                    continue
                }
                guard let end = text.firstIndex(of: ">") else { return nil }
                let name = text[..<end]
                text = text[text.index(after: end)...]
                return name
            }
            return nil
        }

        /// What stands before the next tag, which must end `name`.
        private mutating func content(of name: Substring) -> String? {
            guard let end = text.firstIndex(of: "<") else { return nil }
            let content = text[..<end]
            return tag() == "/\(name)" ? Self.plain(content) : nil
        }

        /// The five entities that XML has by itself.
        private static func plain(_ text: Substring) -> String {
            [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")]
                .reduce(String(text)) { $0.replacing($1.0, with: $1.1) }
        }

        mutating func value(depth: Int) -> PropertyListText? {
            guard let name = tag() else { return nil }
            return value(name, depth)
        }

        private mutating func value(_ name: Substring, _ depth: Int) -> PropertyListText? {
            guard depth <= PropertyListText.most.depth else { return nil }
            switch name {
            case "true/": return .flag(true)
            case "false/": return .flag(false)
            case "dict/": return .dictionary([:])
            case "array/": return .array([])
            case "string/": return .string("")
            case "string": return content(of: name).map { .string($0) }
            case "integer", "real", "date", "data": return content(of: name).map { _ in .other }
            case "array": return array(depth)
            case "dict": return dictionary(depth)
            default: return nil
            }
        }

        private mutating func array(_ depth: Int) -> PropertyListText? {
            var elements: [PropertyListText] = []
            while let name = tag() {
                if name == "/array" { return .array(elements) }
                guard let element = value(name, depth + 1) else { return nil }
                elements.append(element)
            }
            return nil
        }

        private mutating func dictionary(_ depth: Int) -> PropertyListText? {
            var members: [String: PropertyListText] = [:]
            while let name = tag() {
                if name == "/dict" { return .dictionary(members) }
                guard name == "key", let key = content(of: name), let value = value(depth: depth + 1) else {
                    return nil
                }
                members[key] = value
            }
            return nil
        }
    }
}
