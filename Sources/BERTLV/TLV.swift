// SPDX-License-Identifier: Apache-2.0

/// How forgiving a reader of TLVs is.
public enum TLVRules: Hashable, Sendable {
    /// Shortest lengths only, no padding between objects: what a builder writes.
    case strict
    /// What cards in the field send: `00` bytes before, between and after objects (ISO/IEC 7816-4, 5.2.2), and
    /// lengths with more bytes than needed.
    case lenient
}

/// One BER-TLV object: a view over the bytes it was read from (ISO/IEC 7816-4, 5.2.2).
///
/// ``value`` shares storage with the input and keeps its indices, so an offset found inside it is an offset into the
/// whole input. Objects read from an `Array` therefore have `value.startIndex` equal to the value's offset.
public struct TLV: Sendable {
    /// The tag.
    public let tag: TLVTag
    /// The value field, any length from zero up.
    public let value: ArraySlice<UInt8>
    /// Where the tag begins: bytes from the start of the whole input.
    public let offset: Int

    /// An object made by hand, not read; its offsets count from the value's own start.
    public init(_ tag: TLVTag, _ value: [UInt8]) {
        (self.tag, self.value, self.offset) = (tag, value[...], 0)
    }

    init(tag: TLVTag, value: ArraySlice<UInt8>, offset: Int) {
        (self.tag, self.value, self.offset) = (tag, value, offset)
    }

    /// All objects of `bytes`, one level deep. Everything is consumed, or an error says where it stopped making sense.
    public static func read(_ bytes: [UInt8], rules: TLVRules = .strict) throws(TLVError) -> [TLV] {
        try read(bytes[...], rules: rules)
    }

    /// All objects of a slice, one level deep; offsets are the slice's own indices.
    public static func read(_ bytes: ArraySlice<UInt8>, rules: TLVRules = .strict) throws(TLVError) -> [TLV] {
        var reader = TLVReader(bytes, rules: rules)
        var objects: [TLV] = []
        while let object = try reader.next() { objects.append(object) }
        return objects
    }

    /// The objects inside a constructed object's value.
    public func contents(rules: TLVRules = .strict) throws(TLVError) -> [TLV] {
        try TLV.read(value, rules: rules)
    }

    /// The value as an array of its own.
    public var bytes: [UInt8] { Array(value) }
}

extension TLV: Hashable {
    /// Equal tag and value; where an object stood does not matter.
    public static func == (a: TLV, b: TLV) -> Bool { a.tag == b.tag && a.value == b.value }

    /// Agrees with `==`.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(tag)
        hasher.combine(value)
    }
}

extension Sequence<TLV> {
    /// The first object with this tag at this level; objects inside others are not looked at.
    @inlinable public func first(_ tag: TLVTag) -> TLV? { first { $0.tag == tag } }
}
