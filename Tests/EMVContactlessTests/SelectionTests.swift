// SPDX-License-Identifier: Apache-2.0

import BERTLV
import ISO7816
import Testing

@testable import EMVContactless

@Suite("Selection rules")
struct SelectionTests {
    private func entry(_ name: String, priority: UInt8? = nil, kernel: String? = nil, extended: String? = nil)
        -> [UInt8]
    {
        TLVBuilder.build { builder in
            builder.append(0x61) { entry in
                entry.append(0x4F, hex(name))
                priority.map { entry.append(0x87, [$0]) }
                kernel.map { entry.append(0x9F2A, hex($0)) }
                extended.map { entry.append(0x9F29, hex($0)) }
            }
        }
    }

    private func list(_ entries: [[UInt8]], _ combinations: [Combination]) throws -> CandidateList {
        let response = TLVBuilder.build { builder in
            builder.append(0x6F) { $0.append(0xA5) { $0.append(0xBF0C, entries.flatMap { $0 }) } }
        }
        let active = PreProcessing(combinations, transaction: Setup.transaction()).active
        return try CandidateList(directory: response, combinations: active)
    }

    private func combination(_ aid: String, _ kernel: KernelID) throws -> Combination {
        Combination(aid: try AID(hex(aid)), kernel: kernel)
    }

    @Test("Kernel identifiers")
    func kernelIdentifiers() throws {
        let requests: [(String, KernelRequest)] = [
            ("", .byDefault), ("00", .byDefault), ("0000000000000000", .byDefault), ("03", .kernel(3)),
            ("0300000000000000", .kernel(3)), ("03FFFF", .kernel(3)),
            ("430528", .kernel(KernelID(bytes: [0x43, 0, 0]))),
            ("830528", .kernel(KernelID(bytes: hex("830528")))), ("C30528FF", .kernel(KernelID(bytes: hex("C30528")))),
            ("8305", .invalid), ("83", .invalid), ("030000000000000000", .invalid),
        ]
        for (text, request) in requests { #expect(KernelRequest(hex(text)) == request, "\(text)") }
        #expect(KernelRequest(nil as [UInt8]?) == .byDefault)
        #expect(KernelID(hex("830528"))?.description == "830528" && KernelID(hex("03"))?.description == "03")
        #expect(KernelID(hex("00")) == nil && KernelID.byDefault(for: hex("A0000000651010")) == 5)
    }

    @Test("One entry with several kernels gives several candidates; an unknown provider takes any")
    func severalKernels() throws {
        let combinations = try [combination("A0000000421010", 2), combination("A0000000421010", 3)]
        #expect(try list([entry("A0000000421010")], combinations).candidates.count == 2)
        let one = try list([entry("A0000000421010", kernel: "03")], combinations).candidates
        #expect(one.map(\.active.combination.kernel) == [3])
    }

    @Test("Priority first, the card's order among equals")
    func priorities() throws {
        let entries = [
            entry("A0000000031010"), entry("A0000000032010", priority: 0x8F), entry("A0000000033010", priority: 0x82),
            entry("A0000000034010", priority: 0x00), entry("A0000000035010", priority: 0x02),
        ]
        let names = try list(entries, [combination("A000000003", 3)]).candidates.map { Hex.encode($0.name.suffix(2)) }
        #expect(names == ["3010", "5010", "2010", "1010", "4010"])
    }

    @Test("Extended selection is added only when both sides have it and it fits")
    func extendedSelection() throws {
        var combination = try combination("A0000000031010", 3)
        let entries = [entry("A0000000031010", extended: "0102")]
        #expect(try list(entries, [combination]).candidates.first?.selectionName == hex("A0000000031010"))
        combination.supportsExtendedSelection = true
        let candidate = try #require(try list(entries, [combination]).candidates.first)
        #expect(candidate.selectionName == hex("A00000000310100102"))
        let long = [entry("A0000000031010", extended: "01020304050607080910")]
        #expect(try list(long, [combination]).candidates.first?.selectionName == hex("A0000000031010"))
        // The answer may name the application with or without the extension.
        let channel = ScriptChannel([
            Exchange([], hex("6F198407A0000000031010A50E9F380B9F66049F02069F37045F2A") + [0x90, 0])
        ])
        let entryPoint = EntryPoint(configuration: Setup.configuration(), transaction: Setup.transaction())
        _ = try entryPoint.select(candidate, kernel: .kernel2, over: channel)
        #expect(channel.sent == [hex("00A4040009A0000000031010010200")])
    }

    @Test("No list of names on a phone, and none unless switched on")
    func directSelection() throws {
        var configuration = Setup.configuration()
        for (isOn, device, count) in [
            (false, PresentedDevice.unknown, 1), (true, .phone, 1),
            (true, .unknown, 1 + configuration.combinations.count),
        ] {
            configuration.triesConfiguredNames = isOn
            let channel = ScriptChannel([], otherwise: [0x6A, 0x82])
            let entryPoint = EntryPoint(configuration: configuration, transaction: Setup.transaction())
            let result = try entryPoint.read(over: channel, device: device)
            #expect(result.outcome.value == .endApplication && channel.sent.count == count)
        }
    }

    @Test("6Cxx repeats, 61xx collects, without end is refused")
    func followUps() throws {
        let fci = hex("6F128407A0000000031010A50750054150502031")
        let script = ScriptChannel([
            Exchange(hex("00A4040001AA00"), hex("6C14")), Exchange([], hex("610A")),
            Exchange([], Array(fci.prefix(10)) + hex("610A")),
            Exchange([], Array(fci.dropFirst(10)) + hex("9000")),
        ])
        let response = try CardCommands(channel: script).select([0xAA])
        #expect(response.data == fci && response.status == .success)
        #expect(script.sent.map { Hex.encode($0) } == ["00A4040001AA00", "00A4040001AA14", "00C000000A", "00C000000A"])
        let endless = ScriptChannel([], otherwise: hex("6101"))
        #expect(throws: EMVError.self) { try CardCommands(channel: endless).select([0xAA]) }
        #expect(endless.sent.count < 300)
    }

    @Test("Commands too long for a short APDU are not sent")
    func tooLong() {
        let channel = ScriptChannel([])
        let commands = CardCommands(channel: channel)
        let error = #expect(throws: EMVError.self) {
            try commands.getProcessingOptions([UInt8](repeating: 0, count: 253))
        }
        #expect(error?.code == .commandTooLong && channel.sent.isEmpty)
        #expect(throws: EMVError.self) { try commands.generateAC(reference: 0x80, [UInt8](repeating: 0, count: 256)) }
        #expect(throws: Never.self) { try commands.getProcessingOptions([UInt8](repeating: 0, count: 200)) }
        #expect(channel.sent.first?.prefix(8) == hex("80A80000CB8381C8")[...])
    }

