// SPDX-License-Identifier: Apache-2.0

/// PEM, hex and Base64 as people have them in files.
enum TextForms {
    /// One PEM block (RFC 7468); `isEncrypted` for the old `Proc-Type: 4,ENCRYPTED` header (RFC 1421, 4.6.1.1).
    struct PEMBlock {
        var label: String
        var isEncrypted: Bool
        var der: [UInt8]
    }

    /// The blocks of a text in their order. Text around them, CRLF, CR and blanks at line ends are passed over.
    /// A block that is cut off or not Base64 counts as one of no bytes.
    static func pemBlocks(_ text: [UInt8]) -> [PEMBlock] {
        var blocks: [PEMBlock] = []
        var open: PEMBlock?
        // One buffer for the Base64 text of all blocks: it may be that of a key, so it is overwritten in the end.
        var base64Text: [UInt8] = []
        base64Text.reserveCapacity(text.count)
        defer { wipe(&base64Text) }
        for line in text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            if let label = boundary(line, "-----BEGIN ") {
                open = PEMBlock(label: label, isEncrypted: false, der: [])
                wipe(&base64Text)
                base64Text.removeAll(keepingCapacity: true)
            } else if var block = open, boundary(line, "-----END ") != nil {
                block.der = base64(base64Text) ?? []
                blocks.append(block)
                open = nil
            } else if open != nil {
                if line.contains(UInt8(ascii: ":")) {
                    let header = String(decoding: line, as: UTF8.self)
                    if header.contains("ENCRYPTED") || header.hasPrefix("DEK-Info") { open?.isEncrypted = true }
                } else {
                    base64Text += line
                }
            }
        }
        return blocks + (open.map { [$0] } ?? [])
    }

    private static func boundary(_ line: ArraySlice<UInt8>, _ start: String) -> String? {
        guard line.contains(UInt8(ascii: "-")) else { return nil }
        let text = String(decoding: line, as: UTF8.self)
        let blanks: Set<Character> = [" ", "\t", "\u{FEFF}"]
        var trimmed = text.drop { blanks.contains($0) }
        while let last = trimmed.last, blanks.contains(last) { trimmed.removeLast() }
        guard trimmed.hasPrefix(start), trimmed.hasSuffix("-----"), trimmed.count >= start.count + 5 else { return nil }
        return String(trimmed.dropFirst(start.count).dropLast(5))
    }

    /// A PEM block with lines of 64 characters (RFC 7468, 2).
    static func pem(label: String, _ der: [UInt8]) -> [UInt8] {
        var encoded = base64Encoded(der)
        defer { wipe(&encoded) }
        var text = [UInt8]()
        text.reserveCapacity(encoded.count + encoded.count / 64 + 2 * label.utf8.count + 40)
        text += Array("-----BEGIN \(label)-----\n".utf8)
        var offset = 0
        while offset < encoded.count {
            text += encoded[offset..<min(offset + 64, encoded.count)]
            text.append(0x0A)
            offset += 64
        }
        text += Array("-----END \(label)-----\n".utf8)
        return text
    }

    /// The bytes of a hex text, or nil. Blanks, line ends and colons between bytes and a leading `0x` are passed over.
    static func hex(_ text: some Collection<UInt8>) -> [UInt8]? {
        var digits = text.filter { !isBlank($0) && $0 != UInt8(ascii: ":") }
        defer { wipe(&digits) }
        let skipped = digits.starts(with: Array("0x".utf8)) || digits.starts(with: Array("0X".utf8)) ? 2 : 0
        guard digits.count > skipped, digits.count.isMultiple(of: 2) else { return nil }
        var bytes = [UInt8]()
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: skipped, to: digits.count, by: 2) {
            guard let high = nibble(digits[index]), let low = nibble(digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// The bytes of a Base64 text (RFC 4648, 4 or 5), or nil. Blanks and line ends are passed over, padding may lack.
    static func base64(_ text: some Collection<UInt8>) -> [UInt8]? {
        var bytes = [UInt8]()
        bytes.reserveCapacity(text.count / 4 * 3 + 3)
        var (bits, bitCount, digits, padding): (UInt32, Int, Int, Int) = (0, 0, 0, 0)
        for character in text where !isBlank(character) {
            if character == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            guard padding == 0, let value = sextet(character) else { return nil }
            bits = bits << 6 | UInt32(value)
            (bitCount, digits) = (bitCount + 6, digits + 1)
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            }
        }
        guard digits > 0, digits % 4 != 1, padding == 0 || (digits + padding).isMultiple(of: 4), padding <= 2 else {
            return nil
        }
        return bytes
    }

    /// Base64 with padding (RFC 4648, 4).
    static func base64Encoded(_ bytes: [UInt8]) -> [UInt8] {
        var text = [UInt8]()
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            bits <<= 8
            for index in 0..<4 {
                let value = UInt8(truncatingIfNeeded: bits >> 26)
                text.append(index <= group.count ? digit(value) : UInt8(ascii: "="))
                bits <<= 6
            }
        }
        return text
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func nibble(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func sextet(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + (value - 26)
        case 52..<62: UInt8(ascii: "0") + (value - 52)
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }
}
