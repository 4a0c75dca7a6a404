// SPDX-License-Identifier: Apache-2.0

/// Base64 with `-` and `_` and without padding, as JOSE has it (RFC 4648, 5; RFC 7515, 2).
public enum Base64URL {
    /// The text of `bytes`.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        Base64.encode(bytes, alphabet: urlAlphabet, isPadded: false)
    }

    /// The bytes of `text`; nil for padding, blanks, other characters, and for bits beyond the last byte: one text for
    /// each value.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let count = text.utf8.count
        guard count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count / 4 * 3 + 2)
        var (bits, bitCount): (UInt32, UInt32) = (0, 0)
        for character in text.utf8 {
            guard let value = values[Int(character)] else { return nil }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
            }
        }
        return bits & ((1 << bitCount) - 1) == 0 ? bytes : nil
    }

    static let urlAlphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

    /// The six bits that each byte of a text stands for.
    private static let values: [UInt8?] = {
        var values = [UInt8?](repeating: nil, count: 256)
        urlAlphabet.withUTF8Buffer {
            for (value, character) in $0.enumerated() { values[Int(character)] = UInt8(value) }
        }
        return values
    }()
}

/// Base64 with padding (RFC 4648, 4).
public enum Base64 {
    /// The text of `bytes`.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        encode(bytes, alphabet: alphabet, isPadded: true)
    }

    /// The bytes of `text`, or nil. Blanks and line ends are passed over, padding may lack, either alphabet will do.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        text.utf8.isEmpty ? [] : TextForms.base64(text.utf8)
    }

    private static let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

    /// Six bits a character, in one pass.
    static func encode(_ bytes: some Collection<UInt8>, alphabet: StaticString, isPadded: Bool) -> String {
        withBytes(bytes) { bytes in
            let whole = bytes.count / 3
            let rest = bytes.count % 3
            let count = isPadded ? (bytes.count + 2) / 3 * 4 : whole * 4 + (rest == 0 ? 0 : rest + 1)
            return String(unsafeUninitializedCapacity: count) { output in
                alphabet.withUTF8Buffer { alphabet in
                    var position = 0
                    func put(_ bits: UInt32, _ characters: Int) {
                        for index in 0..<characters {
                            output[position] = alphabet[Int(bits >> UInt32(18 - 6 * index) & 63)]
                            position += 1
                        }
                    }
                    for group in 0..<whole {
                        let start = group * 3
                        put(
                            UInt32(bytes[start]) << 16 | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2]), 4)
                    }
                    if rest > 0 {
                        let second = rest == 2 ? UInt32(bytes[whole * 3 + 1]) << 8 : 0
                        put(UInt32(bytes[whole * 3]) << 16 | second, rest + 1)
                    }
                    while position < count {
                        output[position] = UInt8(ascii: "=")
                        position += 1
                    }
                    return count
                }
            }
        }
    }
}
