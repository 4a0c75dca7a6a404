// SPDX-License-Identifier: Apache-2.0

public import BERTLV

/// A data object list: which objects a card asks for, and how many bytes of each (EMV Book 3, 5.4).
public struct DataObjectList: Hashable, Sendable {
    /// One request: a tag and a length, 0 to 252 bytes.
    public struct Entry: Hashable, Sendable {
        /// The object.
        public let tag: TLVTag
        /// How many bytes the card wants of it.
        public let length: Int
    }

    /// The requests, in the order the values must be sent.
    public let entries: [Entry]

    /// Reads the value of a PDOL, CDOL, DDOL or UDOL; every byte must belong to an entry.
    public init(_ bytes: some Collection<UInt8>) throws(EMVError) {
        let bytes = Array(bytes)
        var entries: [Entry] = []
        entries.reserveCapacity(bytes.count / 2)
        var position = 0
        while position < bytes.count {
            let start = position
            let tag = try Self.tag(bytes, &position)
            guard position < bytes.count else {
                throw EMVError(.malformedCardData, "a data object list ends without a length", offset: start)
            }
            entries.append(Entry(tag: tag, length: Int(bytes[position])))
            position += 1
        }
        self.entries = entries
    }

    /// How many bytes the values take together.
    public var dataLength: Int { entries.reduce(0) { $0 + $1.length } }

    /// Whether the card asks for `tag`.
    public func contains(_ tag: TLVTag) -> Bool { entries.contains { $0.tag == tag } }

    /// The values, concatenated (EMV Book 3, 5.4).
    ///
    /// The first source that has a tag wins. A value that is too long loses its left end when numeric, else its right
    /// end; one that is too short is filled with zeros on the left when numeric, `FF` on the right when compressed
    /// numeric, zeros on the right otherwise. Unknown and constructed objects give zeros.
    public func data(
        from sources: [[TLVTag: [UInt8]]], dictionary: TagDictionary = .standard, context: TagContext = .emv
    ) -> [UInt8] {
        data(dictionary: dictionary, context: context) { tag in sources.lazy.compactMap { $0[tag] }.first }
    }

    /// The same with one source, a function.
    func data(
        dictionary: TagDictionary = .standard, context: TagContext, value: (TLVTag) -> [UInt8]?
    ) -> [UInt8] {
        var data: [UInt8] = []
        data.reserveCapacity(dataLength)
        for entry in entries {
            let value = entry.tag.isConstructed ? nil : value(entry.tag)
            if let value, value.count == entry.length {
                data += value
                continue
            }
            let format = dictionary.entry(for: entry.tag, in: context)?.format
            data += Self.fit(value ?? [], to: entry.length, format: value == nil ? nil : format)
        }
        return data
    }

    static func fit(_ value: [UInt8], to length: Int, format: TagFormat?) -> [UInt8] {
        if value.count >= length {
            return format == .numeric ? Array(value.suffix(length)) : Array(value.prefix(length))
        }
        let missing = length - value.count
        switch format {
        case .numeric: return [UInt8](repeating: 0, count: missing) + value
        case .compressedNumeric: return value + [UInt8](repeating: 0xFF, count: missing)
        default: return value + [UInt8](repeating: 0, count: missing)
        }
    }

    /// ISO/IEC 7816-4, 5.2.2.1, up to four bytes.
    private static func tag(_ bytes: [UInt8], _ position: inout Int) throws(EMVError) -> TLVTag {
        let start = position
        var value = UInt32(bytes[position])
        position += 1
        guard value & 0x1F == 0x1F else { return TLVTag(rawValue: value) }
        while true {
            guard position < bytes.count, position - start < 4 else {
                throw EMVError(.malformedCardData, "a data object list ends inside a tag", offset: start)
            }
            let byte = bytes[position]
            value = value << 8 | UInt32(byte)
            position += 1
            if byte & 0x80 == 0 { return TLVTag(rawValue: value) }
        }
    }
}
