// SPDX-License-Identifier: Apache-2.0

/// Why bytes are not a series of BER-TLVs, and where.
///
/// Compare ``code``; the text is for people.
public struct TLVError: Error, Hashable, Sendable {
    /// The kind of fault. Open: a later version may add codes.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// The code's name, stable over versions.
        public let rawValue: String
        /// A code by name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The bytes end inside a tag.
        public static let truncatedTag = Code(rawValue: "truncatedTag")
        /// A tag longer than four bytes.
        public static let tagTooLong = Code(rawValue: "tagTooLong")
        /// A tag that strict reading does not take (zero padding, `1F00`-style subsequent bytes).
        public static let invalidTag = Code(rawValue: "invalidTag")
        /// The bytes end inside a length.
        public static let truncatedLength = Code(rawValue: "truncatedLength")
        /// Length byte `80`: the indefinite form (X.690 8.1.3.6), which cards may not use (ISO/IEC 7816-4, 5.2.2.2).
        public static let indefiniteLength = Code(rawValue: "indefiniteLength")
        /// More than four length bytes, or `FF` (reserved).
        public static let lengthTooLong = Code(rawValue: "lengthTooLong")
        /// More length bytes than the length needs; only strict reading says so.
        public static let nonMinimalLength = Code(rawValue: "nonMinimalLength")
        /// The bytes end inside a value.
        public static let truncatedValue = Code(rawValue: "truncatedValue")
        /// Constructed values nest deeper than the limit.
        public static let tooDeep = Code(rawValue: "tooDeep")
        /// An expected object is not there.
        public static let missing = Code(rawValue: "missing")
    }

    /// The part of an object in which the bytes stopped making sense.
    public enum Part: String, Hashable, Sendable {
        /// The tag field.
        case tag
        /// The length field.
        case length
        /// The value field.
        case value
    }

    /// What is wrong.
    public let code: Code
    /// In which field of the object.
    public let part: Part
    /// The bytes of the object's tag as far as they could be read, upper-case hex, or nil.
    public let tag: String?
    /// Where the field begins that is wrong: bytes from the start of the whole input.
    public let offset: Int

    /// An error value; readers in other targets use it too.
    public init(_ code: Code, part: Part, tag: String? = nil, offset: Int) {
        (self.code, self.part, self.tag, self.offset) = (code, part, tag, offset)
    }
}

extension TLVError: CustomStringConvertible {
    /// A sentence with the offset, without any value bytes.
    public var description: String {
        "TLV: \(Self.texts[code] ?? code.rawValue)\(tag.map { " (tag \($0))" } ?? "") at offset \(offset)"
    }

    private static let texts: [Code: String] = [
        .truncatedTag: "the data ends inside a tag",
        .tagTooLong: "a tag is longer than four bytes",
        .invalidTag: "this is not a tag",
        .truncatedLength: "the data ends inside a length",
        .indefiniteLength: "indefinite length is not allowed",
        .lengthTooLong: "a length field is longer than four bytes",
        .nonMinimalLength: "a length is not in its shortest form",
        .truncatedValue: "the data ends inside a value",
        .tooDeep: "objects nest too deeply",
        .missing: "an expected object is missing",
    ]
}
