// SPDX-License-Identifier: Apache-2.0

import ISO7816

/// Reads one JSON object by key, and remembers where it stands.
///
/// Every error names the JSON path. `null` counts as absent.
struct JSONObjectReader {
    private let members: [String: PhoneJSON]
    /// `passes[0].nfc`; empty at the top.
    let path: String

    /// Takes an object whose keys are all among `known`.
    ///
    /// - Parameter tolerated: keys that are neither read nor refused; nil tolerates every key.
    init(_ value: PhoneJSON, path: String, known: [String], tolerated: Set<String>? = []) throws(WalletError) {
        guard case .object(let members) = value else {
            let place = path.isEmpty ? "the document" : path
            throw WalletError(.wrongType, "\(place) is \(value.typeName), not an object", jsonPath: path)
        }
        (self.members, self.path) = (members, path)
        guard let tolerated else { return }
        for key in members.keys.sorted() where !known.contains(key) && !tolerated.contains(key) {
            throw WalletError(
                .unknownKey, "unknown key `\(place(key))`", hint: Self.hint(for: key, known: known),
                jsonPath: place(key))
        }
    }

    /// The path of a key of this object.
    func place(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    /// All keys, sorted.
    var names: [String] { members.keys.sorted() }

    /// The value as it is.
    func value(_ key: String) -> PhoneJSON? {
        guard let value = members[key], value != .null else { return nil }
        return value
    }

    func bool(_ key: String) throws(WalletError) -> Bool? {
        guard let value = value(key) else { return nil }
        guard case .bool(let bool) = value else { throw wrongType(key, value, "true or false") }
        return bool
    }

    func string(_ key: String) throws(WalletError) -> String? {
        guard let value = value(key) else { return nil }
        guard case .string(let string) = value else { throw wrongType(key, value, "a string") }
        return string
    }

    func requiredString(_ key: String) throws(WalletError) -> String {
        guard let string = try string(key) else {
            throw WalletError(.missingKey, "`\(place(key))` is missing", jsonPath: place(key))
        }
        return string
    }

    func integer(_ key: String, in range: ClosedRange<Int>) throws(WalletError) -> Int? {
        guard let value = value(key) else { return nil }
        guard case .number(let number) = value else { throw wrongType(key, value, "a whole number") }
        guard let integer = Int(exactly: number), range.contains(integer) else {
            throw invalid(key, "is not a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return integer
    }

    func strings(_ key: String) throws(WalletError) -> [String]? {
        guard let values = try array(key) else { return nil }
        var strings: [String] = []
        for (index, value) in values.enumerated() {
            guard case .string(let string) = value else { throw wrongType("\(key)[\(index)]", value, "a string") }
            strings.append(string)
        }
        return strings
    }

    func array(_ key: String) throws(WalletError) -> [PhoneJSON]? {
        guard let value = value(key) else { return nil }
        guard case .array(let array) = value else { throw wrongType(key, value, "an array") }
        return array
    }

    /// Bytes written as hex.
    func hex(_ key: String, count: ClosedRange<Int>) throws(WalletError) -> [UInt8]? {
        guard let text = try string(key) else { return nil }
        guard let bytes = try? Hex.decode(text) else { throw invalid(key, "is not hex") }
        guard count.contains(bytes.count) else {
            let wanted = count.count == 1 ? "\(count.lowerBound)" : "\(count.lowerBound) to \(count.upperBound)"
            throw invalid(key, "has \(bytes.count) bytes, not \(wanted)")
        }
        return bytes
    }

    func statusWord(_ key: String) throws(WalletError) -> StatusWord? {
        guard let text = try string(key) else { return nil }
        guard let word = StatusWord(hex: text) else {
            throw invalid(key, "is not a status word", hint: "four hex digits, such as \"6A83\"")
        }
        return word
    }

    /// One of a fixed set of words.
    func choice<Choice: RawRepresentable & CaseIterable>(
        _ key: String, _: Choice.Type = Choice.self
    ) throws(WalletError) -> Choice? where Choice.RawValue == String {
        guard let text = try string(key) else { return nil }
        let names = Choice.allCases.map(\.rawValue)
        guard let choice = Choice(rawValue: text) else {
            throw invalid(key, "is `\(text)`", hint: Self.hint(for: text, known: names))
        }
        return choice
    }

    func wrongType(_ key: String, _ value: PhoneJSON, _ wanted: String) -> WalletError {
        WalletError(.wrongType, "`\(place(key))` is \(value.typeName), not \(wanted)", jsonPath: place(key))
    }

    func invalid(_ key: String, _ what: String, hint: String? = nil) -> WalletError {
        WalletError(.invalidValue, "`\(place(key))` \(what)", hint: hint, jsonPath: place(key))
    }

    /// "did you mean …?" for a near miss, otherwise the list of what there is.
    static func hint(for word: String, known: [String]) -> String {
        let near = known.map { ($0, Suggestion.distance(word.lowercased(), $0.lowercased())) }.min { $0.1 < $1.1 }
        if let near, near.1 <= max(2, word.count / 4) { return "did you mean `\(near.0)`?" }
        return "known here: \(known.joined(separator: ", "))"
    }
}

/// How far two words are apart.
enum Suggestion {
    /// Levenshtein's distance over the first 64 characters.
    static func distance(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first.prefix(64)), Array(second.prefix(64)))
        var row = Array(0...second.count)
        for (i, a) in first.enumerated() {
            var previous = row
            previous[0] = i + 1
            for (j, b) in second.enumerated() {
                previous[j + 1] = min(previous[j] + 1, row[j + 1] + 1, row[j] + (a == b ? 0 : 1))
            }
            row = previous
        }
        return row[second.count]
    }
}
