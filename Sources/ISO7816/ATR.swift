// SPDX-License-Identifier: Apache-2.0

/// An answer to reset, taken apart (ISO/IEC 7816-3, 8.2). Never traps, whatever the bytes.
public struct ATR: Hashable, Sendable {
    /// The interface bytes of one round; nil where T0 or TD does not announce one.
    public struct InterfaceBytes: Hashable, Sendable {
        /// TAi.
        public let ta: UInt8?
        /// TBi.
        public let tb: UInt8?
        /// TCi.
        public let tc: UInt8?
        /// TDi, which announces the next round and names its protocol.
        public let td: UInt8?
    }

    /// The bytes it was read from, 2 to 33.
    public let bytes: [UInt8]
    /// Whether TS says direct convention (`3B`), not inverse (`3F`).
    public let isDirect: Bool
    /// TA1, TB1, … and so on, round by round.
    public let interfaceBytes: [InterfaceBytes]
    /// Historical bytes, 0 to 15.
    public let historicalBytes: [UInt8]
    /// Protocols that the TD bytes offer, T=0 to T=14; T=0 when there is none.
    public let protocols: [Int]
    /// TCK, nil when it is absent, which it is for T=0 alone.
    public let checkByte: UInt8?
    /// Whether TCK makes the exclusive or of T0 to TCK zero; true without TCK.
    public let isCheckByteRight: Bool

    /// Takes an answer to reset apart; every byte must belong to it.
    public init(_ bytes: [UInt8]) throws(APDUError) {
        guard (2...33).contains(bytes.count) else {
            throw APDUError(reason: "an ATR has 2 to 33 bytes, not \(bytes.count)", offset: 0)
        }
        guard bytes[0] == 0x3B || bytes[0] == 0x3F else {
            throw APDUError(reason: "TS is neither 3B nor 3F", offset: 0)
        }
        var reader = Reader(bytes: bytes)
        let rounds = try reader.rounds(after: bytes[1])
        let historical = try reader.take(Int(bytes[1] & 0x0F), "historical bytes")
        let offered = rounds.compactMap { $0.td.map { Int($0 & 0x0F) } }.filter { $0 != 15 }
        let hasCheckByte = rounds.contains { $0.td.map { $0 & 0x0F != 0 } ?? false }
        checkByte = hasCheckByte ? try reader.take(1, "TCK").first : nil
        guard reader.position == bytes.count else {
            throw APDUError(reason: "bytes follow the ATR", offset: reader.position)
        }
        isCheckByteRight = !hasCheckByte || bytes.dropFirst().reduce(0, ^) == 0
        (self.bytes, isDirect, interfaceBytes) = (bytes, bytes[0] == 0x3B, rounds)
        (historicalBytes, protocols) = (Array(historical), offered.isEmpty ? [0] : offered)
    }

    private struct Reader {
        let bytes: [UInt8]
        var position = 2

        mutating func rounds(after t0: UInt8) throws(APDUError) -> [InterfaceBytes] {
            var rounds: [InterfaceBytes] = []
            var announced: UInt8? = t0
            while let flags = announced, flags & 0xF0 != 0 {
                let ta = try take(flags & 0x10 == 0 ? 0 : 1, "TA").first
                let tb = try take(flags & 0x20 == 0 ? 0 : 1, "TB").first
                let tc = try take(flags & 0x40 == 0 ? 0 : 1, "TC").first
                announced = try take(flags & 0x80 == 0 ? 0 : 1, "TD").first
                rounds.append(InterfaceBytes(ta: ta, tb: tb, tc: tc, td: announced))
            }
            return rounds
        }

        mutating func take(_ count: Int, _ what: String) throws(APDUError) -> ArraySlice<UInt8> {
            guard count <= bytes.count - position else {
                throw APDUError(reason: "the ATR ends before its \(what)", offset: bytes.count)
            }
            defer { position += count }
            return bytes[position..<position + count]
        }
    }
}

/// What a contactless reader says about the card in the ATR that it makes up (PC/SC part 3, 3.1.3.2.3).
extension ATR {
    /// A storage card: `80 4F 0C A0 00 00 03 06 SS NN NN 00 00 00 00` in the historical bytes.
    public struct StorageCard: Hashable, Sendable {
        /// The standard, such as 3 for ISO/IEC 14443-3 type A (PC/SC part 3 supplement).
        public let standard: UInt8
        /// The card's name, such as 0x0001 for MIFARE Classic 1K.
        public let name: UInt16
    }

    /// Whether a contactless reader made it up: T=0 and T=1 offered by `80 01` and nothing else.
    public var isContactless: Bool {
        bytes.count >= 5 && bytes[1] & 0xF0 == 0x80 && bytes[2] == 0x80 && bytes[3] == 0x01
    }

    /// The storage card that is named, or nil, as for phones and payment cards.
    public var storageCard: StorageCard? {
        let prefix: [UInt8] = [0x80, 0x4F, 0x0C, 0xA0, 0x00, 0x00, 0x03, 0x06]
        guard isContactless, historicalBytes.count >= 11, historicalBytes.starts(with: prefix) else { return nil }
        let name = UInt16(historicalBytes[9]) << 8 | UInt16(historicalBytes[10])
        return StorageCard(standard: historicalBytes[8], name: name)
    }
}
