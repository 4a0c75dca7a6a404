// SPDX-License-Identifier: Apache-2.0

import EmulatedWallet
import Foundation
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

    /// The folder that this test was built into; it holds the modules and their object files.
    static let build = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        .deletingLastPathComponent()
    static let isThere =
        article != nil && FileManager.default.fileExists(atPath: build.path + "/Modules/ProximityReader.swiftmodule")

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

    /// Compiles the first listing and another one with a main program, runs it on an emulated phone, and returns what it
    /// printed.
    private func runSample(listing: Int, harness: String, phone: String) throws -> String {
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
        return try Self.run(
            program, [], environment: ["COUNTERTOP_READER": "emulated:\(file)", "XDG_STATE_HOME": folder.path]
        ).text
    }

    private static func phone(paymentCard: String? = nil) throws -> String {
        let key = try P256PrivateKey.generate().publicKey.subjectPublicKeyInfo(compressed: true)
        let card = paymentCard.map { #""paymentCard": \#($0), "# } ?? ""
        return """
            {\(card)"passes": [{"passTypeIdentifier": "pass.com.example-company.loyaltypass1",
              "nfc": {"message": "M-42", "encryptionPublicKey": "\(Data(key).base64EncodedString())"}}]}
            """
    }

    private func compile(_ sources: [String], to program: String) throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
        var arguments = ["swiftc", "-swift-version", "6", "-o", program, "-I", Self.build.path + "/Modules"] + sources
        for module in ["COpenSSL", "CPCSCLite", "CArchive"] {
            arguments += ["-Xcc", "-fmodule-map-file=\(root)/Sources/\(module)/module.modulemap"]
        }
        arguments += ["-Xcc", "-I/usr/include/PCSC", "-lcrypto", "-lpcsclite", "-larchive"]
        let modules = [
            "ProximityReader", "AppleVAS", "EMVContactless", "EmulatedWallet", "ISO7816", "BERTLV", "WalletCrypto",
            "PCSC", "APDUTrace",
            "Logging",
        ]
        for module in modules {
            let folder = "\(Self.build.path)/\(module).build"
            let files = try FileManager.default.subpathsOfDirectory(atPath: folder)
            // An object whose source was removed stays in the folder.
            let sources = try? FileManager.default.subpathsOfDirectory(atPath: "\(root)/Sources/\(module)")
            let current = sources.map { Set($0.map { ($0 as NSString).lastPathComponent + ".o" }) }
            arguments += files.filter { $0.hasSuffix(".o") && current?.contains($0) ?? true }
                .map { "\(folder)/\($0)" }
        }
        var result = try Self.run("/usr/bin/env", arguments)
        for (mark, sanitizer) in ["__tsan_": "thread", "__asan_": "address"] where result.text.contains(mark) {
            result = try Self.run("/usr/bin/env", arguments + ["-sanitize=\(sanitizer)"])
        }
        #expect(result.status == 0, "\(result.text)")
        #expect(!result.text.contains("error:"))
    }

    private static func run(
        _ program: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}
