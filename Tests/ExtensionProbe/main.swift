// SPDX-License-Identifier: Apache-2.0
// What a user's program for `countertop extension check` looks like. `[double | hang | crash | nothing | unopened]`.

import Foundation
import InAppProvisioning
import PassKit
import ProvisioningTesting
import WalletCrypto

/// An extension with one card, sealed here; a real one asks its back end.
final class ProbeExtension: PKIssuerProvisioningExtensionHandler, @unchecked Sendable {
    let fault = CommandLine.arguments.dropFirst().first ?? ""

    override func status(completion: @escaping @Sendable (PKIssuerProvisioningExtensionStatus) -> Void) {
        print("status was asked for")
        let status = PKIssuerProvisioningExtensionStatus()
        status.passEntriesAvailable = fault != "nothing"
        completion(status)
        if fault == "double" { completion(status) }
        if fault == "crash" { exit(3) }
    }

    override func passEntries() async -> [PKIssuerProvisioningExtensionPassEntry] {
        guard fault != "nothing",
            let configuration = PKAddPaymentPassRequestConfiguration(encryptionScheme: .ECC_V2)
        else { return [] }
        configuration.cardholderName = "A CARDHOLDER"
        configuration.primaryAccountSuffix = "1111"
        configuration.paymentNetwork = .visa
        let entry = PKIssuerProvisioningExtensionPaymentPassEntry(
            identifier: "card-1", title: "Test Card", art: CGImage(width: 1536, height: 969),
            addRequestConfiguration: configuration)
        return [entry].compactMap { $0 }
    }

    override func generateAddPaymentPassRequestForPassEntryWithIdentifier(
        _ identifier: String, configuration: PKAddPaymentPassRequestConfiguration,
        certificateChain certificates: [Data],
        nonce: Data, nonceSignature: Data
    ) async -> PKAddPaymentPassRequest? {
        guard
            let details = try? CardDetails(
                primaryAccountNumber: "4111111111111111", expiration: "12/35", name: "A CARDHOLDER"),
            let leaf = certificates.first.flatMap({ try? X509Certificate(der: [UInt8]($0)) })?.publicKey
        else { return nil }
        let text = CardPayload.clear(details).json(nonce: [UInt8](nonce), nonceSignature: [UInt8](nonceSignature))
        let other = try? P256PrivateKey.generate().publicKey
        guard let sealed = text.withUnsafeBytes({ try? ECCv2.seal($0, to: fault == "unopened" ? other ?? leaf : leaf) })
        else { return nil }
        let request = PKAddPaymentPassRequest()
        request.encryptedPassData = Data(sealed.encryptedPassData)
        request.ephemeralPublicKey = Data(sealed.ephemeralPublicKey)
        request.activationData = Data(RandomBytes.generate(32))
        return request
    }
}

// Never longer than a test that waits for it.
alarm(120)
if CommandLine.arguments.contains("hang") { sleep(100) }
await ExtensionHarness(ProbeExtension()).main()
