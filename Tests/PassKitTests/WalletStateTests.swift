// SPDX-License-Identifier: Apache-2.0

import Foundation
import InAppProvisioning
import PassKit
import Testing

@Suite("Wallets in every state")
@MainActor
struct WalletStateTests {
    @Test("Both \"can add\" rules, the lists and the sheet follow the state", arguments: WalletAvailability.cases)
    func table(state: WalletAvailability.Case) {
        let wallet = state.wallet(account: "a")
        wallet.use {
            let library = PKPassLibrary()
            #expect(library.canAddSecureElementPass(primaryAccountIdentifier: "a") == state.canAdd)
            let lacks = !state.isOnPhone || state.hasWatch && !state.isOnWatch
            #expect(library.canAddPaymentPass(withPrimaryAccountIdentifier: "a") == lacks)
            #expect(library.canAddSecureElementPass(primaryAccountIdentifier: "b") == state.isEntitled)
            #expect(library.passes(of: .secureElement).count == (state.isOnPhone ? 1 : 0))
            #expect(library.passes(of: .barcode).isEmpty)
            #expect(library.remoteSecureElementPasses.count == (state.isOnWatch ? 1 : 0))
            #expect(PKAddPaymentPassViewController.canAddPaymentPass() == state.isEntitled)
            let sheet = Bench.configuration().flatMap {
                PKAddPaymentPassViewController(requestConfiguration: $0, delegate: nil)
            }
            #expect((sheet != nil) == state.isEntitled)
        }
        #expect(wallet.findings.ids == (state.isEntitled ? [] : ["P-entitlement"]))
    }

    @Test("There are twelve states")
    func caseCount() {
        #expect(WalletAvailability.cases.count == 12)
        #expect(Set(WalletAvailability.cases.map(\.description)).count == 12)
    }

    /// Set-ups in which nothing can be added.
    nonisolated static let closed: [(String, @Sendable (inout ProvisioningWallet.Setup) -> Void)] = [
        ("no entitlement", { $0.hasEntitlement = false }), ("restricted", { $0.isRestricted = true }),
        ("no secure element", { $0.device = .withoutSecureElement }), ("no Wallet", { $0.device = .withoutWallet }),
        ("quirk", { $0.quirks = [.cannotAdd] }),
    ]

    @Test("No sheet where nothing can be added", arguments: closed.indices)
    func closedWallet(index: Int) throws {
        let bench = Bench { Self.closed[index].1(&$0) }
        let configuration = try #require(Bench.configuration())
        bench.wallet.use {
            #expect(!PKAddPaymentPassViewController.canAddPaymentPass())
            #expect(PKAddPaymentPassViewController(requestConfiguration: configuration, delegate: nil) == nil)
            #expect(PKPassLibrary.isPassLibraryAvailable() == (Self.closed[index].0 != "no Wallet"))
        }
    }

    @Test("Without the network's association the app sees no pass, and \"can add\" stays true")
    func association() async throws {
        let bench = Bench { $0.hasAssociation = false }
        let record = try await bench.add(HandlerDelegate(), account: "a")
        #expect(record.outcome == .added)
        #expect(record.findings.ids == ["W-association"])
        let library = bench.wallet.use { PKPassLibrary() }
        #expect(library.passes().isEmpty)
        #expect(library.canAddSecureElementPass(primaryAccountIdentifier: "a"))
        #expect(bench.wallet.passes(on: .phone).count == 1)
        bench.wallet.setup.hasAssociation = true
        #expect(library.passes().count == 1)
    }

    @Test("The platform's fault of a paired watch that does not count")
    func ignoredWatch() {
        var setup = ProvisioningWallet.Setup()
        setup.watch = ProvisioningWallet.Watch()
        setup.passes = [WalletPass(primaryAccountIdentifier: "a", suffix: "1111")]
        setup.quirks = [.ignoresWatch]
        let library = ProvisioningWallet(setup).use { PKPassLibrary() }
        #expect(!library.canAddSecureElementPass(primaryAccountIdentifier: "a"))
    }

    @Test("An app's rule is tried in every state: the one without the watch's presence is wrong in two")
    func availability() {
        let right = WalletAvailability.findings {
            PKPassLibrary().canAddSecureElementPass(primaryAccountIdentifier: $0)
        }
        #expect(right == [])
        let wrong = WalletAvailability.findings { account in
            guard PKAddPaymentPassViewController.canAddPaymentPass() else { return false }
            let library = PKPassLibrary()
            let isOnPhone = library.passes(of: .payment).contains {
                ($0 as? PKPaymentPass)?.primaryAccountIdentifier == account
            }
            let isOnWatch = library.remoteSecureElementPasses.contains { $0.primaryAccountIdentifier == account }
            return !isOnPhone || !isOnWatch
        }
        #expect(wrong.ids == ["W-availability"])
        #expect(wrong.map(\.evidence) == ["says yes: on the phone, no watch is paired"])
    }

    /// Configurations, and what preflight says about them.
    nonisolated static let configurations:
        [(expected: [String], change: @Sendable (PKAddPaymentPassRequestConfiguration) -> Void)] = [
            ([], { _ in }), (["P-name-and-suffix"], { $0.cardholderName = nil }),
            (["P-name-and-suffix"], { $0.primaryAccountSuffix = "" }),
            (["P-name-or-suffix"], { ($0.cardholderName, $0.primaryAccountSuffix) = (nil, nil) }),
            (["P-suffix-digits"], { $0.primaryAccountSuffix = "123" }),
            (["P-suffix-digits"], { $0.primaryAccountSuffix = "12a4" }), (["P-network"], { $0.paymentNetwork = nil }),
            (["P-no-card-number"], { $0.localizedDescription = "Card 4111 1111 1111 1111" }),
            (
                ["P-no-card-number"],
                { $0.cardDetails = [PKLabeledValue(label: "Number", value: "4111-1111-1111-1111")] }
            ),
            ([], { $0.localizedDescription = "Account 4111 1111 1111 1112" }),
        ]

    @Test("What preflight says about a configuration", arguments: configurations.indices)
    func preflight(index: Int) async throws {
        let bench = Bench { $0.user.cancels = .sheet }
        let configuration = try #require(Bench.configuration())
        Self.configurations[index].change(configuration)
        let delegate = HandlerDelegate()
        let sheet = try #require(
            bench.wallet.use { PKAddPaymentPassViewController(requestConfiguration: configuration, delegate: delegate) }
        )
        UIViewController().present(sheet, animated: true)
        #expect(await sheet.ended().findings.ids == Self.configurations[index].expected)
    }
}
