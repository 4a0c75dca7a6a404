// SPDX-License-Identifier: Apache-2.0

/// CRC_A of NFC-A frames (ISO/IEC 14443-3, 6.2.4 and annex B): polynomial x^16+x^12+x^5+1, initial value 6363.
enum CRCA {
    /// The two bytes to append, low byte first.
    static func bytes(of frame: some Sequence<UInt8>) -> [UInt8] {
        var crc: UInt16 = 0x6363
        for byte in frame {
            crc ^= UInt16(byte)
            for _ in 0..<8 {
                // 8408 is the polynomial with its bits in the order of transmission, lowest first.
                crc = crc & 1 == 1 ? crc >> 1 ^ 0x8408 : crc >> 1
            }
        }
        return [UInt8(crc & 0xFF), UInt8(crc >> 8)]
    }
}
