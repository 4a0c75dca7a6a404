// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Published Swift listings for adding cards, compiled as they are and run in the emulated Wallet. They are not part of
/// the project: they are read from the folder beside `COUNTERTOP_VECTORS` at test time.
@Suite("Published listings")
struct ListingTests {
    static let isThere = Listing.text("000_") != nil && Listing.canBuild

    @Test("Apple's method: both declarations are met", .enabled(if: isThere, "no listings beside COUNTERTOP_VECTORS"))
    func appleMethod() throws {
        let blocks = try #require(Listing.text("000_")).components(separatedBy: "``` source\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first?.trimmingCharacters(in: .newlines) }
        try #require(blocks.count == 2)
        let finish = """
            func addPaymentPassViewController(
                _ controller: PKAddPaymentPassViewController, didFinishAdding pass: PKPaymentPass?, error: (any Error)?
            ) { print(pass?.primaryAccountNumberSuffix ?? "none", error == nil) }
            """
        let source = """
            \(Listing.imports)
            final class One: NSObject, PKAddPaymentPassViewControllerDelegate {
                \(blocks[0]) { handler(seal(certificates, nonce, nonceSignature)) }
                \(finish)
            }
            final class Other: NSObject, PKAddPaymentPassViewControllerDelegate {
                \(blocks[1]) { seal(certificates, nonce, nonceSignature) }
                \(finish)
            }
            \(Listing.issuer)
            for delegate in [One(), Other()] as [any PKAddPaymentPassViewControllerDelegate] {
                let wallet = ProvisioningWallet()
                let record = await wallet.use { await run(delegate) }
                print(record.outcome, record.findings.count)
            }
            """
        #expect(
            try Listing.run(["main.swift": source]) == """
                1111 true
                added 0
                1111 true
                added 0

                """)
    }

    /// The Swift of a page that lost its indentation and its fences: the run of lines from one that begins as `first` to
    /// the line before one that begins as `next`.
    private static func block(_ text: String, from first: String, to next: String) throws -> String {
        let lines = text.components(separatedBy: "\n")
        let begin = try #require(lines.firstIndex { $0.hasPrefix(first) })
        let end = try #require(lines[begin...].firstIndex { $0.hasPrefix(next) })
        return lines[begin..<end].joined(separator: "\n")
    }

    @Test(
        "The developer's guide: availability, sheet and delegate; its availability rule is wrong without a watch",
        .enabled(if: isThere, "no listings beside COUNTERTOP_VECTORS"))
    func developersGuide() throws {
        let text = try #require(Listing.text("002_"))
        let availability = try Self.block(text, from: "import PassKit", to: "The primaryAccountIdentifier")
        let presentation = try Self.block(text, from: "func presentAddToWallet", to: "Note the encryptionScheme")
        let delegate = try Self.block(text, from: "extension AddToWalletCoordinator", to: "Two things to watch")
        let contract = try Self.block(text, from: "struct ProvisioningRequest", to: "Keep the contract")
        let app = """
            \(availability)
            \(contract)
            final class AddToWalletCoordinator: NSObject {
                let backend = Backend()
                \(presentation)
            }
            \(delegate)
            """
        let main = """
            \(Listing.imports)
            \(Listing.issuer)
            for finding in WalletAvailability.findings({ canAddCardToWallet(primaryAccountIdentifier: $0) }) { print(finding.check.id, finding.evidence) }
            let wallet = ProvisioningWallet()
            for fails in [false, true] {
                let record = await wallet.use { () -> AddPassRecord? in
                    let coordinator = AddToWalletCoordinator()
                    coordinator.backend.fails = fails
                    let presenter = UIViewController()
                    coordinator.presentAddToWallet(cardHolderName: "Test Holder", last4: "1111", from: presenter)
                    return await (presenter.presentedViewController as? PKAddPaymentPassViewController)?.ended()
                }
                print(record?.outcome.rawValue ?? "no sheet", record?.findings.map(\\.check.id) ?? [])
            }
            """
        let backend = """
            import Foundation
            final class Backend: @unchecked Sendable {
                var fails = false
                struct Failure: Error {}
                func provisionPass(certificates: [Data], nonce: Data, nonceSignature: Data) async throws -> EncryptedPass {
                    if fails { throw Failure() }
                    let request = seal(certificates, nonce, nonceSignature)
                    return EncryptedPass(
                        encryptedPassData: request.encryptedPassData ?? Data(), activationData: request.activationData ?? Data(),
                        ephemeralPublicKey: request.ephemeralPublicKey ?? Data())
                }
            }
            """
        let output = try Listing.run(["main.swift": main, "App.swift": app, "Backend.swift": backend])
        let lines = output.components(separatedBy: "\n")
        #expect(
            lines.prefix(3) == [
                "W-availability says yes: on the phone, no watch is paired", "Card added successfully.", "added []",
            ])
        #expect(lines.dropFirst(3).first?.hasPrefix("Provisioning failed: ") == true)
        #expect(output.hasSuffix("noRequest [\"W-account-named\", \"W-device-lacks-card\", \"H-not-empty\"]\n"))
    }

    @Test(
        "The processor's example: its configuration, and its catch branch that never calls the handler",
        .enabled(if: isThere, "no listings beside COUNTERTOP_VECTORS"))
    func processorsExample() throws {
        let text = try #require(Listing.text("004_"))
        let configuration = try Self.block(text, from: "import PassKit", to: "If the card is being added")
        let second = text.components(separatedBy: "Swift Example").dropFirst().joined()
        let delegate = try Self.block(second, from: "import PassKit", to: "Notes")
        let app = delegate
        let main = """
            \(Listing.imports)
            number = "4761739001091234"
            struct PassItem { var deviceAccountIdentifier = "phone-account" }
            let phonePassItem = PassItem()
            let delegate = AddPaymentPassDelegate()
            let wallet = ProvisioningWallet()
            wallet.install()
            \(configuration.replacingOccurrences(of: "import PassKit", with: ""))
            UIViewController().present(viewController!, animated: true)
            print((await viewController!.ended()).outcome)
            var setup = ProvisioningWallet.Setup()
            setup.deadlines.request = .milliseconds(200)
            let other = ProvisioningWallet(setup)
            let record = await other.use { () -> AddPassRecord in
                Backend.fails = true
                let sheet = PKAddPaymentPassViewController(requestConfiguration: configuration, delegate: delegate)!
                UIViewController().present(sheet, animated: true)
                return await sheet.ended()
            }
            print(record.outcome, record.failures.map(\\.check.id))
            """
        let backend = """
            \(Listing.imports)
            \(Listing.issuer)
            enum Backend { nonisolated(unsafe) static var fails = false }
            struct SignedCard { var activationData: String; var ephemeralPublicKey: String; var encryptedData: String }
            struct Failure: Error {}
            func signCard(certificates: [Data], nonce: Data, nonceSignature: Data) async throws -> SignedCard {
                if Backend.fails { throw Failure() }
                let request = seal(certificates, nonce, nonceSignature)
                return SignedCard(
                    activationData: request.activationData!.base64EncodedString(),
                    ephemeralPublicKey: request.ephemeralPublicKey!.base64EncodedString(),
                    encryptedData: request.encryptedPassData!.base64EncodedString())
            }
            """
        let output = try Listing.run(["main.swift": main, "App.swift": app, "Backend.swift": backend])
        #expect(output.hasPrefix("added\n"))
        #expect(output.hasSuffix("timedOut [\"H-failure-reported\", \"H-in-time\"]\n"))
    }

    @Test(
        "The vendor's extension: every method compiles, and its status completes twice when its SDK fails",
        .enabled(if: isThere, "no listings beside COUNTERTOP_VECTORS"))
    func vendorsExtension() throws {
        let blocks = try #require(Listing.text("003_")).components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
        let handlers = blocks.filter { $0.contains("PKIssuerProvisioningExtensionHandler {") && $0.contains("TPCSDK") }
        try #require(handlers.count == 4)
        // Each listing has a class of the same name.
        let app =
            "import Dispatch\nimport Foundation\nimport FoundationNetworking\nimport PassKit\n"
            + handlers.enumerated().map { "enum Listing\($0) {\n\($1)\n}\n" }.joined()
        let main = """
            \(Listing.imports)
            final class Login: UIViewController, PKIssuerProvisioningExtensionAuthorizationProviding {
                var completionHandler: ((PKIssuerProvisioningExtensionAuthorizationResult) -> Void)?
            }
            var visit = ExtensionVisit()
            visit.screen = { Login() }
            visit.acts = { $0.completionHandler?(.authorized) }
            let wallet = ProvisioningWallet()
            for fails in [false, true] {
                TPCSDK.fails = fails
                let record = await wallet.visit(Listing0.IntentHandler(), visit)
                print(record.isListed, record.failures.map(\\.check.id))
            }
            TPCSDK.fails = false
            let record = await wallet.visit(Listing1.IntentHandler(), visit)
            print(record.entries.compactMap(\\.suffix))
            """
        let output = try Listing.run(["main.swift": main, "App.swift": app, "SDK.swift": Listing.vendorSDK])
        #expect(
            output == """
                true ["X-status-agrees"]
                false ["X-status-once"]
                ["1111", "1111"]

                """)
    }
}
