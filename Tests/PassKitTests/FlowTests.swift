// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import InAppProvisioning
import PassKit
import Testing

@Suite("A card through the sheet")
@MainActor
struct FlowTests {
    @Test("Both forms of the delegate lead to a pass, without a finding")
    func bothForms() async throws {
        let (one, other) = (Bench(), Bench())
        let handler = HandlerDelegate()
        let first = try await one.add(handler)
        #expect(first.outcome == .added)
        #expect(first.findings == [])
        #expect(handler.passes.map(\.primaryAccountNumberSuffix) == ["1111"])
        #expect(handler.errors.isEmpty)
        let async = AsyncDelegate()
        let second = try await other.add(async)
        #expect(second.outcome == .added)
        #expect(second.findings == [])
        #expect(async.passes.map(\.localizedDescription) == ["Test Card"])
        #expect(other.wallet.flows == [second])
    }

    @Test("A delegate with neither form answers with an empty request")
    func neitherForm() async throws {
        let delegate = SilentDelegate()
        let record = try await Bench().add(delegate)
        #expect(record.outcome == .noRequest)
        #expect(record.failures.ids == ["H-not-empty"])
        #expect(delegate.errors.map(\.code) == [2])
    }

    @Test("What the delegate is asked with: leaf and sub-CA or three certificates, 4 and 81 bytes", arguments: [2, 3])
    func challenge(count: Int) async throws {
        let bench = Bench { $0.certificateCount = count }
        let delegate = HandlerDelegate()
        _ = try await bench.add(delegate)
        let asked = try #require(delegate.asked.first)
        #expect(asked.certificates.count == count)
        #expect(asked.nonce.count == 4)
        #expect(asked.signature.count == 81)
        #expect(asked.signature.first == 0x40)
    }

    @Test("Several cards in a row, and the same one again is refused")
    func severalCards() async throws {
        let bench = Bench()
        for (pan, suffix) in [("4111111111111111", "1111"), ("5555555555554444", "4444"), ("378282246310005", "0005")] {
            let delegate = HandlerDelegate { try $1.answer(TestIssuer(pan: pan)) }
            #expect(try await bench.add(delegate, suffix: suffix).outcome == .added)
        }
        #expect(bench.wallet.passes(on: .phone).map(\.primaryAccountNumberSuffix) == ["1111", "4444", "0005"])
        #expect(Set(bench.wallet.passes(on: .phone).map(\.primaryAccountIdentifier)).count == 3)
        let again = HandlerDelegate()
        let record = try await bench.add(again)
        #expect(record.outcome == .refused)
        #expect(record.findings.ids == ["W-account-named", "W-device-lacks-card", "W-device-lacks-card"])
        #expect(again.errors.map(\.code) == [2])
        #expect(bench.wallet.passes(on: .phone).count == 3)
    }

    @Test("Phone first, then the watch: one account, two device accounts")
    func phoneThenWatch() async throws {
        let bench = Bench { $0.watch = ProvisioningWallet.Watch() }
        let first = try await bench.add(HandlerDelegate(), account: "account-7")
        let second = try await bench.add(HandlerDelegate(), account: "account-7")
        #expect([first.device, second.device] == [.phone, .watch])
        #expect([first.outcome, second.outcome] == [.added, .added])
        #expect(first.pass?.primaryAccountIdentifier == second.pass?.primaryAccountIdentifier)
        #expect(first.pass?.deviceAccountIdentifier != second.pass?.deviceAccountIdentifier)
        let library = bench.wallet.use { PKPassLibrary() }
        #expect(library.passes().map(\.isRemotePass) == [false])
        #expect(library.remoteSecureElementPasses.map(\.deviceName) == ["Emulated Watch"])
        #expect(!library.canAddSecureElementPass(primaryAccountIdentifier: "account-7"))
        let third = try await bench.add(HandlerDelegate(), account: "account-7")
        #expect(third.outcome == .refused)
        #expect(third.failures.ids == ["W-device-lacks-card", "W-device-lacks-card"])
    }

    @Test("A pass on the watch shows up in the library when its delay is over")
    func watchDelay() async throws {
        let bench = Bench { setup in
            setup.watch = ProvisioningWallet.Watch()
            setup.watch?.delay = .seconds(1)
            setup.user.device = .watch
        }
        #expect(try await bench.add(HandlerDelegate()).device == .watch)
        let library = bench.wallet.use { PKPassLibrary() }
        #expect(library.remoteSecureElementPasses.isEmpty)
        bench.time.advance(by: .milliseconds(1001))
        #expect(library.remoteSecureElementPasses.count == 1)
    }

    @Test("A card that is told of the addition, and a notification while a library lives")
    func told() async throws {
        let added = Collected<String>()
        let bench = Bench { $0.cardAdded = { added.add("\($0.expiration ?? "") \($1.rawValue)") } }
        let posted = Collected<String>()
        let name = Notification.Name(PKPassLibraryNotificationName.PKPassLibraryDidChange.rawValue)
        let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
            posted.add("changed")
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        let library = bench.wallet.use { PKPassLibrary() }
        _ = try await bench.add(HandlerDelegate())
        #expect(library.passes().count == 1)
        #expect(added.all == ["12/35 phone"])
        #expect(posted.all.isEmpty == false)
    }

    @Test("The user cancels", arguments: ProvisioningWallet.Moment.allCases)
    func cancels(at moment: ProvisioningWallet.Moment) async throws {
        let bench = Bench { $0.user.cancels = moment }
        let delegate = HandlerDelegate { _, asked in
            if moment == .terms { try asked.answer() }
        }
        let record = try await bench.add(delegate)
        #expect(record.outcome == .userCancelled)
        #expect(delegate.errors.map(\.code) == [PKAddPaymentPassError.userCancelled.rawValue])
        #expect(delegate.errors.map(\.domain) == [PKPassKitErrorDomain])
        #expect(delegate.asked.count == (moment == .sheet ? 0 : 1))
        #expect(bench.wallet.passes(on: .phone) == [])
        guard moment == .waiting else { return }
        try delegate.asked[0].answer()
        #expect(bench.wallet.findings.ids == ["H-not-after-cancel"])
    }

    @Test(
        "The app's process ends: nobody is told, nothing is added, and the next card works",
        arguments: ProvisioningWallet.Moment.allCases)
    func killed(at moment: ProvisioningWallet.Moment) async throws {
        let bench = Bench { $0.user.killsApp = moment }
        let delegate = HandlerDelegate { _, asked in
            if moment == .terms { try asked.answer() }
        }
        #expect(try await bench.add(delegate).outcome == .appKilled)
        #expect(delegate.errors.isEmpty)
        #expect(delegate.passes.isEmpty)
        #expect(bench.wallet.passes(on: .phone) == [])
        bench.wallet.setup.user.killsApp = nil
        #expect(try await bench.add(HandlerDelegate()).outcome == .added)
    }
}
