// SPDX-License-Identifier: Apache-2.0

import APDUTrace
import CardTesting
import Foundation
import ISO7816
import TestSupport
import Testing

@Suite("Export to pcap")
struct PcapTests {
    static let tshark = ["/usr/bin/tshark", "/usr/local/bin/tshark"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    private func trace() throws -> APDUTrace {
        let long = [UInt8](repeating: 0x11, count: 600)
        var trace = try PlantedCard.trace([PlantedCard.select, PlantedCard.record])
        trace.taps[0].exchanges.append(
            TraceExchange(
                command: [0x00, 0xD6, 0, 0, 0, 0x02, 0x58] + long, response: long + [0x90, 0], milliseconds: 40))
        trace.taps.append(APDUTrace.Tap(lost: LostCommand(command: [0x00, 0xB2, 0x01, 0x0C, 0x00])))
        return trace
    }

    @Test("header, link type, one record for each frame")
    func bytes() throws {
        let bytes = PcapWriter.bytes(of: try trace())
        #expect(Array(bytes.prefix(4)) == [0xD4, 0xC3, 0xB2, 0xA1])
        #expect(Array(bytes[20..<24]) == [0x08, 0x01, 0, 0])
        var (position, events): (Int, [UInt8]) = (24, [])
        while position + 16 <= bytes.count {
            let length = bytes[position + 8..<position + 12].reversed().reduce(0) { $0 << 8 | Int($1) }
            events.append(bytes[position + 17])
            #expect(Int(bytes[position + 18]) << 8 | Int(bytes[position + 19]) == length - 4)
            #expect(length - 4 <= 256)
            position += 16 + length
        }
        #expect(position == bytes.count)
        #expect(events.filter { $0 == 0xFC }.count == 2 && events.filter { $0 == 0xFD }.count == 2)
        // Three commands; the long one in three blocks each way, with an acknowledgement after all but the last.
        #expect(events.filter { $0 == 0xFE }.count == 2 + 3 + 2 + 1 && events.filter { $0 == 0xFF }.count == 2 + 2 + 3)
    }

    @Test("tshark takes the blocks and the APDUs in them apart", .enabled(if: tshark != nil, "tshark is not installed"))
    func dissection() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("tap.pcap", PcapWriter.bytes(of: try trace()))
        func run(_ arguments: [String]) throws -> String {
            let subdissector = ["-r", file, "-d", "iso14443.subdissector,iso7816"]
            return String(
                decoding: try Outside.run(Self.tshark, subdissector + arguments, in: folder), as: UTF8.self)
        }
        let lines = try run([])
        for words in [
            "Field on", "Field off", "Select file", "Response APDU (to Select file)", "Read record, EF 1, record 1",
            "Update binary",
        ] { #expect(lines.contains(words), "\(words) in \(lines)") }
        #expect(try run(["-Y", "_ws.malformed"]).isEmpty)
        #expect(try run(["-Y", "iso14443.crc.status == \"Bad\" || iso14443.crc.status == 0"]).isEmpty)
    }
}
