// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import InAppProvisioning
import PassKit
import Testing

@Suite("Reports of the emulated Wallet")
@MainActor
struct ReportTests {
    @Test("A correct app and issuer get a report without failure or warning, in which every group of theirs passes")
    func clean() async throws {
        let bench = Bench()
        let record = try await bench.add(HandlerDelegate())
        #expect(record.report.isOK)
        #expect(record.report.warnings.isEmpty)
        #expect(record.report.diagnosis == nil)
        let passed = Set(record.report.results.filter { $0.verdict == .pass }.map(\.check.group))
        #expect(passed.isSuperset(of: [.preflight, .envelope, .payload, .handler, .watch]))
        #expect(bench.wallet.report() == record.report)
    }

    @Test("What comes after the end of a flow is in the wallet's report")
    func afterTheEnd() async throws {
        let bench = Bench()
        let delegate = HandlerDelegate { _, asked in
            bench.time.advance(by: .seconds(21))
            _ = asked
        }
        let record = try await bench.add(delegate)
        #expect(record.report["H-not-late"]?.verdict == .pass)
        try delegate.asked[0].answer()
        #expect(bench.wallet.report()["H-not-late"]?.verdict == .fail)
        #expect(!bench.wallet.report().isOK)
    }

    @Test("An ephemeral key that is used twice is named")
    func keyReuse() async throws {
        let bench = Bench { $0.watch = ProvisioningWallet.Watch() }
        let first = HandlerDelegate()
        _ = try await bench.add(first, account: "a")
        let kept = try #require(
            try first.asked.first.map { try TestIssuer().seal($0.certificates, $0.nonce, $0.signature) })
        for expected in [ConformanceVerdict.pass, .fail] {
            let delegate = HandlerDelegate { _, asked in asked.handler(kept) }
            let record = try await bench.add(delegate, account: "a")
            #expect(record.outcome == .refused)
            #expect(record.report["E-key-fresh"]?.verdict == expected)
            #expect(record.report["J-nonce"]?.verdict == .fail)
        }
    }

    /// What an issuer does wrong inside the envelope, and the one check that fails.
    nonisolated static let payloads: [(check: String, alter: @Sendable (inout [String: String]) -> Void)] = [
        ("J-required", { $0["name"] = nil }), ("J-nonce", { $0["nonce"] = "00000000" }),
        ("J-nonce-signature", { $0["nonceSignature"] = "40" }), ("J-expiration", { $0["expiration"] = "1235" }),
        ("J-not-past", { $0["expiration"] = "01/20" }), ("J-card-number", { $0["primaryAccountNumber"] = "4111" }),
        ("J-suffix", { $0["primaryAccountNumber"] = "5555555555554444" }), ("J-name", { $0["name"] = "" }),
    ]

    @Test("A wrong payload is refused, and named by its own check only", arguments: payloads.indices)
    func wrongPayload(index: Int) async throws {
        let delegate = HandlerDelegate { _, asked in try asked.answer(TestIssuer(alter: Self.payloads[index].alter)) }
        let record = try await Bench().add(delegate)
        #expect(record.outcome == .refused)
        #expect(record.failures.ids == [Self.payloads[index].check])
        #expect(delegate.errors.map(\.code) == [2])
    }

    @Test("Reports hold no card number, blob or signature")
    func noSecrets() async throws {
        let bench = Bench()
        let delegate = HandlerDelegate()
        let record = try await bench.add(delegate)
        let asked = try #require(delegate.asked.first)
        let signature = asked.signature.map { String(format: "%02x", $0) }.joined()
        let text = record.report.text() + record.report.json() + record.report.junit()
        #expect(!text.contains("4111111111111111"))
        #expect(!text.lowercased().contains(signature))
        #expect(!text.contains(asked.signature.base64EncodedString()))
    }
}

@Suite("A time that is told to pass")
struct ManualTimeTests {
    @Test("Sleepers wake when their time has come, in order, and when they are cancelled")
    func sleepers() async {
        let time = ManualTime()
        let woken = Collected<String>()
        let first = Task {
            await time.sleep(.seconds(1))
            woken.add("first")
        }
        let second = Task {
            await time.sleep(.seconds(2))
            woken.add("second")
        }
        while time.sleeperCount < 2 { await Task.yield() }
        time.advance(by: .milliseconds(999))
        #expect(time.sleeperCount == 2)
        time.advance(by: .milliseconds(1))
        await first.value
        #expect(woken.all == ["first"])
        second.cancel()
        await second.value
        #expect(time.sleeperCount == 0)
        #expect(time.uptime == .seconds(1))
        await time.sleep(.zero)
        await time.sleep(.seconds(-1))
    }
}
