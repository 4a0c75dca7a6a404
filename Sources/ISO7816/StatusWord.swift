// SPDX-License-Identifier: Apache-2.0

/// SW1-SW2, the last two bytes of every response (ISO/IEC 7816-4, 5.6). Open: any value is kept.
public struct StatusWord: Hashable, Sendable, RawRepresentable, ExpressibleByIntegerLiteral {
    /// SW1 in the upper byte, SW2 in the lower.
    public let rawValue: UInt16

    /// Any status word.
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    /// A status word as the standard writes it, `0x9000`.
    public init(integerLiteral value: UInt16) { rawValue = value }
    /// A status word from its two bytes.
    public init(sw1: UInt8, sw2: UInt8) { rawValue = UInt16(sw1) << 8 | UInt16(sw2) }

    /// The first status byte.
    public var sw1: UInt8 { UInt8(truncatingIfNeeded: rawValue >> 8) }
    /// The second status byte.
    public var sw2: UInt8 { UInt8(truncatingIfNeeded: rawValue) }
    /// The two bytes as they end a response.
    public var bytes: [UInt8] { [sw1, sw2] }

    /// `9000`, normal processing.
    public static let success: StatusWord = 0x9000
}

extension StatusWord: CustomStringConvertible {
    /// Four upper-case hex digits: `6A83`.
    public var description: String { Hex.encode(bytes) }

    /// The status word that four hex digits spell; nil for anything else.
    public init?(hex: some StringProtocol) {
        // The standard library takes a sign too.
        guard hex.count == 4, hex.allSatisfy(\.isHexDigit), let value = UInt16(hex, radix: 16) else { return nil }
        self.init(rawValue: value)
    }
}