    @Test("Pre-processing: limits, zero amount, status check, dynamic qualifiers")
    func preProcessing() throws {
        var combination = try combination("A0000000031010", 3)
        combination.qualifiers = TerminalTransactionQualifiers(hex("37C04000"))
        func qualifiers(_ amount: UInt64, _ change: (inout Combination) -> Void = { _ in }) -> String? {
            var changed = combination
            change(&changed)
            let active = PreProcessing([changed], transaction: Setup.transaction(amount)).active.first
            return active?.qualifiers.map { Hex.encode($0.bytes) }
        }
        #expect(qualifiers(500) == "37004000")
        #expect(qualifiers(500, { $0.floorLimit = 500 }) == "37004000")
        #expect(qualifiers(501, { $0.floorLimit = 500 }) == "37804000")
        #expect(qualifiers(500, { $0.cvmLimit = 500 }) == "37404000")
        #expect(qualifiers(499, { $0.cvmLimit = 500 }) == "37004000")
        #expect(qualifiers(0) == "37804000")
        #expect(qualifiers(0, { $0.allowsZeroAmount = false }) == nil)
        #expect(qualifiers(0, { $0.qualifiers = TerminalTransactionQualifiers(hex("3F004000")) }) == nil)
        #expect(qualifiers(100, { $0.statusCheck = true }) == "37804000")
        #expect(qualifiers(101, { $0.statusCheck = true }) == "37004000")
        #expect(qualifiers(500, { $0.transactionLimit = 500 }) == nil)
        let none = PreProcessing([], transaction: Setup.transaction())
        #expect(none.outcome?.value == .endApplication && none.outcome?.reason == .nothingConfigured)
    }

    @Test("CVM list: conditions and methods")
    func cvmWalk() throws {
        func walk(
            _ rules: String, amount: UInt64 = 1250, type: UInt8 = 0, currency: String = "0978", capability: UInt8 = 0x60
        ) throws -> String {
            var terminal = TerminalProfile(country: 276)
            terminal.capabilities = [0x20, capability, 0x08]
            var transaction = Setup.transaction(amount)
            transaction.type = type
            let list = try CardholderVerificationList(hex("00000400" + "00000800" + rules))
            let verification = CardholderVerification(transaction: transaction, terminal: terminal, isRequired: true)
            return Hex.encode(verification.walk(list, currency: hex(currency)).results)
        }
        let table: [(String, String)] = [
            (try walk("0200"), "020000"), (try walk("1E00"), "1E0000"), (try walk("1F00"), "1F0001"),
            (try walk("1F00", capability: 0x08), "1F0002"), (try walk("41001E00"), "1E0000"),
            (try walk("01001E00"), "010001"),
            (try walk("0000"), "000001"), (try walk("1E01"), "3F0001"), (try walk("1E02"), "1E0200"),
            (try walk("1E02", type: 1), "3F0001"), (try walk("1E04", type: 1), "1E0400"),
            (try walk("1E05", type: 9), "1E0500"),
            (try walk("1E06", amount: 1000), "1E0600"), (try walk("1E06"), "3F0001"), (try walk("1E07"), "1E0700"),
            (try walk("1E08"), "1E0800"), (try walk("1E09", amount: 4000), "1E0900"),
            (try walk("1E07", currency: "0840"), "3F0001"), (try walk("1E10"), "3F0001"),
            (try walk("67001E00"), "1E0000"),
        ]
        for (index, row) in table.enumerated() { #expect(row.0 == row.1, "row \(index)") }
    }
}
