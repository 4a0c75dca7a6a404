// SPDX-License-Identifier: Apache-2.0

import Foundation
import ISO7816
import Testing

@testable import PCSC

@Suite("Errors and selection")
struct PCSCErrorTests {
    @Test("Every code of the installed header is in the table, by name")
    func header() throws {
        let path = "/usr/include/PCSC/pcsclite.h"
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return }
        let pattern = /#define\s+(SCARD_[A-Z]_\w+)\s+\(\(LONG\)0x([0-9A-Fa-f]{8})\)/
        let found = text.matches(of: pattern)
        #expect(found.count > 50)
        for match in found where match.1 != "SCARD_E_UNSUPPORTED_FEATURE" {
            let number = try #require(UInt32(match.2, radix: 16))
            #expect(PCSCError(rawCode: number).name == match.1)
        }
    }

    @Test("The table has no code twice; each has words")
    func table() {
        #expect(PCSCErrorRow.byCode.count == PCSCErrorRow.all.count)
        for row in PCSCErrorRow.all { #expect(!row.meaning.isEmpty) }
    }

    @Test(
        "Mapping keeps raw code and hint",
        arguments: [
            (0x8010_001D as UInt32, CardChannelError.Code.serviceGone), (0x8010_0069, .cardGone),
            (0x8010_000C, .noCard),
            (0x8010_000B, .interfered), (0x8010_0068, .interfered), (0x8010_0009, .readerGone),
            (0x8010_0002, .cancelled),
            (0x8010_000A, .timedOut), (0x8010_0016, .cardGone), (0x8010_006A, .serviceGone), (0xDEAD_BEEF, .other),
        ])
    func mapping(raw: UInt32, code: CardChannelError.Code) {
        let error = PCSCError(rawCode: raw)
        let mapped = CardChannelError(error)
        #expect(mapped.code == code)
        #expect(mapped.rawCode == raw)
        #expect(mapped.hint == error.hint)
    }

    @Test("Unknown codes keep their number; sign extension does not matter")
    func unknown() {
        #expect(PCSCError(rawCode: 0xDEAD_BEEF).name == "0xDEADBEEF")
        #expect(PCSCError(rawCode: 5).name == "0x00000005")
        #expect(pcscCode(-2_146_435_043) == PCSCError.noService)
        #expect(pcscCode(0x8010_001D) == PCSCError.noService)
    }

    @Test("Selection: first, exact, part, slots of one reader")
    func selection() throws {
        let names = ["ACS ACR122U 00 00", "Virtual PCD 00 00", "Virtual PCD 00 01", "Virtual PCD"]
        #expect(try PCSCReader.select(nil, from: names) == names[0])
        #expect(try PCSCReader.select("", from: names) == names[0])
        #expect(try PCSCReader.select("acr122", from: names) == names[0])
        #expect(try PCSCReader.select("virtual pcd", from: names) == names[3])
        #expect(try PCSCReader.select("PCD 00", from: names) == names[1])
        #expect(try PCSCReader.select("00 01", from: names) == names[2])
    }

    @Test("Selection: none, no match and ambiguity list the readers")
    func selectionErrors() {
        #expect(throws: PCSCError(rawCode: PCSCError.noReaders)) { try PCSCReader.select(nil, from: []) }
        for (text, raw) in [("xyz", PCSCError.unknownReader), ("ac", PCSCError.duplicateReader)] {
            do {
                _ = try PCSCReader.select(text, from: ["ACS A 00 00", "ACS B 00 00"])
                Issue.record("selected one")
            } catch {
                #expect(error.rawCode == raw)
                #expect(error.hint?.contains("“ACS A 00 00”, “ACS B 00 00”") == true)
            }
        }
    }

    /// The daemon keeps other clients from resetting a card in a transaction; a reset that began before can still end
    /// in it, and then says either of the two.
    @Test("A reset in the middle of an access is another program's", arguments: [0x8010_0068, 0x8010_000F] as [UInt32])
    func resetInTheMiddle(code: UInt32) {
        let error = PCSCCardChannel.channelError(of: code)
        #expect(error.code == .interfered)
        #expect(error.rawCode == PCSCError.resetCard)
        #expect(error.hint == PCSCErrorRow.otherProgram)
    }

    @Test("A card that is not there any more is gone", arguments: [0x8010_000C, 0x8010_0016, 0x8010_0069] as [UInt32])
    func goneInTheMiddle(code: UInt32) {
        let error = PCSCCardChannel.channelError(of: code)
        #expect(error.code == .cardGone)
        #expect(error.rawCode == code)
    }

    @Test("Recovery: nothing at first, then doubling pauses within the grace")
    func recovery() throws {
        var recovery = Recovery(grace: .seconds(3))
        let gone = CardChannelError(.serviceGone, reason: "gone")
        #expect(throws: CardChannelError.self) { try recovery.pause(after: gone) }
        recovery.succeeded()
        #expect(throws: CardChannelError.self) {
            try recovery.pause(after: CardChannelError(.readerGone, reason: "unplugged"))
        }
        let start = ContinuousClock.now
        #expect(try recovery.pause(after: gone, now: start) == .milliseconds(50))
        #expect(try recovery.pause(after: gone, now: start + .seconds(1)) == .milliseconds(100))
        let reader = CardChannelError(.readerGone, reason: "not back yet")
        #expect(try recovery.pause(after: reader, now: start + .seconds(2)) == .milliseconds(200))
        #expect(throws: CardChannelError.self) { try recovery.pause(after: gone, now: start + .seconds(3)) }
    }
}
