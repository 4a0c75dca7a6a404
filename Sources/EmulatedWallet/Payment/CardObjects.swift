// SPDX-License-Identifier: Apache-2.0

import BERTLV

/// Objects in the order in which a card sends them.
struct CardObjects {
    private(set) var entries: [(tag: TLVTag, value: [UInt8])] = []

    init(_ entries: [(tag: TLVTag, value: [UInt8])] = []) { self.entries = entries }

    mutating func append(_ tag: TLVTag, _ value: [UInt8]?) {
        if let value { entries.append((tag, value)) }
    }

    /// Values in `table` in place of the card's own.
    func replaced(by table: [TLVTag: [UInt8]]) -> CardObjects {
        CardObjects(entries.map { ($0.tag, table[$0.tag] ?? $0.value) })
    }

    /// Changed and left out as the definition wants it, after all signatures.
    func mutated(by mutations: [CardMutation]) -> CardObjects {
        var result = self
        for mutation in mutations {
            result.entries = result.entries.compactMap { entry in
                guard entry.tag == mutation.tag else { return entry }
                return mutation.value.map { (entry.tag, $0) }
            }
        }
        return result
    }

    subscript(tag: TLVTag) -> [UInt8]? { entries.first { $0.tag == tag }?.value }

    /// Tags, lengths and values.
    var bytes: [UInt8] {
        TLVBuilder.build { builder in
            for entry in entries { builder.append(entry.tag, entry.value) }
        }
    }

    func template(_ tag: TLVTag) -> [UInt8] { TLVBuilder.build { $0.append(tag, bytes) } }
}

/// What a card asks the reader for: tags with lengths (EMV Book 3, 5.4).
struct RequestedObjects: Hashable {
    private(set) var entries: [Entry] = []

    struct Entry: Hashable {
        let tag: TLVTag
        let length: Int
    }

    /// Reads a PDOL or CDOL; what is no list is read as far as it is one.
    init(_ list: [UInt8]) {
        var rest = list[...]
        while let first = rest.popFirst() {
            var tag = UInt32(first)
            if first & 0x1F == 0x1F {
                repeat {
                    guard let next = rest.popFirst(), tag <= 0x00FF_FFFF else { return }
                    tag = tag << 8 | UInt32(next)
                } while tag & 0x80 != 0
            }
            guard let length = rest.popFirst() else { return }
            entries.append(Entry(tag: TLVTag(rawValue: tag), length: Int(length)))
        }
    }

    var length: Int { entries.reduce(0) { $0 + $1.length } }

    /// The values of a data field, by tag; nil when it has another length.
    func values(in data: ArraySlice<UInt8>) -> [TLVTag: [UInt8]]? {
        guard data.count == length else { return nil }
        var rest = data
        var values: [TLVTag: [UInt8]] = [:]
        for entry in entries {
            values[entry.tag] = Array(rest.prefix(entry.length))
            rest = rest.dropFirst(entry.length)
        }
        return values
    }
}
