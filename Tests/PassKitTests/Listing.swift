// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Programs made of published listings.
enum Listing {
    static let imports = "import Foundation\nimport PassKit\n"

    /// The listing whose file begins so, in the folder beside `COUNTERTOP_VECTORS`.
    static func text(_ prefix: String) -> String? {
        guard let vectors = ProcessInfo.processInfo.environment["COUNTERTOP_VECTORS"] else { return nil }
        let seeds = URL(fileURLWithPath: vectors).deletingLastPathComponent().appendingPathComponent("seeds")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: seeds.path)) ?? []
        guard let name = names.first(where: { $0.hasPrefix(prefix) }) else { return nil }
        return try? String(contentsOf: seeds.appendingPathComponent(name), encoding: .utf8)
    }

    /// The folder that this test was built into; it holds the modules and their object files.
    static let build = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        .deletingLastPathComponent()
    static let canBuild = FileManager.default.fileExists(atPath: build.path + "/Modules/PassKit.swiftmodule")

    /// An issuer that seals a published test card, and a way to present a sheet.
    static let issuer = """
        import InAppProvisioning
        import WalletCrypto
        nonisolated(unsafe) var number = "4111111111111111"
        func seal(_ certificates: [Data], _ nonce: Data, _ signature: Data) -> PKAddPaymentPassRequest {
            func hex(_ data: Data) -> String { data.map { String(format: "%02x", $0) }.joined() }
            let leaf = try! X509Certificate(der: [UInt8](certificates[0]))
            let payload = [
                "primaryAccountNumber": number, "expiration": "12/35", "name": "TEST HOLDER",
                "nonce": hex(nonce), "nonceSignature": hex(signature),
            ]
            let sealed = try! ECCv2.seal([UInt8](JSONEncoder().encode(payload)), to: leaf.publicKey!)
            let request = PKAddPaymentPassRequest()
            request.encryptedPassData = Data(sealed.encryptedPassData)
            request.ephemeralPublicKey = Data(sealed.ephemeralPublicKey)
            request.activationData = Data("MBPAC".utf8)
            return request
        }
        @MainActor func run(_ delegate: any PKAddPaymentPassViewControllerDelegate) async -> AddPassRecord {
            let configuration = PKAddPaymentPassRequestConfiguration(encryptionScheme: .ECC_V2)!
            (configuration.cardholderName, configuration.primaryAccountSuffix) = ("Test Holder", "1111")
            configuration.paymentNetwork = .visa
            let sheet = PKAddPaymentPassViewController(requestConfiguration: configuration, delegate: delegate)!
            UIViewController().present(sheet, animated: true)
            return await sheet.ended()
        }
        """

    /// What the vendor's listings call: an SDK that is not public, and the app's key chain.
    static let vendorSDK = """
        import Foundation
        import PassKit
        enum TPCSDK {
            nonisolated(unsafe) static var fails = false
            struct Failure: Error {}
            static func configure(url: String, issuerId: String) throws { if fails { throw Failure() } }
            static func getToken(input: GetTokenInput, completion: @escaping (String?, String?, Error?) -> Void) {
                DispatchQueue.global().async { completion(nil, nil, nil) }
            }
            static func generateAddPaymentPassRequestForInput(
                _ input: GenerateAddPaymentPassRequestInput, completion: @escaping (PKAddPaymentPassRequest?, Error?) -> Void
            ) { completion(nil, Failure()) }
        }
        struct GetTokenInput { var last4: String }
        enum CardScheme { case Mastercard }
        final class GenerateAddPaymentPassRequestInput {
            var productId: String?
            init(
                scheme: CardScheme, encryptedPayload: String, authorizationCode: String, certificateChain: [Data], nonce: Data,
                nonceSignature: Data
            ) {}
        }
        func loadFromKeychain(key: String) -> String? { "1111" }
        """

    /// Compiles the files as an app does, in Swift 5 mode, and gives what the program prints.
    static func run(_ sources: [String: String]) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("listing-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let paths = try sources.map { name, text in
            let file = folder.appendingPathComponent(name)
            try Data(text.utf8).write(to: file)
            return file.path
        }
        let program = folder.appendingPathComponent("listing").path
        try compile(paths.sorted(), to: program)
        return try execute(program, []).text
    }

    private static func compile(_ sources: [String], to program: String) throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
        var arguments = ["swiftc", "-swift-version", "5", "-suppress-warnings", "-o", program]
        arguments += ["-I", build.path + "/Modules"] + sources
        for module in ["COpenSSL", "CArchive"] {
            arguments += ["-Xcc", "-fmodule-map-file=\(root)/Sources/\(module)/module.modulemap"]
        }
        arguments += ["-lcrypto", "-larchive"]
        let modules = [
            "PassKit", "InAppProvisioning", "EmulatedWallet", "ISO7816", "BERTLV", "WalletCrypto", "Logging",
        ]
        for module in modules {
            let folder = "\(build.path)/\(module).build"
            let files = try FileManager.default.subpathsOfDirectory(atPath: folder)
            arguments += files.filter { $0.hasSuffix(".o") }.map { "\(folder)/\($0)" }
        }
        var result = try execute("/usr/bin/env", Array(arguments))
        for (mark, sanitizer) in ["__tsan_": "thread", "__asan_": "address"] where result.text.contains(mark) {
            result = try execute("/usr/bin/env", Array(arguments) + ["-sanitize=\(sanitizer)"])
        }
        #expect(result.status == 0, "\(result.text)")
    }

    private static func execute(_ program: String, _ arguments: [String]) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}
