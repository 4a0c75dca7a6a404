// SPDX-License-Identifier: Apache-2.0

import BERTLV
import ISO7816
import Testing

@testable import EMVContactless

@Suite("Kernels", .enabled(if: Vectors.isAvailable, "COUNTERTOP_VECTORS is not set"))
struct KernelVectorTests {
    /// Runs GET PROCESSING OPTIONS alone; "OK" when the kernel would go on.
    private func initiate(
        _ kernel: Kernel, fci: [UInt8], response: [UInt8], terminal: TerminalProfile, transaction: EMVTransaction,
        qualifiers: String? = nil
    ) throws -> (outcome: String, run: KernelRun, sent: [[UInt8]]) {
        var combination = Combination(aid: try AID(hex("A0000000031010")), kernel: kernel.id)
        combination.qualifiers = qualifiers.flatMap { TerminalTransactionQualifiers(hex($0)) }
        let active = try #require(
            PreProcessing([combination], transaction: transaction, terminalFloorLimit: terminal.floorLimit).active.first
        )
        let channel = ScriptChannel([Exchange([], response)])
        let configuration = EMVConfiguration(terminal: terminal, combinations: [combination])
        var run = KernelRun(
            kernel: kernel, active: active, configuration: configuration, transaction: transaction,
            fci: try FileControlInformation(fci), channel: channel)
        var outcome: String
        do {
            outcome = try run.initiate().map(OutcomeName.of) ?? "OK"
        } catch {
            outcome = error.code == .malformedCardData ? "END_APPLICATION_TRY_ANOTHER_CARD" : "CARD_ERROR"
        }
        return (outcome, run, channel.sent)
    }

    /// A terminal and a transaction of which the vectors set only what they name.
    private func bare(amount: UInt64) -> (TerminalProfile, EMVTransaction) {
        var terminal = TerminalProfile(country: 0)
        (terminal.capabilities, terminal.capabilitiesWithoutCVM) = ([0x20, 0x00, 0x08], 0)
        (terminal.type, terminal.data) = (0, [:])
        var transaction = EMVTransaction(
            amount: amount, currency: 0, date: EMVDate(year: 2000, month: 0, day: 0), unpredictableNumber: [0, 0, 0, 0])
        transaction.currencyExponent = 0
        return (terminal, transaction)
    }

    @Test("Kernel 2: GET PROCESSING OPTIONS")
    func kernel2() throws {
        let (terminal, transaction) = bare(amount: 1000)
        for row in Vectors.load("cases/kernel2-gpo.json")["cases"].elements {
            let (outcome, run, sent) = try initiate(
                .kernel2, fci: try #require(row["fci"].hex), response: try #require(row["r"].hex), terminal: terminal,
                transaction: transaction)
            check(outcome, run, sent, row)
        }
    }

    @Test("Kernel 3: GET PROCESSING OPTIONS")
    func kernel3() throws {
        var (terminal, transaction) = bare(amount: 123_456_789)
        (terminal.country, terminal.floorLimit) = (528, 0x2710)
        (transaction.type, transaction.date) = (0x09, EMVDate(year: 2024, month: 2, day: 17))
        let vectors = Vectors.load("cases/kernel3-gpo.json")
        for row in vectors["cases"].elements {
            let (outcome, run, sent) = try initiate(
                .kernel3, fci: try #require(row["fci"].hex), response: try #require(row["r"].hex), terminal: terminal,
                transaction: transaction, qualifiers: vectors["terminal"]["9F66 static"].string)
            check(outcome, run, sent, row)
            if let qualifiers = row["ttqSent"].hex { #expect(run.active.qualifiers?.bytes == qualifiers) }
        }
    }

    private func check(_ outcome: String, _ run: KernelRun, _ sent: [[UInt8]], _ row: JSON) {
        let id = row["id"].string ?? ""
        #expect(outcome == row["outcome"].string, "\(id)")
        #expect(blanked(sent.first ?? [], row) == blanked(row["c"].hex ?? [], row), "\(id)")
        guard outcome == "OK" else { return }
        #expect(run.data.bytes(of: 0x82) == row["aip"].hex, "\(id)")
        #expect(run.data.bytes(of: 0x94) == row["afl"].hex, "\(id)")
        for tag in row["has"].elements {
            #expect(TLVTag(hex: tag.string ?? "").map(run.data.contains) == true, "\(id)")
        }
    }

    private func blanked(_ command: [UInt8], _ row: JSON) -> [UInt8] {
        guard let offset = row["ignore"]["offset"].int, let length = row["ignore"]["length"].int,
            command.count >= offset + length
        else { return command }
        return command[..<offset] + [UInt8](repeating: 0, count: length) + command[(offset + length)...]
    }

    @Test("Contact GPO vectors: the same PDOL and response rules")
    func contact() throws {
        let vectors = Vectors.load("cases/gpo-contact.json")
        var terminal = TerminalProfile(country: 528)
        terminal.capabilities = vectors["terminal"]["9F33"].hex ?? []
        var transaction = Setup.transaction(123_456_789)
        (transaction.type, transaction.otherAmount) = (0x09, 987_654_321)
        transaction.date = EMVDate(year: 2024, month: 2, day: 17)
        for row in vectors["cases"].elements {
            let exchange = row["exchanges"].elements.first.map { Exchange($0) }
            var kernel = Kernel.kernel3
            kernel.context = .emv
            let (outcome, run, sent) = try initiate(
                kernel, fci: try #require(row["fci"].hex), response: exchange?.response ?? [0x69, 0x85],
                terminal: terminal, transaction: transaction)
            #expect(sent == (exchange.map { [$0.command] } ?? []), "\(row["description"].string ?? "")")
            #expect((outcome == "OK") == (row["aip"].hex != nil), "\(row["description"].string ?? "")")
            guard outcome == "OK" else { continue }
            #expect(run.data.bytes(of: 0x82) == row["aip"].hex && run.data.bytes(of: 0x94) == row["afl"].hex)
        }
    }

    @Test("Read application data")
    func records() throws {
        for row in Vectors.load("cases/read-application-data.json")["cases"].elements {
            let exchanges = row["exchanges"].elements.map { Exchange($0) }
            let description = row["description"].string ?? ""
            let afl = try #require(row["afl"].hex)
            var kernel = Kernel.kernel2
            kernel.mandatory = [[0x5A], [0x5F24], [0x8C], [0x8D]]
            let gpo = TLVBuilder.build { builder in
                builder.append(0x77) { inner in
                    inner.append(0x82, hex("5980"))
                    inner.append(0x94, afl)
                }
            }
            let channel = ScriptChannel([Exchange(hex("80A8000002830000"), gpo + [0x90, 0x00])] + exchanges)
            let combination = Combination(aid: try AID(hex("A0000000041010")), kernel: 2)
            let active = try #require(PreProcessing([combination], transaction: Setup.transaction()).active.first)
            var run = KernelRun(
                kernel: kernel, active: active, configuration: Setup.configuration(), transaction: Setup.transaction(),
                fci: try FileControlInformation(hex("6F128407A0000000041010A50750054150502031")), channel: channel)
            let result = try run.run()
            let didRead = channel.sent.contains { $0[1] == 0xAE }
            // A signed record that is no template spoils authentication, not the reading (EMV Book 3, 10.3).
            let isReadable = description.hasPrefix("normal") || row["id"].string == "test10"
            #expect(didRead == isReadable, "\(description): \(result.outcome.reason)")
            if row["id"].string == "test10" { #expect(result.authentication?.isVerified != true) }
            if didRead { #expect(channel.sent.dropFirst().prefix(exchanges.count) == exchanges.map(\.command)[...]) }
        }
    }

    @Test("Negative responses are refused, not trapped on")
    func negative() throws {
        for row in Vectors.load("cases/reader-negative-responses.json")["cases"].elements {
            let id = row["id"].string ?? ""
            let response = try #require(row["response"].hex)
            let entryPoint = EntryPoint(configuration: Setup.configuration(), transaction: Setup.transaction())
            if id.contains("ppse") || id.contains("multi_aid") {
                let result = try? entryPoint.read(over: ScriptChannel([Exchange([], response)]))
                #expect(result == nil || result?.outcome.value == .endApplication, "\(id)")
                if id.contains("multi_aid") {
                    #expect(result?.directory.map(\.priority) == [5, 1], "\(id)")
                    let list = try CandidateList(
                        directory: Array(response.dropLast(2)), combinations: entryPoint.preProcess().active)
                    #expect(list.candidates.first?.active.combination.kernel == 2, "\(id)")
                }
                continue
            }
            let result = try? entryPoint.read(over: afterPPSE(id: id, response))
            #expect(![.onlineRequest, .approved].contains(result?.outcome.value), "\(id)")
        }
    }

    /// A Visa card whose SELECT, GPO or READ RECORD answers `response`, by the vector's name.
    private func afterPPSE(id: String, _ response: [UInt8]) -> ScriptChannel {
        let directory = hex("6F23840E325041592E5359532E4444463031A511BF0C0E610C4F07A00000000310108701019000")
        let fci = hex("6F128407A0000000031010A507500541505020319000")
        let gpo = hex("80060080080101009000")
        let chain = [directory, fci, gpo]
        let step = id.contains("select") ? 1 : id.contains("gpo") ? 2 : 3
        return ScriptChannel((chain.prefix(step) + [response]).map { Exchange([], $0) })
    }
}
