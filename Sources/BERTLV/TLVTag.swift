// SPDX-License-Identifier: Apache-2.0

/// A BER-TLV tag, kept as the bytes that stand on the wire rather than as a decoded class and number.
///
/// One to four bytes, big endian in ``rawValue``: the tag `9F 27` is `0x9F27`. Two-byte tags whose number is under 31
/// (`9F02`) are ordinary here: EMV and Apple VAS use them although X.690 8.1.2.4 would want the short form.
public struct TLVTag: Hashable, Sendable, RawRepresentable, ExpressibleByIntegerLiteral {
    /// The tag's bytes as one big-endian number, without leading zero bytes.
    public let rawValue: UInt32

    /// Takes any number; one that is not a well-formed tag is written as it is and will not be read back.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A tag written as in the specifications, `0x9F27`.
    public init(integerLiteral value: UInt32) { rawValue = value }

    /// One to four: how many bytes the tag takes.
    public var byteCount: Int { max(1, (32 - rawValue.leadingZeroBitCount + 7) / 8) }

    /// The tag as it stands on the wire, one to four bytes.
    public var bytes: [UInt8] {
        (0..<byteCount).map { UInt8(truncatingIfNeeded: rawValue >> UInt32((byteCount - 1 - $0) * 8)) }
    }

    /// The first byte, which holds class and form.
    public var leadingByte: UInt8 { UInt8(truncatingIfNeeded: rawValue >> UInt32((byteCount - 1) * 8)) }

    /// Whether the value is itself a series of TLVs (bit 6 of the first byte; ISO/IEC 7816-4, 5.2.2.1).
    public var isConstructed: Bool { leadingByte & 0x20 != 0 }
}

extension TLVTag: CustomStringConvertible {
    /// Upper-case hex, as the specifications write tags: `9F27`.
    public var description: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }

    /// The tag that `hex` spells, two to eight hex digits; nil for anything else.
    public init?(hex: some StringProtocol) {
        // The standard library takes a sign too.
        guard (2...8).contains(hex.count), hex.count.isMultiple(of: 2), hex.allSatisfy(\.isHexDigit),
            let value = UInt32(hex, radix: 16)
        else { return nil }
        self.init(rawValue: value)
    }
}
