// SPDX-License-Identifier: Apache-2.0

import APDUTrace
import BERTLV
import CardTesting
import Foundation
import ISO7816
import Testing

/// A card made up for these tests, with a number outside the published test ranges.
enum PlantedCard {
    static let account = "4929123456781232"
    static let name = "PLANTED/PERSON"

    /// Records in clear: what must not be found anywhere afterwards.
    static let secrets = [
        account, "D2703201", "2703310", Hex.encode(Array(name.utf8)), "A1B2C3D4E5F60718", "0F0E0D0C0B0A0908",
    ]

    static func objects(_ pairs: [(TLVTag, String)], in template: TLVTag? = 0x70) -> String {
        let bytes = TLVBuilder.build { builder in
            let write = { (builder: inout TLVBuilder) in
                for (tag, value) in pairs { builder.append(tag, (try? Hex.decode(value)) ?? []) }
            }
            if let template { builder.append(template, building: write) } else { write(&builder) }
        }
        return Hex.encode(bytes)
    }

    static func trace(_ exchanges: [(String, String)], comments: [String] = []) throws -> APDUTrace {
        var trace = APDUTrace()
        trace.taps = [
            APDUTrace.Tap(
                exchanges: try exchanges.map { command, response in
                    TraceExchange(
                        command: try Hex.decode(command), response: try Hex.decode(response), comments: comments)
                })
        ]
        return trace
    }

    static let select = (
        "00A4040007A000000003101000",
        objects([(0x84, "A0000000031010")], in: 0x6F) + "9000"
    )
    static let record = (
        "00B2010C00",
        objects([
            (0x57, account + "D27032011234567890" + "1F"), (0x5A, account), (0x5F24, "270331"),
            (0x5F20, Hex.encode(Array(name.utf8))), (0x9F26, "A1B2C3D4E5F60718"), (0x9F10, "06011203A0B800"),
            (0x9F4B, String(repeating: "0F0E0D0C0B0A0908", count: 12)), (0x9F1F, Hex.encode(Array("12345".utf8))),
        ]) + "9000"
    )
}

@Suite("Redactor")
struct TraceRedactorTests {
    private let redactor = TraceRedactor(now: { Date(timeIntervalSince1970: 1_780_000_000) })

    @Test("tags of a record: nothing is left, lengths stay, number and track agree")
    func record() throws {
        let trace = try PlantedCard.trace([PlantedCard.select, PlantedCard.record])
        let redacted = redactor.redact(trace)
        let text = redacted.text()
        for secret in PlantedCard.secrets { #expect(!text.contains(secret), "\(secret)") }
        #expect(redacted.exchanges.map(\.response.count) == trace.exchanges.map(\.response.count))
        #expect(redacted.exchanges.map(\.command) == trace.exchanges.map(\.command))
        let objects = try TLVTree.read(Array(redacted.exchanges[1].response.dropLast(2)))[0].children.map(\.object)
        let account = AccountNumber.digits(try #require(objects.first(0x5A)?.bytes))
        #expect(AccountNumber.isLuhnValid(account) && TestCards.contains(pan: account) && account.hasPrefix("4"))
        let track = Hex.encode(try #require(objects.first(0x57)?.bytes))
        #expect(track == account + "D491220100000000000F")
        #expect(objects.first(0x5F24)?.bytes == [0x49, 0x12, 0x31])
        #expect(objects.first(0x9F10)?.bytes == [6, 0, 0, 0, 0x20, 0, 0])
        #expect(redacted.header["REDACTED"] != nil)
        #expect(redactor.redact(redacted) == redacted)
        #expect(try APDUTrace(parsing: text) == redacted)
    }
}
