// SPDX-License-Identifier: Apache-2.0

import Foundation
import InAppProvisioning
import PassKit
import Testing

@Suite("The library")
struct LibraryTests {
    static func wallet(_ change: (inout ProvisioningWallet.Setup) -> Void = { _ in }) -> ProvisioningWallet {
        var setup = ProvisioningWallet.Setup()
        var pass = WalletPass(primaryAccountIdentifier: "a", suffix: "1111")
        pass.activation = .requiresActivation
        setup.passes = [pass]
        change(&setup)
        return ProvisioningWallet(setup)
    }

    @Test("A pass shows its account, suffixes and state")
    func properties() throws {
        let library = Self.wallet().use { PKPassLibrary() }
        let pass = try #require(library.passes().first?.secureElementPass)
        #expect(pass.primaryAccountIdentifier == "a")
        #expect(pass.primaryAccountNumberSuffix == "1111")
        #expect(pass.deviceAccountIdentifier == "phone-a")
        #expect(pass.passActivationState == .requiresActivation)
        #expect((pass as? PKPaymentPass)?.activationState == .requiresActivation)
        #expect(pass.devicePassIdentifier == nil)
        #expect(pass.pairedTerminalIdentifier == nil)
        #expect(pass.passType == .secureElement)
        #expect(!pass.isRemotePass)
        let same = library.pass(withPassTypeIdentifier: pass.passTypeIdentifier, serialNumber: pass.serialNumber)
        #expect(same == pass)
        #expect(same?.hash == pass.hash)
        #expect(library.containsPass(pass))
    }

    @Test("Activation, by handler and async, works once")
    func activation() async throws {
        let wallet = Self.wallet()
        let library = wallet.use { PKPassLibrary() }
        let pass = try #require(library.passes().first?.secureElementPass)
        #expect(library.isSecureElementPassActivationAvailable)
        #expect(try await library.activate(pass, activationData: Data([1])))
        #expect(library.passes().first?.secureElementPass?.passActivationState == .activated)
        #expect(wallet.notes == [.activatedPass(pass.serialNumber)])
        let outcome = Collected<String>()
        library.activate(pass, activationData: Data([1])) { success, error in
            outcome.add("\(success) \((error as NSError?)?.code ?? 0)")
        }
        #expect(outcome.all == ["false 2"])
        await #expect(throws: PKPassKitError.self) { try await library.activate(pass, activationData: Data()) }
    }

    @Test("Activation needs the entitlement")
    func activationNotEntitled() async throws {
        let wallet = Self.wallet()
        let library = wallet.use { PKPassLibrary() }
        let pass = try #require(library.passes().first?.secureElementPass)
        wallet.setup.hasEntitlement = false
        await #expect(throws: PKPassKitError(.notEntitledError)) {
            try await library.activate(pass, activationData: Data([1]))
        }
        library.removePass(pass)
        #expect(library.containsPass(pass))
    }

    @Test("Passes can be shown, removed and signed with; payment set-up is noted")
    func otherUses() throws {
        let wallet = Self.wallet()
        let library = wallet.use { PKPassLibrary() }
        let pass = try #require(library.passes().first?.secureElementPass)
        library.present(pass)
        library.openPaymentSetup()
        #expect(wallet.notes == [.presentedPass(pass.serialNumber), .openedPaymentSetup])
        let signed = Collected<Int>()
        library.sign(Data([1, 2]), using: pass) { data, signature, _ in
            signed.add(data?.count ?? -1)
            signed.add(signature?.count ?? -1)
        }
        #expect(signed.all == [2, 32])
        library.removePass(pass)
        #expect(library.passes().isEmpty)
        library.sign(Data(), using: pass) { _, _, error in signed.add((error as NSError?)?.code ?? 0) }
        #expect(signed.all.last == 4)
    }

    @Test("The wallet of a task hides the installed one")
    func currentWallet() async {
        let (one, other) = (Self.wallet(), Self.wallet { $0.passes = [] })
        await one.use {
            #expect(ProvisioningWallet.current === one)
            await Task { #expect(ProvisioningWallet.current === one) }.value
            other.use { #expect(PKPassLibrary().passes().isEmpty) }
            #expect(PKPassLibrary().passes().count == 1)
        }
    }
}
