// SPDX-License-Identifier: Apache-2.0

import BERTLV
import ISO7816
import Testing

@testable import EMVContactless

/// Outcomes in the vectors' words.
enum OutcomeName {
    static func of(_ outcome: EMVOutcome) -> String {
        switch outcome.value {
        case .endApplication: "END_APPLICATION_TRY_ANOTHER_CARD"
        case .selectNext: "SELECT_NEXT"
        case .tryAnotherInterface: "TRY_ANOTHER_INTERFACE"
        case .tryAgain: "TRY_AGAIN"
        case .onlineRequest, .requestOnlinePIN: "ONLINE"
        case .approved: "APPROVED"
        case .declined: "DECLINED"
        }
    }
}

@Suite("Entry point", .enabled(if: Vectors.isAvailable, "COUNTERTOP_VECTORS is not set"))
struct EntryPointVectorTests {
    @Test("Pre-processing vectors")
    func preProcessing() throws {
        for row in Vectors.load("cases/entry-point-preprocessing.json")["cases"].elements {
            let combinations = row["applications"].elements.compactMap { application in
                try? Self.combination(application)
            }
            let transaction = EMVTransaction(
                amount: UInt64(row["amount"].int ?? 0), currency: 978, date: EMVDate(year: 2026, month: 1, day: 1),
                unpredictableNumber: [0, 0, 0, 0])
            let result = PreProcessing(combinations, transaction: transaction)
            let name = row["description"].string ?? ""
            #expect(result.outcome.map(OutcomeName.of) ?? "OK" == row["outcome"].string, "\(name)")
            #expect(
                result.active.map(\.combination.aid.description) == row["allowedAIDs"].elements.compactMap(\.string),
                "\(name)")
            for (active, expected) in zip(result.active, row["ttq"].elements) where expected.string != nil {
                #expect(active.qualifiers.map { Hex.encode($0.bytes) } == expected.string, "\(name)")
            }
        }
    }

    private static func combination(_ json: JSON) throws -> Combination {
        var combination = try Combination(
            aid: json["aid"].hex ?? [], kernelIdentifier: json["kernel96"].hex ?? [], qualifiers: json["9F66"].hex)
        combination.allowsPartialSelection = json["match"].string == "partial"
        // The vectors name limits and options in words: the word tells which one.
        for (key, value) in json.members {
            let limit = value.int.map(UInt64.init)
            switch key.lowercased() {
            case let name where name.contains("transactionlimit"): combination.transactionLimit = limit
            case let name where name.contains("cvm"): combination.cvmLimit = limit
            case let name where name.contains("floor"): combination.floorLimit = limit
            case let name where name.contains("status"): combination.statusCheck = value.bool ?? (value.int == 1)
            case let name where name.contains("zero"): combination.allowsZeroAmount = value.bool ?? (value.int == 1)
            default: break
            }
        }
        return combination
    }

    @Test("Candidate list vectors")
    func candidateList() throws {
        let vectors = Vectors.load("cases/entry-point-candidate-list.json")
        let combinations = try vectors["terminalCombinations"].elements.compactMap { row -> Combination? in
            guard let kernel = row["kernel"].hex.flatMap({ KernelID($0) }) else { return nil }
            var combination = Combination(aid: try AID(row["aid"].hex ?? []), kernel: kernel)
            combination.allowsPartialSelection = row["match"].string == "partial"
            return combination
        }
        let active = PreProcessing(combinations, transaction: Setup.transaction()).active
        for row in vectors["cases"].elements {
            let channel = ScriptChannel(row["exchanges"].elements.map { Exchange($0) })
            var name: String
            var labels: [String] = []
            do {
                let response = try CardCommands(channel: channel).select(AID.proximityPaymentSystem.bytes)
                if response.status == .success {
                    let list = try CandidateList(directory: response.data, combinations: active)
                    labels = list.candidates.compactMap(\.label)
                    name = labels.isEmpty ? "END_APPLICATION_TRY_ANOTHER_CARD" : "OK"
                } else {
                    name = "END_APPLICATION_TRY_ANOTHER_CARD"
                }
            } catch {
                name = "CARD_ERROR"
            }
            let id = row["id"].string ?? ""
            #expect(name == row["outcome"].string, "\(id)")
            #expect(labels == row["candidateLabels"].elements.compactMap(\.string), "\(id)")
            #expect(channel.sent.first == row["exchanges"].elements.first?["c"].hex, "\(id)")
        }
    }

    @Test("The whole entry point ends as the candidate list vectors say")
    func wholeRun() throws {
        for row in Vectors.load("cases/entry-point-candidate-list.json")["cases"].elements {
            guard let expected = row["outcome"].string, expected != "OK" else { continue }
            let channel = ScriptChannel(row["exchanges"].elements.map { Exchange($0) })
            let entryPoint = EntryPoint(configuration: Setup.configuration(), transaction: Setup.transaction())
            let name = (try? entryPoint.read(over: channel)).map { OutcomeName.of($0.outcome) } ?? "CARD_ERROR"
            #expect(name == expected, "\(row["id"].string ?? "")")
        }
    }

    @Test("Final selection vectors")
    func selectApplication() throws {
        for row in Vectors.load("cases/select-application.json")["cases"].elements {
            let exchanges = row["exchanges"].elements.map { Exchange($0) }
            let name = try Array(CommandAPDU(#require(exchanges.first).command).data)
            let expectedKernel = row["selectedKernel"].hex.flatMap { KernelID($0) }
            let id = expectedKernel ?? KernelID.byDefault(for: name) ?? 0x43
            var kernel = Kernel.standard[id] ?? Kernel.kernel2
            kernel.id = id
            var configuration = Setup.configuration([Combination(aid: try AID(name), kernel: id)])
            configuration.kernels[id] = kernel
            let entryPoint = EntryPoint(configuration: configuration, transaction: Setup.transaction())
            let active = try #require(entryPoint.preProcess().active.first)
            let candidate = Candidate(direct: name, active: active)
            let isLast = row["lastCandidate"].bool ?? false
            var outcome: String
            do {
                switch try entryPoint.select(candidate, kernel: kernel, over: ScriptChannel(exchanges)) {
                case .success: outcome = "OK"
                case .failure(let refusal): outcome = OutcomeName.of(refusal.value)
                }
                if isLast, outcome != "OK" {
                    let result = try entryPoint.process([candidate], over: ScriptChannel(exchanges))
                    outcome = OutcomeName.of(result.outcome)
                }
            } catch {
                outcome = "CARD_ERROR"
            }
            #expect(outcome == row["outcome"].string, "\(row["id"].string ?? "")")
        }
    }

    @Test("Composed taps: the payment part, byte for byte")
    func composed() throws {
        let vectors = Vectors.load("composed/one-tap.json")
        for row in vectors["scenarios"].elements where !row["expected"]["payment"].isNull {
            let expected = row["expected"]["payment"]
            let id = row["id"].string ?? ""
            guard let tap = row["taps"].elements.last else { continue }
            let exchanges = tap.elements.map { Exchange($0) }.filter {
                $0.command != hex("00A404000A4F53452E5641532E303100")
            }
            let channel = ScriptChannel(exchanges.filter { $0.command.starts(with: [0x80, 0xCA]) == false })
            let entryPoint = composedEntryPoint(exchanges.map(\.command).last { $0[1] == 0xA8 && $0.count == 41 })
            let result = try entryPoint.read(over: channel)
            if expected["outcome"].string == "success" {
                #expect(result.outcome.value == .onlineRequest, "\(id) \(result.outcome.reason)")
            } else {
                #expect(![.onlineRequest, .approved].contains(result.outcome.value), "\(id)")
            }
            checkReason(result.outcome, expected["reason"].string, id)
            checkObjects(result, expected, id)
            for command in channel.sent where command[1] == 0xA8 {
                #expect(exchanges.contains { $0.command == command }, "\(id): GPO \(Hex.encode(command))")
            }
        }
    }

    /// A counter for the transaction that a recorded GPO of the composed Visa card is for; the PDOL there is
    /// 9F66 9F02 9F03 9F1A 95 5F2A 9A 9C 9F37.
    private func composedEntryPoint(_ recorded: [UInt8]?) -> EntryPoint {
        var transaction = Setup.transaction()
        var cvmLimit: UInt64?
        if let values = recorded.map({ Array($0[7..<40]) }) {
            cvmLimit = values[1] & 0x40 == 0 ? nil : 0
            transaction.amount = UInt64(Hex.encode(values[4..<10])) ?? 0
            transaction.date = EMVDate(bcd: values[25..<28]) ?? transaction.date
            (transaction.type, transaction.unpredictableNumber) = (values[28], Array(values[29..<33]))
        }
        let configuration = EMVConfiguration(
            terminal: TerminalProfile(country: 276), combinations: Combination.standard(cvmLimit: cvmLimit))
        return EntryPoint(configuration: configuration, transaction: transaction)
    }

    private func checkReason(_ outcome: EMVOutcome, _ reason: String?, _ id: String) {
        switch reason {
        case "tryAnotherInterface": #expect(outcome.value == .tryAnotherInterface, "\(id)")
        case "notAPaymentCard": #expect(outcome.reason.code == "notAPaymentCard", "\(id)")
        default: break
        }
    }

    private func checkObjects(_ result: EMVReadResult, _ expected: JSON, _ id: String) {
        for (name, tag) in [("cid", 0x9F27 as TLVTag), ("arqc", 0x9F26), ("ctq", 0x9F6C)] {
            guard let value = expected[name].hex else { continue }
            #expect(result.data.sensitiveBytes(of: tag) == value, "\(id) \(name)")
        }
        if let masked = expected["maskedPAN"].string { #expect(result.data.maskedPAN == masked, "\(id)") }
        if let kernel = expected["kernel"].string { #expect(result.kernel?.description == kernel, "\(id)") }
    }
}
