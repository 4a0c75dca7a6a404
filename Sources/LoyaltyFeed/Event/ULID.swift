// SPDX-License-Identifier: Apache-2.0

/// A ULID: 48 bits of Unix milliseconds and 80 random bits, as 26 characters of Crockford's Base32
/// (github.com/ulid/spec). Sorts by time.
public struct ULID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// 26 characters, upper case.
    public let description: String

    /// A ULID from its text; nil when it is none. Lower case is accepted, as the specification asks.
    public init?(_ text: String) {
        let upper = text.uppercased()
        let digits = Array(upper.utf8)
        guard digits.count == 26, digits.allSatisfy(Self.alphabet.contains), digits[0] <= 0x37 else { return nil }
        description = upper
    }

    /// A ULID of this time.
    ///
    /// - Parameters:
    ///   - milliseconds: since 1970, of which 48 bits count.
    ///   - random: ten bytes; fewer are taken as preceded by zeros.
    public init(milliseconds: UInt64, random: [UInt8]) {
        let tail = Array(random.suffix(10))
        var bytes = [UInt8](repeating: 0, count: 10 - tail.count) + tail
        bytes = (0..<6).map { UInt8(truncatingIfNeeded: milliseconds >> UInt64(40 - 8 * $0)) } + bytes
        // 128 bits in 26 digits of five: two zero bits come first.
        var (text, buffer, bits): ([UInt8], UInt32, Int) = ([], 0, 2)
        for byte in bytes {
            buffer = (buffer << 8 | UInt32(byte)) & 0xFFFF
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(Self.alphabet[Int(buffer >> UInt32(bits) & 0x1F)])
            }
        }
        description = String(decoding: text, as: UTF8.self)
    }

    /// By time, then by the random part.
    public static func < (left: ULID, right: ULID) -> Bool { left.description < right.description }

    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
}
