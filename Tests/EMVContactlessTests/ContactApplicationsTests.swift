// SPDX-License-Identifier: Apache-2.0

import BERTLV
import ISO7816
import Testing

@testable import EMVContactless

/// The names and rules of the vectors' terminal.
private let known = [
    ContactApplications.Known(hex("A0000000031010"), allowsPartialSelection: true),
    ContactApplications.Known(hex("A0000000032010"), allowsPartialSelection: false),
    ContactApplications.Known(hex("A0000000032020"), allowsPartialSelection: false),
    ContactApplications.Known(hex("A0000000041010"), allowsPartialSelection: true),
    ContactApplications.Known(hex("A0000000043060"), allowsPartialSelection: true),
]

/// Answers the recorded commands in their order; any other command is a fault.
private final class StrictChannel: CardChannel {
    private var rest: ArraySlice<Exchange>
    private(set) var unexpected: [[UInt8]] = []

    init(_ exchanges: [Exchange]) { rest = exchanges[...] }

    var isUsedUp: Bool { rest.isEmpty }

    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        guard let next = rest.popFirst(), next.command == command else {
            unexpected.append(command)
            return [0x6F, 0x00]
        }
        return next.response
    }
}

@Suite("Applications on the contact interface")
struct ContactApplicationsTests {
    private func run(_ exchanges: [(String, String)]) throws -> (ContactApplications, StrictChannel) {
        let channel = StrictChannel(exchanges.map { Exchange(hex($0.0), hex($0.1)) })
        return (try ContactApplications(known: known, over: channel), channel)
    }

    /// Every case of every file of this kind: exactly the recorded commands are sent, in their order.
    @Test("Directory and list of names", .enabled(if: Vectors.isAvailable, "COUNTERTOP_VECTORS is not set"))
    func vectors() throws {
        let files = Vectors.files("cases").filter { $0.hasPrefix("pse-candidate-list") }
        #expect(!files.isEmpty)
        for row in files.flatMap({ Vectors.load("cases/" + $0)["cases"].elements }) {
            let id = row["id"].string ?? ""
            let channel = StrictChannel(row["exchanges"].elements.map { Exchange($0) })
            let result = try ContactApplications(known: known, over: channel)
            #expect(channel.unexpected.isEmpty && channel.isUsedUp, "\(id)")
            #expect(result.isCardBlocked == id.contains("card_blocked"), "\(id)")
            let isEmpty = ["blocked", "nothing", "not_supported"].contains { id.contains($0) }
            #expect(result.applications.isEmpty == isEmpty, "\(id)")
            #expect(result.needsCardholder == ["multi", "sorted", "confirm"].contains { id.contains($0) }, "\(id)")
            if id.contains("sorted") {
                let labels = result.applications.map(\.label)
                #expect(labels == (1...max(1, labels.count)).map { "APP \($0)" }, "\(id)")
            }
        }
    }

    private static let directory =
        ("00A404000E315041592E5359532E444446303100", "6F15840E315041592E5359532E4444463031A5038801029000")

    @Test("A name that begins several applications is selected until the card has no more")
    func partial() throws {
        let (select, next) = ("00A4040007A000000004101000", "00A4040207A000000004101000")
        let (result, channel) = try run([
            ("00A404000E315041592E5359532E444446303100", "6A82"), ("00A4040007A000000003101000", "6A82"),
            ("00A4040007A000000003201000", "6A82"), ("00A4040007A000000003202000", "6A82"),
            (select, "6F0F8408A000000004101010A5038701829000"), (next, "6F0F8408A000000004101020A5038701019000"),
            (next, "6A82"), ("00A4040007A000000004306000", "6F0B8407A0000000043060A5009000"),
        ])
        #expect(channel.unexpected.isEmpty && channel.isUsedUp)
        #expect(result.applications.map(\.priority) == [1, 2, nil])
        #expect(result.applications.map(\.needsConfirmation) == [false, true, false] && result.needsCardholder)
    }

    @Test("A card that never ends, and one that repeats a name, are left")
    func endless() throws {
        final class Endless: CardChannel {
            func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
                command[1] == 0xA4 && command[4] == 7
                    ? hex("6F0F8408") + command[5..<12] + hex("10A5038701019000") : hex("70009000")
            }
        }
        let result = try ContactApplications(known: known, over: Endless())
        #expect(result.applications.count == 3 * 16)
    }

    @Test("A damaged directory falls back to the names; another file is read where it says so")
    func damaged() throws {
        let names = [
            "00A4040007A000000003101000", "00A4040007A000000003201000", "00A4040007A000000003202000",
            "00A4040007A000000004101000", "00A4040007A000000004306000",
        ].map { ($0, "6A82") }
        for record in ["71009000", "6985", "7003FF9000", "7000709000"] {
            let (result, channel) = try run([Self.directory, ("00B2011400", record)] + names)
            #expect(channel.unexpected.isEmpty && channel.isUsedUp && result.applications.isEmpty, "\(record)")
        }
        let entry = "700E610C4F07A00000000310108701819000"
        let (result, _) = try run([Self.directory, ("00B2011400", entry), ("00B2021400", "6A83")])
        #expect(result.applications.map(\.name) == [hex("A0000000031010")] && result.needsCardholder)
    }

    @Test("Never traps, whatever the card answers")
    func random() {
        var generator = SeededGenerator(5)
        for _ in 0..<400 {
            let exchanges = (0..<20).map { _ in Exchange([], generator.bytes(0...40) + [0x90, 0x00]) }
            _ = try? ContactApplications(known: known, over: ScriptChannel(exchanges, otherwise: [0x6A, 0x82]))
        }
    }
}
