// SPDX-License-Identifier: Apache-2.0

import InAppProvisioning
import PassKit
import Testing

/// Groups W, H and what of P the emulated Wallet sees itself: one fault each, named by its own check.
@Suite("One fault of an app, one check")
@MainActor
struct MutantTests {
    /// A phone with a card of account `a` ending 1111, and perhaps a watch.
    nonisolated static func phone(hasWatch: Bool) -> (inout ProvisioningWallet.Setup) -> Void {
        { setup in
            setup.passes = [WalletPass(primaryAccountIdentifier: "a", suffix: "1111")]
            if hasWatch { setup.watch = ProvisioningWallet.Watch() }
        }
    }

    @Test("A card that every device has")
    func deviceLacksCard() async throws {
        let record = try await Bench(Self.phone(hasWatch: false)).add(HandlerDelegate(), account: "a")
        #expect(record.findings.ids == ["W-device-lacks-card"])
    }

    @Test("A card that one device has, and no account")
    func accountNamed() async throws {
        let record = try await Bench(Self.phone(hasWatch: true)).add(HandlerDelegate())
        #expect(record.findings.ids == ["W-account-named"] && record.outcome == .added && record.device == .watch)
    }

    @Test("A handler that is called when the user has cancelled")
    func afterCancel() async throws {
        let bench = Bench { $0.user.cancels = .waiting }
        let delegate = HandlerDelegate { _, _ in }
        _ = try await bench.add(delegate)
        try delegate.asked[0].answer()
        #expect(bench.wallet.findings.ids == ["H-not-after-cancel"])
    }

    /// Checks of these groups, and the tests that break each of them alone: here, and in DisciplineTests,
    /// WalletStateTests and StandInTests.
    nonisolated static let named: Set = [
        "P-entitlement", "P-one-sheet", "P-name-or-suffix", "P-name-and-suffix", "P-suffix-digits", "P-network",
        "P-no-card-number", "P-scheme", "H-delegate", "H-in-time", "H-failure-reported", "H-once", "H-not-late",
        "H-not-after-cancel", "H-not-empty", "W-device-lacks-card", "W-account-named", "W-availability",
        "W-association",
    ]

    @Test("Every check of these groups is broken by some test")
    func everyCheck() {
        // Property lists are InAppProvisioning's to look at.
        let lists: Set = ["P-extension-entitlement", "P-extension-points"]
        let groups: Set<ConformanceGroup> = [.preflight, .handler, .watch]
        #expect(Self.named.union(lists) == Set(ConformanceCheck.all.filter { groups.contains($0.group) }.map(\.id)))
    }
}
