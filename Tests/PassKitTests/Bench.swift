// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import HostSystem
import ISO7816
import InAppProvisioning
import PassKit
import Testing
import WalletCrypto

/// An issuer that seals a published test card for whoever asks.
struct TestIssuer: Sendable {
    var pan = "4111111111111111"
    var expiration = "12/35"
    var name = "TEST HOLDER"
    /// Changes the payload before it is sealed.
    var alter: @Sendable (inout [String: String]) -> Void = { _ in }

    func seal(_ certificates: [Data], _ nonce: Data, _ signature: Data) throws -> PKAddPaymentPassRequest {
        let leaf = try X509Certificate(der: [UInt8](try #require(certificates.first)))
        var payload = [
            "primaryAccountNumber": pan, "expiration": expiration, "name": name,
            "nonce": Hex.encode(nonce).lowercased(),
            "nonceSignature": Hex.encode(signature).lowercased(),
        ]
        alter(&payload)
        let sealed = try ECCv2.seal([UInt8](JSONEncoder().encode(payload)), to: try #require(leaf.publicKey))
        let request = PKAddPaymentPassRequest()
        request.encryptedPassData = Data(sealed.encryptedPassData)
        request.ephemeralPublicKey = Data(sealed.ephemeralPublicKey)
        request.activationData = Data("one-time".utf8)
        return request
    }
}

/// What a delegate is asked with.
struct Asked: Sendable {
    var certificates: [Data]
    var nonce: Data
    var signature: Data
    var handler: @Sendable (PKAddPaymentPassRequest) -> Void

    func answer(_ issuer: TestIssuer = TestIssuer()) throws {
        handler(try issuer.seal(certificates, nonce, signature))
    }
}

/// A delegate in the form with a handler, whose behaviour is a closure.
final class HandlerDelegate: NSObject, PKAddPaymentPassViewControllerDelegate {
    var onAsked: (PKAddPaymentPassViewController, Asked) throws -> Void
    var asked: [Asked] = []
    var passes: [PKPaymentPass] = []
    var errors: [NSError] = []

    init(_ onAsked: @escaping (PKAddPaymentPassViewController, Asked) throws -> Void = { try $1.answer() }) {
        self.onAsked = onAsked
        super.init()
    }

    func addPaymentPassViewController(
        _ controller: PKAddPaymentPassViewController, generateRequestWithCertificateChain certificates: [Data],
        nonce: Data, nonceSignature: Data,
        completionHandler handler: @escaping @Sendable (PKAddPaymentPassRequest) -> Void
    ) {
        let ask = Asked(certificates: certificates, nonce: nonce, signature: nonceSignature, handler: handler)
        asked.append(ask)
        do { try onAsked(controller, ask) } catch { Issue.record(error) }
    }

    func addPaymentPassViewController(
        _ controller: PKAddPaymentPassViewController, didFinishAdding pass: PKPaymentPass?, error: (any Error)?
    ) {
        if let pass { passes.append(pass) }
        if let error { errors.append(error as NSError) }
        controller.dismiss(animated: true)
    }
}

/// A delegate in the async form.
final class AsyncDelegate: NSObject, PKAddPaymentPassViewControllerDelegate {
    var issuer = TestIssuer()
    var passes: [PKPaymentPass] = []
    var errors: [NSError] = []

    func addPaymentPassViewController(
        _ controller: PKAddPaymentPassViewController, generateRequestWithCertificateChain certificates: [Data],
        nonce: Data, nonceSignature: Data
    ) async -> PKAddPaymentPassRequest {
        await Task.yield()
        return (try? issuer.seal(certificates, nonce, nonceSignature)) ?? PKAddPaymentPassRequest()
    }

    func addPaymentPassViewController(
        _ controller: PKAddPaymentPassViewController, didFinishAdding pass: PKPaymentPass?, error: (any Error)?
    ) {
        if let pass { passes.append(pass) }
        if let error { errors.append(error as NSError) }
    }
}

/// A delegate with neither form of the first method.
final class SilentDelegate: NSObject, PKAddPaymentPassViewControllerDelegate {
    var errors: [NSError] = []
    func addPaymentPassViewController(
        _ controller: PKAddPaymentPassViewController, didFinishAdding pass: PKPaymentPass?, error: (any Error)?
    ) { if let error { errors.append(error as NSError) } }
}

/// A wallet whose time is told to pass.
struct Bench {
    let time = ManualTime()
    let wallet: ProvisioningWallet

    init(_ change: (inout ProvisioningWallet.Setup) -> Void = { _ in }) {
        var setup = ProvisioningWallet.Setup()
        setup.time = HostTime(
            now: { Date() }, uptime: { [time] in time.uptime }, sleep: { [time] in await time.sleep($0) })
        change(&setup)
        wallet = ProvisioningWallet(setup)
    }

    static func configuration(account: String? = nil, suffix: String = "1111") -> PKAddPaymentPassRequestConfiguration?
    {
        let configuration = PKAddPaymentPassRequestConfiguration(encryptionScheme: .ECC_V2)
        configuration?.cardholderName = "Test Holder"
        configuration?.primaryAccountSuffix = suffix
        configuration?.primaryAccountIdentifier = account
        configuration?.paymentNetwork = .visa
        configuration?.localizedDescription = "Test Card"
        return configuration
    }

    /// A sheet on this wallet.
    @MainActor
    func sheet(
        _ delegate: any PKAddPaymentPassViewControllerDelegate, account: String? = nil, suffix: String = "1111"
    ) throws -> PKAddPaymentPassViewController {
        let configuration = try #require(Self.configuration(account: account, suffix: suffix))
        return try #require(
            wallet.use { PKAddPaymentPassViewController(requestConfiguration: configuration, delegate: delegate) })
    }

    /// Presents a sheet and waits for its end.
    @MainActor
    func add(
        _ delegate: any PKAddPaymentPassViewControllerDelegate, account: String? = nil, suffix: String = "1111"
    ) async throws -> AddPassRecord {
        let sheet = try sheet(delegate, account: account, suffix: suffix)
        UIViewController().present(sheet, animated: true)
        return await sheet.ended()
    }

    /// Lets time pass once somebody waits for it.
    func pass(_ duration: Duration) async {
        while time.sleeperCount == 0 { await Task.yield() }
        time.advance(by: duration)
    }
}

extension Collection<ConformanceResult> {
    /// The checks that failed or warned.
    var ids: [String] { map(\.check.id) }
}
