// SPDX-License-Identifier: Apache-2.0

/// The block format under APDUs on the air (ISO/IEC 14443-3 and -4).
enum ISO14443 {
    /// The two check bytes of type A, low byte first: CRC-16 with start value 6363 (ISO/IEC 14443-3, Annex B).
    static func crcA(_ bytes: some Sequence<UInt8>) -> [UInt8] { crc(bytes, start: 0x6363, inverted: false) }

    /// The two check bytes of type B: start value FFFF, inverted.
    static func crcB(_ bytes: some Sequence<UInt8>) -> [UInt8] { crc(bytes, start: 0xFFFF, inverted: true) }

    /// Whether the last two bytes are a type A or B check of the others.
    static func isCRCValid(_ frame: [UInt8]) -> Bool {
        guard frame.count > 2 else { return false }
        let (body, check) = (frame.dropLast(2), Array(frame.suffix(2)))
        return crcA(body) == check || crcB(body) == check
    }

    private static func crc(_ bytes: some Sequence<UInt8>, start: UInt16, inverted: Bool) -> [UInt8] {
        var crc = start
        for byte in bytes {
            crc ^= UInt16(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0x8408 : crc >> 1 }
        }
        if inverted { crc = ~crc }
        return [UInt8(crc & 0xFF), UInt8(crc >> 8)]
    }

    /// One block without its check bytes (ISO/IEC 14443-4, 7.1).
    struct Block {
        enum Kind { case information, receiveReady, supervisory }

        let kind: Kind
        let isChained: Bool
        let isDeselect: Bool
        let information: ArraySlice<UInt8>

        /// nil for what is no block.
        init?(_ bytes: [UInt8]) {
            guard let control = bytes.first else { return nil }
            let hasCID = control & 0x08 != 0
            switch control & 0xC0 {
            // 00x0_xx1x: bit 6 is 0, bit 2 is 1.
            case 0x00 where control & 0x22 == 0x02:
                (kind, isChained, isDeselect) = (.information, control & 0x10 != 0, false)
                information = bytes.dropFirst(1 + (hasCID ? 1 : 0) + (control & 0x04 != 0 ? 1 : 0))
            case 0x80 where control & 0x26 == 0x22:
                (kind, isChained, isDeselect, information) = (.receiveReady, false, false, [])
            case 0xC0 where control & 0x07 == 0x02:
                (kind, isChained, isDeselect) = (.supervisory, false, control & 0x30 == 0)
                information = []
            default: return nil
            }
        }
    }
}
