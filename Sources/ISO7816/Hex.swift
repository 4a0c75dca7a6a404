// SPDX-License-Identifier: Apache-2.0

/// Hexadecimal text and bytes.
public enum Hex {
    /// Why text is not hex, and at which character.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// Characters from the start of the text to the one that is wrong, or to its end when a digit is missing.
        public let offset: Int
        /// Whether the text ends after half a byte.
        public let isOddLength: Bool

        /// A sentence with the offset.
        public var description: String {
            isOddLength
                ? "the hex text ends after half a byte, at character \(offset)"
                : "not a hex digit at character \(offset)"
        }
    }

    /// The bytes that `text` spells, in either case. Blanks, tabs, new lines and colons between bytes are skipped.
    public static func decode(_ text: some StringProtocol) throws(Failure) -> [UInt8] {
        try decode(utf8: text.utf8)
    }

    /// The bytes that a text spells whose UTF-8 is at hand.
    public static func decode(utf8 text: some Collection<UInt8>) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        var high: UInt8?
        var offset = 0
        for character in text {
            if let digit = digit(character) {
                if let first = high { bytes.append(first << 4 | digit) }
                high = high == nil ? digit : nil
            } else if high != nil || !isSeparator(character) {
                throw Failure(offset: offset, isOddLength: false)
            }
            offset += 1
        }
        guard high == nil else { throw Failure(offset: offset, isOddLength: true) }
        return bytes
    }

    /// Upper-case hex with nothing between the bytes, as the trace format has it.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case 0x30...0x39: character - 0x30
        case 0x41...0x46: character - 0x41 + 10
        case 0x61...0x66: character - 0x61 + 10
        default: nil
        }
    }

    private static func isSeparator(_ character: UInt8) -> Bool {
        character == 0x20 || (0x09...0x0D).contains(character) || character == 0x3A
    }
}
