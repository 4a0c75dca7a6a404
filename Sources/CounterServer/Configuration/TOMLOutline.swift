// SPDX-License-Identifier: Apache-2.0

/// Where the keys and tables of a TOML document stand. The parser has no places for values, only for its errors.
///
/// Reads any bytes: what is no TOML is passed over, since the parser says so itself. What the parser would not bear (a
/// NUL, values nested without end, names of thousands of parts) is said here, before it is given the document.
struct TOMLOutline: Hashable, Sendable {
    /// A place in a document: line and column from 1, the column in characters.
    struct Place: Hashable, Sendable {
        let line: Int
        let column: Int
    }

    /// Why a document is not given to the parser.
    struct Refusal: Error, Hashable, Sendable {
        let place: Place
        let reason: String
    }

    /// Arrays and tables in each other.
    static let depthLimit = 32
    /// Parts of a dotted name.
    static let partLimit = 16

    private var places: [String: Place] = [:]
    private var counts: [String: Int] = [:]

    /// An empty document.
    init() {}

    /// The outline of a document.
    init(_ bytes: [UInt8]) throws(Refusal) {
        var scanner = TOMLScanner(bytes)
        var table: [String] = []
        while let statement = try scanner.next() {
            switch statement.kind {
            case .table: table = resolved(statement.name)
            case .tableOfArray:
                let path = resolved(statement.name)
                let name = path.joined(separator: ".")
                let index = counts[name, default: 0]
                counts[name] = index + 1
                table = path.dropLast() + ["\(path.last ?? "")[\(index)]"]
            case .pair: break
            }
            let path = statement.kind == .pair ? table + statement.name : table
            let name = path.joined(separator: ".")
            if places[name] == nil { places[name] = statement.place }
        }
    }

    /// A name below `[[a]]` belongs to the last `a` so far.
    private func resolved(_ name: [String]) -> [String] {
        var path: [String] = []
        for (index, part) in name.enumerated() {
            let count = index < name.count - 1 ? counts[(path + [part]).joined(separator: ".")] ?? 0 : 0
            path.append(count > 0 ? "\(part)[\(count - 1)]" : part)
        }
        return path
    }

    /// The place of a key such as `sink[0].url`, else of what it stands in.
    func place(of key: String) -> Place? {
        var key = key[...]
        while !key.isEmpty {
            if let place = places[String(key)] { return place }
            let end = key.lastIndex { $0 == "." || $0 == "[" } ?? key.startIndex
            key = key[..<end]
        }
        return nil
    }
}
