// SPDX-License-Identifier: Apache-2.0

import BERTLV
import ISO7816
import Testing
import WalletCrypto

@testable import EMVContactless

/// One card, one reader, one expected outcome.
struct Scenario: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let value: EMVOutcome.Value
    let reason: String
    var verification: EMVOutcome.Verification?
    var isProved: Bool?
    let card: @Sendable (MintedCard) -> Void
    let reader: @Sendable (inout EMVConfiguration, inout EMVTransaction) -> Void

    init(
        _ name: String, _ value: EMVOutcome.Value, _ reason: EMVReason,
        _ verification: EMVOutcome.Verification? = nil, proved: Bool? = nil,
        card: @escaping @Sendable (MintedCard) -> Void = { _ in },
        reader: @escaping @Sendable (inout EMVConfiguration, inout EMVTransaction) -> Void = { _, _ in }
    ) {
        (testDescription, self.value, self.reason) = (name, value, reason.code)
        (self.verification, isProved, self.card, self.reader) = (verification, proved, card, reader)
    }

    func run(_ aid: String) throws -> (result: EMVReadResult, card: MintedCard) {
        let card = MintedCard()
        card.aid = hex(aid)
        self.card(card)
        var combination = Combination(
            aid: try AID(Array(card.aid.prefix(7))), kernel: try #require(KernelID.byDefault(for: card.aid)),
            qualifiers: TerminalTransactionQualifiers(hex("27004000")))
        (combination.floorLimit, combination.cvmLimit) = (0, 5000)
        var configuration = EMVConfiguration(
            terminal: TerminalProfile(country: 276), combinations: [combination],
            authorities: try Mint.authorities(for: Array(card.aid.prefix(5))))
        configuration.terminal.capabilities = hex("2060C8")
        var transaction = Setup.transaction()
        reader(&configuration, &transaction)
        return (try EntryPoint(configuration: configuration, transaction: transaction).read(over: card), card)
    }

    func check(_ aid: String) throws {
        let (result, _) = try run(aid)
        #expect(result.outcome.value == value, "\(result.outcome.reason) \(result.verificationResults)")
        #expect(result.outcome.reason.code == reason, "\(result.outcome.reason)")
        if let verification { #expect(result.outcome.verification == verification) }
        if let isProved {
            #expect(result.authentication?.isVerified == isProved, "\(String(describing: result.authentication))")
        }
    }
}

@Suite("Kernel 3, 6 and 7")
struct QualifierScenarioTests {
    static let overLimit: @Sendable (inout EMVConfiguration, inout EMVTransaction) -> Void = { $1.amount = 9900 }

