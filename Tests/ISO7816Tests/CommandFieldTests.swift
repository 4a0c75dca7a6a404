// SPDX-License-Identifier: Apache-2.0

import ISO7816
import Testing

/// A command in hex with the fields it must show.
struct FieldRow: Sendable, CustomTestStringConvertible {
    let head: String
    var count = 0
    var tail = ""
    let apduCase: Int
    let dataStart: Int
    var ne: Int?
    var isExtended = false

    var testDescription: String { "\(head)…\(count)…\(tail)" }

    func bytes() throws -> [UInt8] {
        try Hex.decode(head) + [UInt8](repeating: 0xD5, count: count) + Hex.decode(tail)
    }

    /// All cases of ISO/IEC 7816-3, 12.1.3, at the limits of their lengths.
    static let all = [
        FieldRow(head: "00A4040C", apduCase: 1, dataStart: 4),
        FieldRow(head: "00B0000001", apduCase: 2, dataStart: 5, ne: 1),
        FieldRow(head: "00B00000FF", apduCase: 2, dataStart: 5, ne: 255),
        FieldRow(head: "00B0000000", apduCase: 2, dataStart: 5, ne: 256),
        FieldRow(head: "00D6000001", count: 1, apduCase: 3, dataStart: 5),
        FieldRow(head: "00D60000FF", count: 255, apduCase: 3, dataStart: 5),
        FieldRow(head: "80CA010101", count: 1, tail: "01", apduCase: 4, dataStart: 5, ne: 1),
        FieldRow(head: "80CA0101FF", count: 255, tail: "00", apduCase: 4, dataStart: 5, ne: 256),
        FieldRow(head: "00B00000000001", apduCase: 2, dataStart: 7, ne: 1, isExtended: true),
        FieldRow(head: "00B0000000FFFF", apduCase: 2, dataStart: 7, ne: 65_535, isExtended: true),
        FieldRow(head: "00B00000000000", apduCase: 2, dataStart: 7, ne: 65_536, isExtended: true),
        FieldRow(head: "00D60000000001", count: 1, apduCase: 3, dataStart: 7, isExtended: true),
        FieldRow(head: "00D60000000100", count: 256, apduCase: 3, dataStart: 7, isExtended: true),
        FieldRow(head: "00D6000000FFFF", count: 65_535, apduCase: 3, dataStart: 7, isExtended: true),
        FieldRow(head: "00DA0000000001", count: 1, tail: "0100", apduCase: 4, dataStart: 7, ne: 256, isExtended: true),
        FieldRow(
            head: "00DA000000FFFF", count: 65_535, tail: "0000", apduCase: 4, dataStart: 7, ne: 65_536,
            isExtended: true),
    ]
}

@Suite("Fields of commands")
struct CommandFieldTests {
    @Test("every case and form, at the limits", arguments: FieldRow.all)
    func fields(row: FieldRow) throws {
        let bytes = try row.bytes()
        let command = try CommandAPDU(bytes)
        #expect(command.bytes == bytes)
        #expect([command.cla, command.ins, command.p1, command.p2] == Array(bytes.prefix(4)))
        #expect(command.apduCase == row.apduCase && command.isExtended == row.isExtended)
        #expect(command.ne == row.ne)
        // The data field of a command without one is an empty range; where it stands says nothing.
        if row.count > 0 { #expect(command.dataRange == row.dataStart..<row.dataStart + row.count) }
        #expect(Array(command.data) == [UInt8](repeating: 0xD5, count: row.count))
    }

    @Test("building from the fields that were read gives the same bytes", arguments: FieldRow.all)
    func rebuilt(row: FieldRow) throws {
        let read = try CommandAPDU(try row.bytes())
        let built = try CommandAPDU(
            cla: read.cla, ins: read.ins, p1: read.p1, p2: read.p2, data: read.data, ne: read.ne,
            extended: read.isExtended)
        #expect(built.bytes == read.bytes)
        #expect(built.apduCase == read.apduCase && built.isExtended == read.isExtended && built.ne == read.ne)
        #expect(built.data == read.data)
    }

    @Test("one byte more or less is no command of the same fields", arguments: FieldRow.all)
    func lengths(row: FieldRow) throws {
        let bytes = try row.bytes()
        let whole = try CommandAPDU(bytes)
        for other in [Array(bytes.dropLast()), bytes + [0x01]] {
            guard let command = try? CommandAPDU(other) else { continue }
            #expect(command != whole && command.bytes == other)
            #expect(command.apduCase != whole.apduCase || command.isExtended != whole.isExtended)
        }
    }

    @Test("commands are equal by their bytes, however they were made")
    func equality() throws {
        let read = try CommandAPDU(try Hex.decode("00A404000A4F53452E5641532E303100"))
        #expect(read == .select(.valueAddedServices))
        #expect(read.hashValue == CommandAPDU.select(.valueAddedServices).hashValue)
        #expect(Set([read, .select(.valueAddedServices), .select(.proximityPaymentSystem)]).count == 2)
        // The same fields in the other form are other bytes.
        let extended = try CommandAPDU(
            cla: 0, ins: 0xA4, p1: 4, p2: 0, data: AID.valueAddedServices.bytes, ne: 256, extended: true)
        #expect(extended != read && extended.data == read.data && extended.ne == read.ne)
    }

    @Test("extended form is never asked of a bare header")
    func bareHeader() throws {
        let bare = try CommandAPDU(cla: 0, ins: 0xA4, p1: 0, p2: 0, extended: true)
        #expect(bare.bytes == [0, 0xA4, 0, 0] && !bare.isExtended && bare.apduCase == 1)
    }

    @Test("what does not fit says what is wrong and where")
    func refusals() throws {
        let long = #expect(throws: APDUError.self) {
            try CommandAPDU(cla: 0, ins: 0, p1: 0, p2: 0, data: [UInt8](repeating: 0, count: 65_536))
        }
        #expect(long?.description == "APDU: more than 65,535 data bytes at offset 4")
        for ne in [Int.min, -1, 0, 65_537, Int.max] {
            #expect(throws: APDUError.self) { try CommandAPDU(cla: 0, ins: 0, p1: 0, p2: 0, ne: ne) }
        }
        let short = #expect(throws: APDUError.self) { try CommandAPDU([0, 0xA4]) }
        #expect(short?.reason.contains("not 2") == true && short?.offset == 2)
    }

    @Test("a response is split before its status word")
    func response() throws {
        let response = try ResponseAPDU([0x01, 0x02, 0x6A, 0x83])
        #expect(response.data == [1, 2] && response.status == 0x6A83)
        #expect(response == ResponseAPDU(data: [1, 2], status: 0x6A83))
        #expect(try ResponseAPDU([0x90, 0x00]).data.isEmpty)
        #expect(ResponseAPDU(status: .success).bytes == [0x90, 0x00])
        for bytes in [[], [0x90]] as [[UInt8]] {
            let error = #expect(throws: APDUError.self) { try ResponseAPDU(bytes) }
            #expect(error?.offset == bytes.count)
        }
    }
}
