// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Apple's published sample for loyalty passes, as it stands in the documents beside the checkout: its first two
/// Swift listings are compiled unchanged against the module and read an emulated pass.
@Suite("Apple's sample")
struct AppleSampleTests {
    /// The documents that the project started from stand beside the vectors; nothing of them is in the project.
    static let article: String? = {
        guard let vectors = ProcessInfo.processInfo.environment["COUNTERTOP_VECTORS"] else { return nil }
        let seeds = URL(filePath: vectors).deletingLastPathComponent().appending(path: "seeds")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: seeds.path())) ?? []
        let name = names.first { $0.hasPrefix("001_") }
        return name.flatMap { try? String(contentsOf: seeds.appending(path: $0), encoding: .utf8) }
    }()

    @Test(.enabled(if: article != nil, "Apple's article is not beside the vectors, or COUNTERTOP_VECTORS is not set"))
    func firstTwoListingsReadAPass() async throws {
        let listings = try #require(Self.article).components(separatedBy: "```swift\n").dropFirst().prefix(2)
            .compactMap { $0.components(separatedBy: "\n```").first }
        try #require(listings.count == 2)
        let phone = try TestPhone()
        try phone.folder.write("Listings.swift", "import Foundation\nimport ProximityReader\n" + listings[1])
        try phone.folder.write("main.swift", Self.program(listing: listings[0]))
        try await compile(in: phone.folder)

        let token = try await ToolProcess.run(["token"], in: phone.folder)
        #expect(token.status == 0, "\(token.talk)")
        let text = token.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let output = try await run(in: phone.folder, token: text, phone: phone.file())
        let lines = output.split(separator: "\n").map(String.init)
        #expect(lines.contains("merchants pass.com.example-company.loyaltypass1 pass.com.example-company.loyaltypass2"))
        #expect(
            lines.filter { $0.hasPrefix("event ") } == [
                "event readyForTap", "event cardDetected", "event removeCard", "event readCompleted",
                "event userInterfaceDismissed",
            ])
        #expect(lines.last == "done")
    }

    /// The first listing stands at the top of a program as it stands in the article; the second one's class is used
    /// as an app would use it.
    private static func program(listing: String) -> String {
        """
        import Foundation
        import ProximityReader

        \(listing)

        print("merchants", request.vasMerchants.map(\\.id).joined(separator: " "))
        let reader = PaymentCardReader()
        let session = try await reader.prepare(using: .init(rawValue: CommandLine.arguments[1]))
        let wrapper = WrapperClass()
        wrapper.session = session
        // The listing's own loop would take the events; a second reader object keeps its stream to itself.
        wrapper.reader = PaymentCardReader()
        let watching = Task {
            for await event in reader.events {
                print("event", event.name)
                if event.name == "userInterfaceDismissed" { break }
            }
        }
        try await wrapper.readLoyaltyPass(
            for: "pass.com.example.club", merchantLoyaltyProgramName: "Example Club",
            merchantLoyaltyPassName: "Example Club Card", provisioningURL: URL(string: "https://example.com/join"))
        await watching.value
        print("done")
        """
    }

    private func compile(in folder: TemporaryFolder) async throws {
        let build = ToolProcess.buildFolder.path()
        let objects = try Self.objects(
            of: [
                "BERTLV", "ISO7816", "WalletCrypto", "PCSC", "APDUTrace", "EmulatedWallet", "AppleVAS",
                "ProximityReader", "Logging",
            ], below: build)
        let includes = ["COpenSSL", "CPCSCLite", "CArchive"].flatMap {
            ["-Xcc", "-fmodule-map-file=\(Self.sources)/\($0)/module.modulemap"]
        }
        let pcsc = ["-Xcc", "-I/usr/include/PCSC"]
        let arguments =
            ["-swift-version", "5", "-I", build + "/Modules"] + includes + pcsc
            + [folder.path("main.swift"), folder.path("Listings.swift"), "-o", folder.path("sample")] + objects
            + ["-lssl", "-lcrypto", "-lpcsclite", "-larchive"]
        let (status, output) = try await Self.launch("/usr/bin/env", ["swiftc"] + arguments, folder, [:])
        try #require(status == 0, "the sample does not compile: \(output)")
    }

    private func run(in folder: TemporaryFolder, token: String, phone: String) async throws -> String {
        let environment = ["COUNTERTOP_READER": "emulated:\(phone)", "XDG_STATE_HOME": folder.url.path()]
        let (status, output) = try await Self.launch(folder.path("sample"), [token], folder, environment)
        #expect(status == 0, "\(output)")
        return output
    }

    private static let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources").path()

    /// The object files that SwiftPM left for these targets.
    private static func objects(of targets: [String], below build: String) throws -> [String] {
        try targets.flatMap { target in
            let folder = build + "/\(target).build"
            let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
            return names.filter { $0.hasSuffix(".o") }.sorted().map { folder + "/" + $0 }
        }
    }

    private static func launch(
        _ program: String, _ arguments: [String], _ folder: TemporaryFolder, _ environment: [String: String]
    ) async throws -> (Int32, String) {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let log = try folder.write(UUID().uuidString, "")
        process.standardOutput = FileHandle(forWritingAtPath: log)
        process.standardError = process.standardOutput
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let end = Date(timeIntervalSinceNow: 180)
        while process.isRunning, Date() < end { try await Task.sleep(for: .milliseconds(50)) }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        return (process.terminationStatus, try folder.text(log))
    }
}
