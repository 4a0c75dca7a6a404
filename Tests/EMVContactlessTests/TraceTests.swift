// SPDX-License-Identifier: Apache-2.0

import BERTLV
import Foundation
import ISO7816
import Testing

@testable import EMVContactless

/// A recorded card from the vectors.
struct RecordedTrace: Sendable, CustomTestStringConvertible {
    let name: String
    let json: JSON
    let exchanges: [Exchange]

    var testDescription: String { name }

    init(_ file: String) {
        (name, json) = (file, Vectors.load("traces/" + file))
        exchanges = json["exchanges"].elements.map { Exchange($0) }
    }

    static let all = Vectors.files("traces").filter { $0.hasSuffix(".json") }.map(RecordedTrace.init)

    /// Commands after the end of a card that is locked answer 6985.
    func channel(cut: Int = .max) -> ScriptChannel {
        let isLocked = name.contains("locked")
        return ScriptChannel(exchanges, otherwise: isLocked ? [0x69, 0x85] : [0x6A, 0x82], cut: cut)
    }

    /// Reads the card: from the PPSE, or by the name that the trace selects first.
    func read(_ entryPoint: EntryPoint, over channel: ScriptChannel) throws(EMVError) -> EMVReadResult? {
        guard let first = exchanges.first?.command, first.count > 5, first[1] == 0xA4 else { return nil }
        let name = Array(first[5..<min(first.count, 5 + Int(first[4]))])
        if name == AID.proximityPaymentSystem.bytes { return try entryPoint.read(over: channel) }
        let actives = entryPoint.preProcess().active.filter { name.starts(with: $0.combination.aid.bytes.prefix(5)) }
        return try entryPoint.process(actives.map { Candidate(direct: name, active: $0) }, over: channel)
    }
}

@Suite("Traces", .enabled(if: Vectors.isAvailable, "COUNTERTOP_VECTORS is not set"))
struct TraceTests {
    private var entryPoint: EntryPoint {
        var configuration = Setup.configuration()
        configuration.triesConfiguredNames = true
        return EntryPoint(configuration: configuration, transaction: Setup.transaction())
    }