    static let scenarios: [Scenario] = [
        Scenario("ARQC", .onlineRequest, .onlineCryptogram, .noCVM),
        Scenario("AAC", .declined, .cardDeclined, card: { $0.cid = 0 }),
        Scenario("TC, fDDA version 01", .approved, .approvedOffline, .noCVM, proved: true) {
            ($0.cid, $0.signature) = (0x40, .fast(version: 1))
        },
        Scenario("TC without a signature", .declined, .authenticationFailed, proved: false, card: { $0.cid = 0x40 }),
        Scenario("TC without a signature, go online", .onlineRequest, .onlineCryptogram, proved: false) {
            ($0.cid, $0.options) = (0x40, [0x9F6C: hex("2000"), 0x9F71: hex("2000")])
        },
        Scenario(
            "TC without a signature, insert", .tryAnotherInterface, .authenticationFailed,
            card: { ($0.cid, $0.options) = (0x40, [0x9F6C: hex("1000"), 0x9F71: hex("1000")]) },
            reader: { configuration, _ in configuration.terminal.hasContactSlot = true }),
        Scenario(
            "TC, issuer certificate expired", .declined, .authenticationFailed, proved: false,
            card: { ($0.cid, $0.signature, $0.certificateExpiry) = (0x40, .fast(version: 1), "0120") }),
        Scenario(
            "TC, application expired", .declined, .expired,
            card: {
                ($0.cid, $0.signature, $0.recordObjects) = (0x40, .fast(version: 1), [0x5F24: hex("250101")])
            }),
        Scenario(
            "TC, application expired, go online", .onlineRequest, .onlineCryptogram,
            card: {
                ($0.cid, $0.signature, $0.recordObjects) = (0x40, .fast(version: 1), [0x5F24: hex("250101")])
                $0.options = [0x9F6C: hex("0800"), 0x9F71: hex("0800")]
            }),
        Scenario(
            "TC, on the exception list", .declined, .cardDeclined,
            card: { ($0.cid, $0.signature) = (0x40, .fast(version: 1)) },
            reader: { configuration, _ in
                configuration.exceptionList = [Digest.sha256(Array("4761739001010119".utf8))]
            }),
        Scenario("ARQC, authentication for online failed", .onlineRequest, .onlineCryptogram, proved: false) {
            ($0.signature, $0.certificateExpiry) = (.fast(version: 1), "0120")
        },
        Scenario(
            "CVM: no qualifiers, signature", .onlineRequest, .onlineCryptogram, .signature, reader: overLimit),
        Scenario(
            "CVM: online PIN", .onlineRequest, .onlineCryptogram, .onlinePIN,
            card: { $0.options = [0x9F6C: hex("8080"), 0x9F71: hex("8080")] }, reader: overLimit),
        Scenario(
            "CVM: on the device", .onlineRequest, .onlineCryptogram, .confirmationCodeVerified,
            card: { $0.options = [0x9F6C: hex("0080"), 0x9F71: hex("0080")] }, reader: overLimit),
        Scenario(
            "CVM: on the device, but 9F69 says otherwise", .declined, .verificationFailed,
            card: { $0.options = [0x9F6C: hex("0080"), 0x9F71: hex("0080"), 0x9F69: hex("01010203040000")] },
            reader: overLimit),
        Scenario(
            "CVM: signature", .onlineRequest, .onlineCryptogram, .signature,
            card: { $0.options = [0x9F6C: hex("4000"), 0x9F71: hex("4000")] }, reader: overLimit),
        Scenario(
            "CVM: none possible", .declined, .verificationFailed,
            card: { $0.options = [0x9F6C: hex("0000"), 0x9F71: hex("0000")] }, reader: overLimit),
        Scenario(
            "CVM not required: qualifiers ignored", .onlineRequest, .onlineCryptogram, .noCVM,
            card: { $0.options = [0x9F6C: hex("8080"), 0x9F71: hex("8080")] }),
        Scenario(
            "Cash, switch interface", .declined, .cardDeclined,
            card: { $0.options = [0x9F6C: hex("0400"), 0x9F71: hex("0400")] }, reader: { $1.type = 0x01 }),
        Scenario(
            "Cash, switch interface, slot there", .tryAnotherInterface, .otherInterface,
            card: { $0.options = [0x9F6C: hex("0400"), 0x9F71: hex("0400")] },
            reader: {
                $0.terminal.hasContactSlot = true
                $1.type = 0x01
            }),
        Scenario("No cryptogram", .endApplication, .dataMissing, card: { $0.omitted = [0x9F26] }),
        Scenario("No 9F27: the issuer application data tell", .onlineRequest, .onlineCryptogram) {
            $0.omitted = [0x9F27]
        },
        Scenario("PDOL without qualifiers", .endApplication, .qualifiersNotAsked, card: { $0.pdol = "9F0206" }),
        Scenario("No PDOL", .endApplication, .qualifiersNotAsked, card: { $0.pdol = "" }),
        Scenario("GPO 6984", .tryAnotherInterface, .otherInterface, card: { $0.statuses = [0xA8: 0x6984] }),
        Scenario("GPO 6985", .endApplication, .applicationRefused, card: { $0.statuses = [0xA8: 0x6985] }),
        Scenario("GPO 6986", .tryAgain, .seePhone, card: { $0.statuses = [0xA8: 0x6986] }),
        Scenario("GPO 6F00", .endApplication, .applicationRefused, card: { $0.statuses = [0xA8: 0x6F00] }),
        Scenario("READ RECORD 6A83", .endApplication, .recordMissing, card: { $0.statuses = [0xB2: 0x6A83] }),
        Scenario("SELECT 6283", .endApplication, .applicationRefused, card: { $0.statuses = [0xA4: 0x6283] }),
        Scenario("GPO answer cut short", .endApplication, .malformedData) {
            $0.tamper = (0xA8, { Array($0.dropLast(3)) })
        },
        Scenario("Record with bytes after it", .endApplication, .malformedData) {
            $0.tamper = (0xB2, { $0 + [0xFF, 0xFF] })
        },
        Scenario("An object twice with different values", .endApplication, .malformedData) {
            $0.recordObjects = [0x57: hex("4111111111111111D3012201000000000F")]
        },
    ]

    @Test("Visa", arguments: scenarios)
    func visa(_ scenario: Scenario) throws { try scenario.check("A0000000031010") }

    @Test("Discover", arguments: scenarios)
    func discover(_ scenario: Scenario) throws { try scenario.check("A0000001523010") }

