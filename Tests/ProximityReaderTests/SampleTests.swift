// SPDX-License-Identifier: Apache-2.0

import CardTesting
import EmulatedWallet
import Foundation
import TestSupport
import Testing
import WalletCrypto

/// Apple's published listings for reading a loyalty pass, compiled as they are and run against an emulated phone.
/// They are not part of the project: they are read from the folder beside `COUNTERTOP_VECTORS` at test time.
@Suite("Apple's sample code")
struct SampleTests {
    static let article: String? = {
        guard let vectors = ProcessInfo.processInfo.environment["COUNTERTOP_VECTORS"] else { return nil }
        let seeds = URL(fileURLWithPath: vectors).deletingLastPathComponent().appendingPathComponent("seeds")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: seeds.path)) ?? []
        guard let name = names.first(where: { $0.hasPrefix("001_") }) else { return nil }
        return try? String(contentsOf: seeds.appendingPathComponent(name), encoding: .utf8)
    }()

    static let isThere = article != nil && SampleCompiler.has("ProximityReader")

    private static let harness = """

        let token = try ReaderToken(merchantID: "merchant.example", expires: Date().addingTimeInterval(3600))
            .signed(with: DevelopmentTokenKey.load())
        let reader = PaymentCardReader()
        let collector = Task { [events = reader.events] in
            for await event in events.prefix(5) { print(event.name) }
        }
        let wrapper = WrapperClass()
        wrapper.reader = reader
        wrapper.session = try await reader.prepare(using: token)
        if let result = try await wrapper.session?.readVAS(request) {
            await collector.value
            for entry in result.entries { print(entry.id, entry.status, entry.customerVASData?.count ?? 0) }
        }
        try await wrapper.readLoyaltyPass(
            for: loyaltyPass1.id, merchantLoyaltyProgramName: "Program", merchantLoyaltyPassName: "Pass",
            provisioningURL: loyaltyPass1.url)
        print("done")
        """

    @Test(
        "The first two listings compile unchanged and read the emulated passes",
        .enabled(if: isThere, "COUNTERTOP_VECTORS is not set, or has no sample beside it"))
    func listings() throws {
        let text = try runSample(listing: 1, harness: Self.harness, phone: try Self.phone())
        #expect(
            text == """
                readyForTap
                cardDetected
                removeCard
                readCompleted
                userInterfaceDismissed
                pass.com.example-company.loyaltypass1 success 60
                pass.com.example-company.loyaltypass2 vasDataNotFound 0
                done

                """)
    }

    private static let paymentHarness = """

        let token = try ReaderToken(merchantID: "merchant.example", expires: Date().addingTimeInterval(3600))
            .signed(with: DevelopmentTokenKey.load())
        let reader = PaymentCardReader()
        let collector = Task { [events = reader.events] in
            for await event in events.prefix(5) { print(event.name) }
        }
        let wrapper = WrapperClass()
        wrapper.reader = reader
        wrapper.session = try await reader.prepare(using: token)
        let both = try await wrapper.session?.readPaymentCard(
            PaymentCardTransactionRequest(amount: 12.50, currencyCode: "USD", for: .purchase), vasRequest: request,
            stopOnVASResult: false)
        await collector.value
        print(both?.0?.outcome == .success, both?.0?.paymentCardData != nil, both?.0?.generalCardData != nil)
        print(both?.1?.entries.map { $0.status } ?? [], both?.1?.entries[0].customerVASData?.count ?? 0)
        try await wrapper.readPaymentAndLoyaltyPass(
            for: 5, passTypeIdentifier: loyaltyPass1.id, merchantLoyaltyProgramName: "Program",
            merchantLoyaltyPassName: "Pass", provisioningURL: loyaltyPass1.url)
        print("done")
        """

    @Test(
        "The third listing compiles unchanged and reads a pass and a payment in one emulated tap",
        .enabled(if: isThere, "COUNTERTOP_VECTORS is not set, or has no sample beside it"))
    func payment() throws {
        let text = try runSample(
            listing: 2, harness: Self.paymentHarness, phone: try Self.phone(paymentCard: #"{"network": "visa"}"#))
        #expect(
            text == """
                readyForTap
                cardDetected
                removeCard
                readCompleted
                userInterfaceDismissed
                true true true
                [ProximityReader.VASReadResult.ReadEntry.Status.success, \
                ProximityReader.VASReadResult.ReadEntry.Status.vasDataNotFound] 60
                done

                """)
    }

    @Test(
        "The third listing reads both through the real pcscd",
        .enabled(if: isThere, "COUNTERTOP_VECTORS is not set, or has no sample beside it"),
        .enabled(if: PrivatePCSCD.isAvailable, "no pcscd with vpcd on this machine"))
    func paymentThroughPCSCD() async throws {
        let daemon = try PrivatePCSCD()
        let definition = try PhoneDefinition(json: Array(try Self.phone(paymentCard: #"{"network": "visa"}"#).utf8))
        let card = VPCDCard(EmulatedPhone(definition), at: VPCDAddress(host: "127.0.0.1", port: daemon.port))
        try card.start()
        defer { card.stop() }
        try #require(try await card.waitUntilReady(timeout: .seconds(20)), "pcscd did not take the card")
        let text = try runSample(
            listing: 2, harness: Self.paymentHarness, phone: "{}",
            environment: daemon.environment.merging(["COUNTERTOP_READER": "pcsc:Virtual"]) { $1 })
        #expect(text.contains("true true true"))
        #expect(text.contains("Status.success"))
        #expect(text.hasSuffix("done\n"))
    }

    /// Compiles the first listing and another one with a main program, runs it on an emulated phone, and returns what it
    /// printed.
    private func runSample(
        listing: Int, harness: String, phone: String, environment: [String: String] = [:]
    ) throws -> String {
        let blocks = try #require(Self.article).split(separator: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
        try #require(blocks.count > listing)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sample-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func write(_ text: String, _ name: String) throws -> String {
            let file = folder.appendingPathComponent(name)
            try Data(text.utf8).write(to: file)
            return file.path
        }
        let imports = "import Foundation\nimport ProximityReader\n"
        let sources = [
            try write(imports + blocks[0] + harness, "main.swift"),
            try write(imports + blocks[listing], "Sample.swift"),
        ]
        let program = folder.appendingPathComponent("sample").path
        try compile(sources, to: program)
        let file = try write(phone, "phone.json")
        let own = ["COUNTERTOP_READER": "emulated:\(file)", "XDG_STATE_HOME": folder.path]
        return try SampleCompiler.run(program, [], environment: own.merging(environment) { $1 }).text
    }

    private static func phone(paymentCard: String? = nil) throws -> String {
        let key = try P256PrivateKey.generate().publicKey.subjectPublicKeyInfo(compressed: true)
        let card = paymentCard.map { #""paymentCard": \#($0), "# } ?? ""
        return """
            {\(card)"passes": [{"passTypeIdentifier": "pass.com.example-company.loyaltypass1",
              "nfc": {"message": "M-42", "encryptionPublicKey": "\(Data(key).base64EncodedString())"}}]}
            """
    }

    private static let compiler = SampleCompiler(
        language: 6,
        modules: [
            "ProximityReader", "AppleVAS", "EMVContactless", "EmulatedWallet", "HostSystem", "ISO7816", "BERTLV",
            "WalletCrypto", "PCSC", "APDUTrace", "Logging", "GRDB",
        ], options: ["-lcrypto", "-lpcsclite", "-larchive", "-lsqlite3"])

    private func compile(_ sources: [String], to program: String) throws {
        let result = try Self.compiler.compile(sources, to: program)
        #expect(result.status == 0, "\(result.text)")
        #expect(!result.text.contains("error:"))
    }
}
