// SPDX-License-Identifier: Apache-2.0

import APDUTrace
import BERTLV
import CardTesting
import Foundation
import ISO7816
import Testing

/// A card made up for these tests, with a number outside the published test ranges.
enum PlantedCard {
    static let account = "4929123456781236"
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

    @Test("format 1 answers: places by command")
    func format1() throws {
        let cryptogram = "A1B2C3D4E5F60718"
        let trace = try PlantedCard.trace([
            PlantedCard.select, ("80A8000002830000", "800A598008010100100101019000"),
            ("80AE8000021234", "8012" + "800035" + cryptogram + "06011203A0B800" + "9000"),
            ("008800000401020304", "8008" + cryptogram + "9000"),
        ])
        let answers = redactor.redact(trace).exchanges.map { Hex.encode($0.response) }
        #expect(answers[1] == "800A598008010100100101019000")
        #expect(answers[2] == "8012" + "800035" + "0000000000000000" + "06000000200000" + "9000")
        #expect(answers[3] == "8008" + "0000000000000000" + "9000")
    }

    @Test("a value that straddles 61xx and GET RESPONSE; live and afterwards the same", arguments: 1..<60)
    func chained(_ cut: Int) throws {
        let record = try Hex.decode(PlantedCard.record.1).dropLast(2)
        let place = record.count * cut / 60
        let (first, second) = (Hex.encode(record.prefix(place)), Hex.encode(record.dropFirst(place)))
        let trace = try PlantedCard.trace([
            PlantedCard.select, ("00B2010C00", first + "6100"), ("00C0000000", second + "9000"),
        ])
        let redacted = redactor.redact(trace)
        let joined = redacted.exchanges.dropFirst().flatMap { $0.response.dropLast(2) }
        let whole = try PlantedCard.trace([PlantedCard.select, PlantedCard.record])
        #expect(joined == Array(redactor.redact(whole).exchanges[1].response.dropLast(2)))
        #expect(redactor.redact(redacted) == redacted)
        let recorder = TraceRecorder(redactor: redactor)
        let channel = recorder.recording(ScriptedChannel(trace.exchanges.map { .answer($0.response) }))
        for exchange in trace.exchanges { _ = try channel.transmit(exchange.command) }
        let live = recorder.trace
        for secret in PlantedCard.secrets {
            #expect(!Hex.encode(live.exchanges.dropFirst().flatMap { $0.response.dropLast(2) }).contains(secret))
        }
        #expect(redactor.redact(live) == live)
    }

    @Test(
        "a planted number is caught: in half bytes, odd or even, in characters, among other digits, in comments, in commands"
    )
    func planted() throws {
        let account = PlantedCard.account
        let text = Hex.encode(Array(account.utf8))
        let places = [
            "DF01" + "08" + account, "DF01" + "0A" + "A" + account + "BCD", "FFFFFF" + account + "FF",
            "DF02" + "10" + text, "C1" + "0B" + "123" + account + "456", "7E00" + text + "3E3E",
            "DF0318" + Hex.encode(Array(";\(account)=2703201".utf8)),
            "E1E2E3" + account + "D27032011234567890", "570800" + account,
        ]
        for place in places {
            for (command, response) in [("80CA000000", place + "9000"), ("00DC010CFF", "")] {
                let bytes =
                    response.isEmpty ? [UInt8(0), 0xDC, 1, 0x0C, UInt8(place.count / 2)] : try Hex.decode(command)
                let data = response.isEmpty ? try Hex.decode(place) : []
                var trace = APDUTrace()
                trace.taps = [
                    .init(exchanges: [
                        TraceExchange(
                            command: bytes + data, response: response.isEmpty ? [0x90, 0] : try Hex.decode(response))
                    ])
                ]
                let redacted = redactor.redact(trace)
                #expect(!Self.holds(account, redacted), "\(place)")
                #expect(redactor.redact(redacted) == redacted)
            }
        }
        let grouped = "4929 1234 5678 1236"
        var trace = try PlantedCard.trace(
            [PlantedCard.select], comments: ["card \(account)", grouped, "5A08\(account)"])
        trace.header.what = "\(account) tapped"
        let written = redactor.redact(trace).text()
        #expect(!written.contains(account) && !written.contains(grouped))
    }

    /// In half bytes or characters, at any place.
    static func holds(_ account: String, _ trace: APDUTrace) -> Bool {
        let text = Hex.encode(Array(account.utf8))
        return trace.exchanges.contains { exchange in
            [exchange.command, exchange.response].contains { bytes in
                let hex = Hex.encode(bytes)
                return hex.contains(account) || hex.contains(text)
            }
        }
    }

