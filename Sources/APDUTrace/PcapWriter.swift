// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Writes traces as pcap files of link type 264 (`LINKTYPE_ISO_14443`), which Wireshark and tshark take apart.
///
/// APDUs are put into ISO-DEP blocks with check bytes as they went over the air, field on and off around each tap.
/// Times are the trace's; what it does not tell takes a millisecond.
public struct PcapWriter: Sendable {
    /// The link type's number (tcpdump.org, link-layer header types).
    public static let linkType: UInt32 = 264
    /// Bytes of an APDU in one block: frames have 256 at most, with prologue and check bytes (ISO/IEC 14443-4, 5.2.3).
    static let blockSize = 253

    /// Events of the pseudo-header (kaiser.cx, "pcap for ISO 14443", link type 264).
    private enum Event: UInt8 {
        case fieldOn = 0xFC
        case fieldOff = 0xFD
        case toCard = 0xFE
        case toReader = 0xFF
    }

    private var bytes: [UInt8] = []
    private var microseconds: UInt64
    /// The reader's block number.
    private var number: UInt8 = 0

    private init(_ start: Date) {
        microseconds = UInt64(max(0, min(start.timeIntervalSince1970, 4_000_000_000)) * 1_000_000)
        // Byte order and microseconds, version 2.4, zone, accuracy, longest packet, link type.
        let words: [UInt32] = [0xA1B2_C3D4, 0x0004_0002, 0, 0, 65_535, Self.linkType]
        for word in words { append(word) }
    }

    /// A whole trace.
    ///
    /// - Parameter start: when the first tap began; a trace does not say.
    public static func bytes(of trace: APDUTrace, startingAt start: Date = Date(timeIntervalSince1970: 0)) -> [UInt8] {
        var writer = PcapWriter(start)
        for tap in trace.taps { writer.write(tap) }
        return writer.bytes
    }

    private mutating func write(_ tap: APDUTrace.Tap) {
        packet(.fieldOn, [])
        number = 0
        for exchange in tap.exchanges {
            microseconds += 1_000
            command(exchange.command)
            microseconds += UInt64(min(max(exchange.milliseconds ?? 1, 0), 86_400_000)) * 1_000
            response(exchange.response)
        }
        if let lost = tap.lost {
            microseconds += 1_000
            command(lost.command)
        }
        microseconds += 1_000
        packet(.fieldOff, [])
        microseconds += 1_000_000
    }

    private static func parts(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        stride(from: 0, to: max(bytes.count, 1), by: blockSize).map { bytes[$0..<min($0 + blockSize, bytes.count)] }
    }

    /// The reader's blocks; each but the last is acknowledged (ISO/IEC 14443-4, 7.5).
    private mutating func command(_ command: [UInt8]) {
        let parts = Self.parts(command)
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            frame(.toCard, [0x02 | (isLast ? 0 : 0x10) | number] + part)
            if !isLast {
                frame(.toReader, [0xA2 | number])
                number ^= 1
            }
        }
    }

    /// The card's blocks bear the number of the reader's last.
    private mutating func response(_ response: [UInt8]) {
        let parts = Self.parts(response)
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            frame(.toReader, [0x02 | (isLast ? 0 : 0x10) | number] + part)
            number ^= 1
            if !isLast { frame(.toCard, [0xA2 | number]) }
        }
    }

    private mutating func frame(_ event: Event, _ block: [UInt8]) {
        microseconds += 100
        packet(event, block + ISO14443.crcA(block))
    }

    /// Version 0, event, length with the high byte first.
    private mutating func packet(_ event: Event, _ data: [UInt8]) {
        let length = UInt16(truncatingIfNeeded: data.count)
        let packet = [0, event.rawValue, UInt8(length >> 8), UInt8(length & 0xFF)] + data
        append(UInt32(truncatingIfNeeded: microseconds / 1_000_000))
        append(UInt32(truncatingIfNeeded: microseconds % 1_000_000))
        append(UInt32(truncatingIfNeeded: packet.count))
        append(UInt32(truncatingIfNeeded: packet.count))
        bytes += packet
    }

    private mutating func append(_ word: UInt32) {
        for shift in stride(from: UInt32(0), to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
    }
}