    @Test("What a trace shows is what it is expected to show", arguments: RecordedTrace.all)
    func expected(_ trace: RecordedTrace) throws {
        var decoder = TranscriptDecoder()
        for exchange in trace.exchanges { decoder.observe(command: exchange.command, response: exchange.response) }
        let expected = trace.json["expected"]
        let data = decoder.data
        // A format 1 answer other than GPO's may be listed as such, or by its parts.
        let hasFormat1 = trace.exchanges.contains {
            $0.response.first == 0x80 && $0.command.count > 1 && $0.command[1] != 0xA8
        }
        let open: Set<String> = hasFormat1 ? ["80", "9F10", "9F26", "9F27", "9F36", "9F4B"] : []
        let tags = Set(expected["tags"].elements.compactMap(\.string))
        #expect(Set(data.tags.map(\.description)).subtracting(open) == tags.subtracting(open))
        #expect(decoder.application.map { Hex.encode($0) } == expected["dfName"].string)
        if let format = expected["gpoFormat"].string { #expect(decoder.processingOptionsFormat?.rawValue == format) }
        let objects: [(String, TLVTag)] = [
            ("aip", 0x82), ("afl", 0x94), ("cid", 0x9F27), ("atc", 0x9F36), ("expiry", 0x5F24), ("ctq", 0x9F6C),
            ("tag9F6C", 0x9F6C), ("tag9F6E", 0x9F6E), ("tag9F71", 0x9F71),
        ]
        for (name, tag) in objects {
            guard let value = expected[name].string else { continue }
            #expect(data.sensitiveBytes(of: tag).map { Hex.encode($0) } == value, "\(name)")
        }
        if let masked = expected["maskedPAN"].string { #expect(data.maskedPAN == masked) }
        if let luhn = expected["luhn"].bool { #expect(data.isPANValid == luhn) }
        checkDirectory(decoder.directory, expected["ppse"])
    }

    private func checkDirectory(_ directory: [DirectoryEntry], _ expected: JSON) {
        guard !expected.isNull else { return }
        #expect(directory.count == expected.elements.count)
        for (entry, row) in zip(directory, expected.elements) {
            for (tag, value) in row.members {
                let found = TLVTag(hex: tag).flatMap { tag in entry.objects.first { $0.tag == tag }?.bytes }
                #expect(found == value.hex, "\(tag)")
            }
        }
    }

    @Test(
        "A read ends with a typed outcome, and finds nothing that the trace does not hold", arguments: RecordedTrace.all
    )
    func read(_ trace: RecordedTrace) throws {
        guard let result = try trace.read(entryPoint, over: trace.channel()) else { return }
        #expect(result.outcome.value != .selectNext)
        #expect(!result.outcome.reason.text.isEmpty)
        // The cryptogram inside a CDA signature is the one object that is not in the clear.
        let tags =
            trace.json["expected"]["tags"].elements.compactMap(\.string) + [
                "9F26", "9F45", "9F27", "9F36", "9F10", "82", "94",
            ]
        for tag in result.data.tags { #expect(tags.contains(tag.description), "\(tag)") }
    }

    @Test("Cut at every command: a typed outcome or error, and the next tap works", arguments: RecordedTrace.all)
    func cut(_ trace: RecordedTrace) throws {
        let whole = trace.channel()
        let reference = try trace.read(entryPoint, over: whole)
        for cut in 0..<whole.sent.count {
            do throws(EMVError) {
                _ = try trace.read(entryPoint, over: trace.channel(cut: cut))
                Issue.record("cut at \(cut) went unnoticed")
            } catch {
                #expect(error.code == .channel && error.channelError?.code == .cardGone)
                #expect(!leaks("\(error)", reference))
            }
        }
        let again = try trace.read(entryPoint, over: trace.channel())
        #expect(again?.outcome == reference?.outcome)
    }

    @Test("Responses shortened or damaged: a typed outcome or error", arguments: RecordedTrace.all)
    func damaged(_ trace: RecordedTrace) throws {
        var generator = SeededGenerator(7)
        for round in 0..<60 where !trace.exchanges.isEmpty {
            let index = round % trace.exchanges.count
            var exchanges = trace.exchanges
            var response = exchanges[index].response
            if round.isMultiple(of: 2), !response.isEmpty {
                response[Int.random(in: 0..<response.count, using: &generator)] = generator.bytes(1...1)[0]
            } else {
                response = Array(response.prefix(Int.random(in: 0...response.count, using: &generator)))
            }
            exchanges[index] = Exchange(exchanges[index].command, response)
            let channel = ScriptChannel(exchanges, otherwise: [0x6A, 0x82])
            let result = try? trace.read(entryPoint, over: channel)
            if let result { #expect(!leaks("\(result.outcome)", result)) }
        }
    }

    /// Whether a text holds the PAN or a long part of track 2.
    private func leaks(_ text: String, _ result: EMVReadResult?) -> Bool {
        guard let pan = result?.data.pan, pan.count > 8 else { return false }
        return text.contains(pan) || text.contains(String(pan.dropFirst(4).prefix(8)))
    }

    @Test("Nothing of a card is printed by a result", arguments: RecordedTrace.all)
    func unprintable(_ trace: RecordedTrace) throws {
        guard let result = try trace.read(entryPoint, over: trace.channel()) else { return }
        var text = "\(result) \(String(reflecting: result))"
        dump(result, to: &text)
        #expect(!leaks(text, result))
    }

    @Test("M/Chip with CDA, byte for byte: TC, signature verified, cryptogram recovered")
    func mChip() throws {
        let trace = RecordedTrace("k2-mchip-cda-ppc-mcd-04.json")
        guard !trace.exchanges.isEmpty else { return }
        var configuration = Setup.configuration()
        configuration.authorities = try TestKeys.authorities()
        configuration.alwaysRequestsOnline = false
        configuration.terminal.capabilities = [0x20, 0x20, 0x08]
        configuration.combinations = [Combination(aid: try AID(hex("A0000000041010")), kernel: 2)]
        configuration.combinations[0].cvmLimit = 5000
        let transaction = EMVTransaction(
            amount: 10001, currency: 36, date: EMVDate(year: 2012, month: 3, day: 15),
            unpredictableNumber: hex("000EEC85"))
        // The recording lacks file 3 record 2, which the AFL names: an empty record stands in.
        let channel = ScriptChannel(trace.exchanges, otherwise: hex("70009000"))
        let entryPoint = EntryPoint(configuration: configuration, transaction: transaction)
        let result = try #require(try trace.read(entryPoint, over: channel))
        #expect(channel.sent.filter { $0 != hex("00B2021C00") } == trace.exchanges.map(\.command))
        #expect(result.outcome.value == .approved && result.outcome.verification == .signature)
        #expect(result.authentication == AuthenticationResult(method: .cda, failure: nil))
        #expect(result.data.sensitiveBytes(of: 0x9F26) == hex("D58B731AF5885C06"))
        #expect(result.cvmResults == hex("5E0300") && result.verificationResults.bytes == [0, 0, 0, 0, 0])
    }

    @Test("Blanked certificates fail: an offline approval becomes a decline")
    func blanked() throws {
        let trace = RecordedTrace("dev-cb-visa-fdda-gpo.json")
        guard !trace.exchanges.isEmpty else { return }
        var configuration = Setup.configuration()
        configuration.authorities = try TestKeys.authorities()
        let entryPoint = EntryPoint(configuration: configuration, transaction: Setup.transaction())
        let result = try #require(try trace.read(entryPoint, over: trace.channel()))
        #expect(result.authentication?.isVerified == false && result.outcome.reason == .authenticationFailed)
        #expect(result.outcome.value == .declined)
    }

    @Test("Amex with CDA, byte for byte: ARQC with an online PIN")
    func amex() throws {
        let trace = RecordedTrace("k4-amex-emv-cda.json")
        guard !trace.exchanges.isEmpty else { return }
        var configuration = Setup.configuration()
        configuration.authorities = try TestKeys.authorities()
        configuration.terminal.country = 36
        configuration.terminal.capabilities = [0x20, 0x60, 0x08]
        var combination = Combination(aid: try AID(hex("A00000002501")), kernel: 4)
        (combination.cvmLimit, combination.floorLimit) = (5000, 5000)
        configuration.combinations = [combination]
        let transaction = EMVTransaction(
            amount: 12000, currency: 36, date: EMVDate(year: 2014, month: 10, day: 31),
            unpredictableNumber: hex("327273B9"))
        let channel = trace.channel()
        let entryPoint = EntryPoint(configuration: configuration, transaction: transaction)
        let result = try #require(try trace.read(entryPoint, over: channel))
        #expect(channel.sent == trace.exchanges.map(\.command))
        #expect(result.outcome.value == .onlineRequest && result.outcome.verification == .onlinePIN)
        #expect(result.authentication == AuthenticationResult(method: .cda, failure: nil))
        #expect(result.cvmResults == hex("420300") && result.verificationResults.bytes == hex("0000048000"))
    }

    @Test("Visa with everything in the GPO answer, byte for byte")
    func visaInline() throws {
        let trace = RecordedTrace("k3-visa-credit-gpo-inline.json")
        guard !trace.exchanges.isEmpty else { return }
        var configuration = Setup.configuration(Setup.everyProvider(qualifiers: "36004000"))
        configuration.terminal.country = 840
        for index in configuration.combinations.indices { configuration.combinations[index].floorLimit = nil }
        let transaction = EMVTransaction(
            amount: 100, currency: 840, date: EMVDate(year: 2026, month: 1, day: 1),
            unpredictableNumber: hex("01020304"))
        let channel = trace.channel()
        let entryPoint = EntryPoint(configuration: configuration, transaction: transaction)
        let result = try #require(try trace.read(entryPoint, over: channel))
        #expect(channel.sent.prefix(2).elementsEqual(trace.exchanges.prefix(2).map(\.command)))
        #expect(result.outcome.value == .onlineRequest && result.outcome.hasDataRecord)
        #expect(result.data.maskedPAN == "411111******1111")
    }
}