    @Test("random objects, random cuts: no sensitive value survives, lengths stay, twice is once, nothing traps")
    func random() throws {
        var random = SeededRandom(seed: 3)
        for _ in 0..<400 {
            let account = Self.account(&random)
            var secrets: [String] = []
            let response = Self.tree(&random, account, depth: 0, &secrets)
            let cut = Int.random(in: 0...response.count, using: &random)
            let (first, second) = (Array(response.prefix(cut)), Array(response.dropFirst(cut)))
            var trace = APDUTrace()
            trace.taps = [
                .init(exchanges: [
                    TraceExchange(command: [0, 0xB2, 1, 0x0C, 0], response: first + [0x61, 0]),
                    TraceExchange(command: [0, 0xC0, 0, 0, 0], response: second + [0x90, 0]),
                    TraceExchange(command: [0, 0xB2, 2, 0x0C, 0], response: first + [0x90, 0]),
                ])
            ]
            let redacted = redactor.redact(trace)
            let joined = Hex.encode(
                redacted.exchanges[0].response.dropLast(2) + redacted.exchanges[1].response.dropLast(2))
            for secret in secrets { #expect(!joined.contains(secret)) }
            #expect(redacted.exchanges.map(\.response.count) == trace.exchanges.map(\.response.count))
            #expect(redactor.redact(redacted) == redacted)
        }
    }

    private static func account(_ random: inout SeededRandom) -> String {
        let prefix = ["4929", "5375", "2720", "6221", "6504"].randomElement(using: &random) ?? "4929"
        let body = prefix + (0..<11).map { _ in String(Int.random(in: 0...9, using: &random)) }.joined()
        return (0...9).map { body + String($0) }.first(where: AccountNumber.isLuhnValid) ?? body
    }

    private static func tree(
        _ random: inout SeededRandom, _ account: String, depth: Int, _ secrets: inout [String]
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            let value: [UInt8]
            let tag: TLVTag
            switch Int.random(in: 0...6, using: &random) {
            case 0: (tag, value) = (0x5A, (try? Hex.decode(account)) ?? [])
            case 1: (tag, value) = (0x57, (try? Hex.decode(account + "D27032011234567890" + "1F")) ?? [])
            case 2: (tag, value) = (0xDF20, Array(account.utf8))
            case 3: (tag, value) = (0x9F26, (0..<8).map { _ in UInt8.random(in: 1...255, using: &random) })
            case 4: (tag, value) = (0xDF21, (0..<20).map { _ in UInt8.random(in: 0...255, using: &random) })
            case 5 where depth < 3:
                (tag, value) = (0xA5, tree(&random, account, depth: depth + 1, &secrets))
            default: (tag, value) = (0x9F36, [0, 1])
            }
            if [0x5A, 0x57, 0xDF20, 0x9F26].contains(tag) { secrets.append(Hex.encode(value)) }
            bytes += TLVBuilder.build { $0.append(tag, value) }
        }
        return bytes
    }

    @Test("a pass exchange stays as it is")
    func pass() throws {
        for trace in try TraceFiles.discover().map(\.trace) {
            #expect(redactor.redact(trace).exchanges == trace.exchanges)
        }
    }

    @Test("test cards are kept where that is asked for, and no others")
    func testCards() throws {
        let keeping = TraceRedactor.allowingTestCards
        let other = try PlantedCard.trace([PlantedCard.select, PlantedCard.record])
        #expect(
            keeping.refusals(in: other) == ["492912******1236"]
                && !keeping.redact(other).text().contains(PlantedCard.account))
        let record = PlantedCard.objects([(0x5A, "4111111111111111"), (0x9F26, "A1B2C3D4E5F60718")])
        let test = try PlantedCard.trace([PlantedCard.select, ("00B2010C00", record + "9000")])
        #expect(keeping.refusals(in: test).isEmpty && keeping.redact(test) == test)
        #expect(redactor.redact(test) != test)
    }

    @Test(
        "nothing sensitive of a vector trace survives",
        .enabled(if: Vectors.root != nil, "COUNTERTOP_VECTORS is not set"))
    func vectors() throws {
        let sensitive: Set<TLVTag> = [
            0x57, 0x5A, 0x56, 0x9F6B, 0x5F20, 0x9F1F, 0x9F20, 0x9F24, 0x9F0B, 0x9F10, 0x9F26, 0x9F4B, 0x93, 0x9F46,
        ]
        for file in Vectors.traces {
            let trace = try TraceImport(file: file, redactor: nil).trace
            let redacted = redactor.redact(trace)
            #expect(redactor.redact(redacted) == redacted, "\(file)")
            let text = redacted.text()
            for exchange in trace.exchanges where exchange.command.prefix(2) != [0x80, 0xCA] {
                guard exchange.command.dropFirst(5).prefix(10) != AID.valueAddedServices.bytes[...] else { continue }
                let trees = (try? TLVTree.read(Array(exchange.response.dropLast(2)), rules: .lenient)) ?? []
                for object in trees.flatMap(Self.leaves) where sensitive.contains(object.tag) {
                    let hex = Hex.encode(object.value)
                    guard Set(object.value).count > 3, object.value.count > 3 else { continue }
                    #expect(!text.contains(hex), "\(file) \(object.tag)")
                }
            }
        }
    }

    private static func leaves(_ tree: TLVTree) -> [TLV] {
        tree.object.tag.isConstructed ? tree.children.flatMap(leaves) : [tree.object]
    }
}