    @Test("UnionPay", arguments: scenarios)
    func unionPay(_ scenario: Scenario) throws { try scenario.check("A000000333010101") }

    @Test("fDDA version 00: Visa takes it, UnionPay does not")
    func versionZero() throws {
        let card: @Sendable (MintedCard) -> Void = { ($0.cid, $0.signature) = (0x40, .fast(version: 0)) }
        try Scenario("v00", .approved, .approvedOffline, proved: true, card: card).check("A0000000031010")
        try Scenario("v00", .declined, .authenticationFailed, proved: false, card: card).check("A000000333010101")
    }

    @Test("See phone carries its restart")
    func seePhone() throws {
        let scenario = Scenario("6986", .tryAgain, .seePhone, card: { $0.statuses = [0xA8: 0x6986] })
        let outcome = try scenario.run("A0000000031010").result.outcome
        #expect(outcome.start == .b && outcome.uiRequestOnRestart?.message == .seePhone)
        #expect(outcome.uiRequestOnOutcome?.status == .processingError && outcome.fieldOff == .milliseconds(1300))
        #expect(outcome.uiRequestOnOutcome?.message.description == "See phone for instructions")
    }

    @Test("The data record holds what card and terminal have, in the order asked for")
    func dataRecord() throws {
        let (result, _) = try Scenario("ARQC", .onlineRequest, .onlineCryptogram).run("A0000000031010")
        let tags: [TLVTag] = [0x57, 0x5A, 0x82, 0x95, 0x9A, 0x9C, 0x5F2A, 0x9F02, 0x9F26, 0x9F37, 0x9F6B, 0x9F1A]
        let objects = try result.dataRecord(tags).withUnsafeBytes { try TLV.read(Array($0)) }
        #expect(objects.map(\.tag) == tags.filter { $0 != 0x9F6B })
        #expect(
            objects.first(0x9F26)?.bytes == hex("0102030405060708") && objects.first(0x9F37)?.bytes == hex("52BF4585"))
        #expect(objects.first(0x9F02)?.bytes == hex("000000001250") && objects.first(0x9F1A)?.bytes == hex("0276"))
    }

    @Test("The outcome of an online request has all its fields")
    func onlineRequest() throws {
        let (result, card) = try Scenario("ARQC", .onlineRequest, .onlineCryptogram).run("A0000000031010")
        #expect(result.outcome.hasDataRecord && result.outcome.hasDiscretionaryData && !result.outcome.receipt)
        #expect(result.outcome.onlineResponse == .any && result.outcome.start == nil)
        #expect(result.outcome.uiRequestOnOutcome == UIRequest(.cardReadOK, .cardReadSuccessfully))
        #expect(result.kernel == 3 && result.application == hex("A0000000031010"))
        #expect(result.processingOptionsFormat == .format2 && result.qualifiers?.bytes == hex("27804000"))
        #expect(result.directory.count == 1)
        // Case 4 with Le, case 2 without Lc.
        #expect(card.sent.filter { $0[1] == 0xB2 }.allSatisfy { $0.count == 5 && $0[4] == 0 })
        #expect(card.sent.filter { $0[1] != 0xB2 }.allSatisfy { $0.last == 0 && Int($0[4]) == $0.count - 6 })
    }
}

