// SPDX-License-Identifier: Apache-2.0

/// Base64 with `-` and `_` and without padding, as JOSE has it (RFC 4648, 5; RFC 7515, 2).
public enum Base64URL {
    /// The text of `bytes`.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        Base64.encode(bytes, alphabet: urlAlphabet, isPadded: false)
    }

    /// Appends the text of `bytes`.
    static func append(_ bytes: UnsafeRawBufferPointer, to text: inout [UInt8]) {
        let count = Base64.textCount(of: bytes.count, isPadded: false)
        text += [UInt8](unsafeUninitializedCapacity: count) { output, filled in
            Base64.write(bytes, alphabet: urlAlphabet, to: UnsafeMutableBufferPointer(rebasing: output[..<count]))
            filled = count
        }
    }

    /// Appends the text of `bytes`.
    static func append(_ bytes: [UInt8], to text: inout [UInt8]) { bytes.withUnsafeBytes { append($0, to: &text) } }

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
            let count = textCount(of: bytes.count, isPadded: isPadded)
            return String(unsafeUninitializedCapacity: count) { output in
                write(bytes, alphabet: alphabet, to: UnsafeMutableBufferPointer(rebasing: output[..<count]))
                return count
            }
        }
    }

    /// How many characters `count` bytes take.
    static func textCount(of count: Int, isPadded: Bool) -> Int {
        isPadded ? (count + 2) / 3 * 4 : (count * 4 + 2) / 3
    }

    /// Fills `output`, which is as long as the text.
    static func write(
        _ bytes: UnsafeRawBufferPointer, alphabet: StaticString, to output: UnsafeMutableBufferPointer<UInt8>
    ) {
        alphabet.withUTF8Buffer { alphabet in
            var (source, target) = (0, 0)
            while source + 3 <= bytes.count {
                let bits = UInt32(bytes[source]) << 16 | UInt32(bytes[source + 1]) << 8 | UInt32(bytes[source + 2])
                output[target] = alphabet[Int(bits >> 18)]
                output[target + 1] = alphabet[Int(bits >> 12 & 63)]
                output[target + 2] = alphabet[Int(bits >> 6 & 63)]
                output[target + 3] = alphabet[Int(bits & 63)]
                (source, target) = (source + 3, target + 4)
            }
            guard source < bytes.count else { return }
            let hasTwo = bytes.count - source == 2
            let bits = UInt32(bytes[source]) << 16 | (hasTwo ? UInt32(bytes[source + 1]) << 8 : 0)
            output[target] = alphabet[Int(bits >> 18)]
            output[target + 1] = alphabet[Int(bits >> 12 & 63)]
            if hasTwo { output[target + 2] = alphabet[Int(bits >> 6 & 63)] }
            target += hasTwo ? 3 : 2
            while target < output.count {
                output[target] = UInt8(ascii: "=")
                target += 1
            }
        }
    }
}
