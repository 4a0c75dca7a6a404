// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
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

    static let canBuild = SampleCompiler.has("PassKit")

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
        return try SampleCompiler.run(program, []).text
    }

    private static let compiler = SampleCompiler(
        language: 5,
        modules: [
            "PassKit", "InAppProvisioning", "EmulatedWallet", "HostSystem", "ISO7816", "BERTLV", "WalletCrypto",
            "Logging",
        ], options: ["-suppress-warnings", "-lcrypto", "-larchive"])

    private static func compile(_ sources: [String], to program: String) throws {
        let result = try compiler.compile(sources, to: program)
        #expect(result.status == 0, "\(result.text)")
    }
}