@Suite("Kernel 2, 4, 5 and Interac")
struct GenerateACScenarioTests {
    static let scenarios: [Scenario] = [
        Scenario("ARQC without authentication", .onlineRequest, .onlineCryptogram, .noCVM) { $0.profile = "1080" },
        Scenario("ARQC with CDA", .onlineRequest, .onlineCryptogram, proved: true) {
            ($0.profile, $0.signature) = ("1180", .combined)
        },
        Scenario("SDA", .onlineRequest, .onlineCryptogram, proved: true, card: { $0.profile = "5080" }),
        Scenario("SDA, signature missing", .onlineRequest, .onlineCryptogram, proved: false) {
            ($0.profile, $0.omitted) = ("5080", [0x93])
        },
        Scenario(
            "TC with CDA", .approved, .approvedOffline, proved: true,
            card: { ($0.profile, $0.signature, $0.cid) = ("1180", .combined, 0x40) },
            reader: { configuration, _ in
                configuration.alwaysRequestsOnline = false
                configuration.combinations[0].floorLimit = 100_000
                configuration.terminal.actionCodeOnline = hex("0000000000")
            }),
        Scenario(
            "TC with a broken signature", .declined, .authenticationFailed, proved: false,
            card: {
                ($0.profile, $0.signature, $0.cid) = ("1180", .combined, 0x40)
                $0.tamper = (0xAE, { $0.dropLast(2) + [$0[$0.count - 2] ^ 1, 0xBC] })
            },
            reader: { configuration, _ in
                configuration.alwaysRequestsOnline = false
                configuration.terminal.actionCodeOnline = hex("0000000000")
                configuration.combinations[0].floorLimit = nil
            }),
        Scenario("ARQC with a broken signature: no cryptogram to send", .endApplication, .authenticationFailed) {
            ($0.profile, $0.signature) = ("1180", .combined)
            $0.tamper = (0xAE, { $0.dropLast(2) + [$0[$0.count - 2] ^ 1, 0xBC] })
        },
        Scenario(
            "CDA without the authority's key: plain ARQC", .onlineRequest, .onlineCryptogram, proved: false,
            card: { ($0.profile, $0.signature) = ("1180", .combined) },
            reader: { configuration, _ in configuration.authorities = AuthorityKeys() }),
        Scenario(
            "CDA without the authority's key, denied by action code", .declined, .actionCodes,
            card: { ($0.profile, $0.signature, $0.cid) = ("1180", .combined, 0) },
            reader: { configuration, _ in
                configuration.authorities = AuthorityKeys()
                configuration.terminal.actionCodeDenial = hex("0400000000")
            }),
        Scenario("AAC", .declined, .cardDeclined, card: { ($0.profile, $0.cid) = ("1080", 0) }),
        Scenario("TC where ARQC was asked for", .endApplication, .malformedData) {
            ($0.profile, $0.cid) = ("1080", 0x40)
        },
        Scenario("GENERATE AC 6985", .endApplication, .applicationRefused) {
            ($0.profile, $0.statuses) = ("1080", [0xAE: 0x6985])
        },
        Scenario("AIP missing", .endApplication, .dataMissing, card: { $0.omitted = [0x82] }),
        Scenario("AFL missing", .endApplication, .dataMissing, card: { $0.omitted = [0x94] }),
    ]

    @Test("Mastercard", arguments: scenarios)
    func mastercard(_ scenario: Scenario) throws { try scenario.check("A0000000041010") }

    @Test("American Express", arguments: scenarios)
    func amex(_ scenario: Scenario) throws { try scenario.check("A00000002501") }

    @Test("JCB", arguments: scenarios)
    func jcb(_ scenario: Scenario) throws { try scenario.check("A0000000651010") }

    @Test("Interac", arguments: scenarios.filter { !$0.testDescription.contains("Interac") })
    func interac(_ scenario: Scenario) throws { try scenario.check("A0000002771010") }

    @Test(
        "Status words of kernel 2 all select the next application",
        arguments: [0x6984, 0x6985, 0x6986, 0x6A81] as [UInt16])
    func statuses(_ status: UInt16) throws {
        let scenario = Scenario("status", .endApplication, .applicationRefused) {
            $0.statuses = [0xA8: StatusWord(rawValue: status)]
        }
        try scenario.check("A0000000041010")
    }

    @Test("Mag-stripe mode is refused, or read when it is switched on")
    func magStripe() throws {
        let card: @Sendable (MintedCard) -> Void = { ($0.profile, $0.omitted) = ("0000", [0x8C]) }
        try Scenario("off", .endApplication, .magStripeMode, card: card).check("A0000000041010")
        let scenario = Scenario(
            "on", .onlineRequest, .magStripeMode, card: card,
            reader: { configuration, _ in configuration.acceptsMagStripeMode = true })
        try scenario.check("A0000000041010")
        let sent = try scenario.run("A0000000041010").card.sent
        #expect(sent.last?.prefix(5) == hex("802A8E8004")[...] && sent.last?.count == 10)
    }

    @Test("Cardholder verification ends up in the CVM results")
    func verification() throws {
        func results(
            _ aid: String, _ card: @escaping @Sendable (MintedCard) -> Void, over isOver: Bool
        ) throws -> EMVReadResult {
            let amount: UInt64 = isOver ? 9900 : 1250
            let scenario = Scenario(
                "", .onlineRequest, .onlineCryptogram, card: card,
                reader: { (_: inout EMVConfiguration, transaction: inout EMVTransaction) in
                    transaction.amount = amount
                })
            return try scenario.run(aid).result
        }
        let list = try results("A0000000041010", { $0.profile = "1080" }, over: true)
        #expect(list.cvmResults == hex("420300") && list.outcome.verification == .onlinePIN)
        let below = try results("A0000000041010", { $0.profile = "1080" }, over: false)
        #expect(below.cvmResults == hex("1F0302") && below.outcome.verification == .noCVM)
        let device = try results("A0000000041010", { $0.profile = "1280" }, over: true)
        #expect(device.cvmResults == hex("010002") && device.outcome.verification == .confirmationCodeVerified)
        let deviceBelow = try results("A0000000041010", { $0.profile = "1280" }, over: false)
        #expect(deviceBelow.cvmResults == hex("3F0002"))
        let mobile = try results(
            "A00000002501", { ($0.profile, $0.recordObjects) = ("1040", [0x9F71: hex("010002")]) }, over: true)
        #expect(mobile.cvmResults == hex("010002") && mobile.outcome.verification == .confirmationCodeVerified)
        let without = try results("A0000000041010", { ($0.profile, $0.omitted) = ("1080", [0x8E]) }, over: true)
        #expect(without.verificationResults.contains(.cardDataMissing) && without.cvmResults == hex("3F0000"))
    }

