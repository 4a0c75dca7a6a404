// SPDX-License-Identifier: Apache-2.0

/// Reads one object after the other; never traps, whatever the bytes.
struct TLVReader {
    private let bytes: ArraySlice<UInt8>
    private let rules: TLVRules
    private var position: Int

    init(_ bytes: ArraySlice<UInt8>, rules: TLVRules) {
        (self.bytes, self.rules, position) = (bytes, rules, bytes.startIndex)
    }

    /// The next object, or nil when all bytes are consumed.
    mutating func next() throws(TLVError) -> TLV? {
        if rules == .lenient { skipPadding() }
        guard position < bytes.endIndex else { return nil }
        let start = position
        let tag = try readTag()
        let length = try readLength(of: tag)
        guard length <= bytes.endIndex - position else {
            throw TLVError(.truncatedValue, part: .value, tag: tag.description, offset: position)
        }
        defer { position += length }
        return TLV(tag: tag, value: bytes[position..<position + length], offset: start)
    }

    private mutating func skipPadding() {
        while position < bytes.endIndex, bytes[position] == 0 { position += 1 }
    }

    /// ISO/IEC 7816-4, 5.2.2.1: subsequent bytes follow when bits 5-1 of the first are all set, and go on while bit 8
    /// is set. A zero number in the subsequent bytes is taken, because EMV and VAS use such tags.
    private mutating func readTag() throws(TLVError) -> TLVTag {
        let start = position
        let leading = bytes[position]
        guard leading != 0 else { throw TLVError(.invalidTag, part: .tag, tag: "00", offset: start) }
        var value = UInt32(leading)
        position += 1
        guard leading & 0x1F == 0x1F else { return TLVTag(rawValue: value) }
        while true {
            guard position < bytes.endIndex else {
                let partial = TLVTag(rawValue: value).description
                throw TLVError(.truncatedTag, part: .tag, tag: partial, offset: start)
            }
            guard position - start < 4 else {
                throw TLVError(.tagTooLong, part: .tag, tag: TLVTag(rawValue: value).description, offset: start)
            }
            let byte = bytes[position]
            value = value << 8 | UInt32(byte)
            position += 1
            if byte & 0x80 == 0 { return TLVTag(rawValue: value) }
        }
    }

    /// ISO/IEC 7816-4, 5.2.2.2: one byte up to 127, or `81`...`84` and that many bytes.
    private mutating func readLength(of tag: TLVTag) throws(TLVError) -> Int {
        let start = position
        guard position < bytes.endIndex else { throw lengthError(.truncatedLength, tag, start) }
        let first = bytes[position]
        position += 1
        guard first & 0x80 != 0 else { return Int(first) }
        guard first != 0x80 else { throw lengthError(.indefiniteLength, tag, start) }
        let count = Int(first & 0x7F)
        guard count <= 4 else { throw lengthError(.lengthTooLong, tag, start) }
        guard count <= bytes.endIndex - position else { throw lengthError(.truncatedLength, tag, position) }
        let length = bytes[position..<position + count].reduce(0) { $0 << 8 | Int($1) }
        position += count
        if rules == .strict, length < 128 || (count > 1 && length >> ((count - 1) * 8) == 0) {
            throw lengthError(.nonMinimalLength, tag, start)
        }
        return length
    }

    private func lengthError(_ code: TLVError.Code, _ tag: TLVTag, _ offset: Int) -> TLVError {
        TLVError(code, part: .length, tag: tag.description, offset: offset)
    }
}