    @Test("A device's own limit is another one")
    func deviceLimit() throws {
        for (profile, value) in [("1080", EMVOutcome.Value.endApplication), ("1280", .onlineRequest)] {
            let scenario = Scenario(
                profile, value, value == .onlineRequest ? .onlineCryptogram : .notAllowedContactless,
                card: { $0.profile = profile },
                reader: {
                    $0.combinations[0].transactionLimit = 5000
                    $0.combinations[0].onDeviceTransactionLimit = 20000
                    $1.amount = 9900
                })
            try scenario.check("A0000000041010")
        }
    }

    @Test("What the restrictions find is in the TVR")
    func restrictions() throws {
        let scenario = Scenario(
            "", .onlineRequest, .onlineCryptogram,
            card: { card in
                card.profile = "1080"
                card.recordObjects = [
                    0x5F24: hex("200101"), 0x5F25: hex("300101"), 0x9F07: hex("C000"), 0x9F08: hex("0009"),
                ]
            })
        let results = try scenario.run("A0000000041010").result.verificationResults
        let findings: [TerminalVerificationResults.Finding] = [
            .expired, .notYetEffective, .serviceNotAllowed, .versionsDiffer, .overFloorLimit,
            .authenticationNotPerformed,
        ]
        for finding in findings { #expect(results.contains(finding)) }
        #expect(results.description.contains("Expired application"))
    }

    @Test("Terminal objects that only one kernel knows")
    func ownTerminalObjects() throws {
        func values(_ aid: String, _ pdol: String, amount: UInt64 = 1250) throws -> String {
            let scenario = Scenario(
                "", .onlineRequest, .onlineCryptogram, card: { ($0.profile, $0.pdol) = ("1080", pdol) },
                reader: { (_: inout EMVConfiguration, transaction: inout EMVTransaction) in
                    transaction.amount = amount
                })
            let sent = try #require(try scenario.run(aid).card.sent.first { $0[1] == 0xA8 })
            return Hex.encode(sent[7..<(sent.count - 1)])
        }
        #expect(try values("A00000002501", "9F35019F6E049F6D01") == "E2" + "18E00000" + "C0")
        #expect(try values("A00000002501", "9F35019F6E049F6D01", amount: 9900) == "EA" + "18E04000" + "C8")
        #expect(try values("A0000000651010", "9F5303", amount: 9900) == "F00000")
        #expect(try values("A0000002771010", "9F58019F5E029F5F06") == "03" + "E000" + "000000000000")
        // Kernel 2 knows 9F53 as the transaction category code, and 9F6E and 9F66 as the card's own.
        #expect(try values("A0000000041010", "9F53019F6E049F6604") == "52" + "00000000" + "00000000")
    }

    @Test("Kernels 5 and Interac end with a read where there is no CDOL1")
    func readOnly() throws {
        for aid in ["A0000000651010", "A0000002771010"] {
            try Scenario("", .endApplication, .readOnly, card: { ($0.profile, $0.omitted) = ("1080", [0x8C]) }).check(
                aid)
        }
        try Scenario("", .endApplication, .dataMissing, card: { ($0.profile, $0.omitted) = ("1080", [0x8C]) })
            .check("A0000000041010")
    }

    @Test("A kernel may be registered under another number")
    func renumbered() throws {
        let (result, _) = try Scenario(
            "", .onlineRequest, .onlineCryptogram, card: { ($0.profile, $0.kernelIdentifier) = ("1080", [0x01]) },
            reader: { configuration, _ in
                configuration.kernels[1] = .interac
                configuration.combinations[0].kernel = 1
            }
        ).run("A0000002771010")
        #expect(result.kernel == 1 && result.outcome.value == .onlineRequest)
    }
}
