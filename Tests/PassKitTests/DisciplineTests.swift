// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import InAppProvisioning
import PassKit
import Testing

@Suite("When and how often handlers are called")
@MainActor
struct DisciplineTests {
    @Test("An answer after 19.9 s counts, one after 20.1 s does not")
    func deadline() async throws {
        let (one, other) = (Bench(), Bench())
        let prompt = HandlerDelegate { _, asked in
            one.time.advance(by: .milliseconds(19_900))
            try asked.answer()
        }
        let first = try await one.add(prompt)
        #expect(first.outcome == .added)
        #expect(first.answeredAfter == .milliseconds(19_900))
        #expect(first.findings.ids == ["R-fast"])
        let late = HandlerDelegate { _, asked in
            other.time.advance(by: .milliseconds(20_100))
            try asked.answer()
        }
        let second = try await other.add(late)
        #expect(second.outcome == .timedOut)
        #expect(second.findings.ids == ["H-in-time", "H-not-late"])
        #expect(second.findings.last?.evidence == "after 20.1 s")
        #expect(late.errors.map(\.code) == [PKAddPaymentPassError.systemCancelled.rawValue])
        #expect(other.wallet.passes(on: .phone) == [])
    }

    @Test("The same when the answer comes from elsewhere while Wallet waits")
    func deadlineWhileWaiting() async throws {
        for (milliseconds, outcome) in [(19_900, AddPassRecord.Outcome.added), (20_100, .timedOut)] {
            let bench = Bench()
            let delegate = HandlerDelegate { _, _ in }
            let sheet = try bench.sheet(delegate)
            UIViewController().present(sheet, animated: true)
            await bench.pass(.milliseconds(milliseconds))
            try delegate.asked[0].answer()
            #expect(await sheet.ended().outcome == outcome)
        }
    }

    @Test("The limit can be set")
    func otherLimit() async throws {
        let bench = Bench { $0.deadlines.request = .seconds(90) }
        let delegate = HandlerDelegate { _, asked in
            bench.time.advance(by: .seconds(60))
            try asked.answer()
        }
        #expect(try await bench.add(delegate).outcome == .added)
    }

    @Test("A handler that is never called: the limit ends the flow; a call long after is a finding of its own")
    func hung() async throws {
        let bench = Bench()
        let delegate = HandlerDelegate { _, _ in }
        let sheet = try bench.sheet(delegate)
        UIViewController().present(sheet, animated: true)
        await bench.pass(.seconds(20))
        let record = await sheet.ended()
        #expect(record.outcome == .timedOut)
        #expect(record.failures.ids == ["H-in-time"])
        bench.time.advance(by: .seconds(40))
        try delegate.asked[0].answer()
        #expect(bench.wallet.findings.ids == ["H-in-time", "H-not-late"])
    }

    @Test("An app that dismisses the sheet instead of answering is named")
    func dismissed() async throws {
        let bench = Bench()
        let delegate = HandlerDelegate { controller, _ in controller.dismiss(animated: true) }
        let sheet = try bench.sheet(delegate)
        UIViewController().present(sheet, animated: true)
        await bench.pass(.seconds(20))
        #expect(await sheet.ended().failures.ids == ["H-failure-reported", "H-in-time"])
    }

    @Test("Two calls: the first counts, the second is a finding")
    func twice() async throws {
        let bench = Bench()
        let delegate = HandlerDelegate { _, asked in
            try asked.answer()
            asked.handler(PKAddPaymentPassRequest())
        }
        let record = try await bench.add(delegate)
        #expect(record.outcome == .added)
        #expect(record.failures.ids == ["H-once"])
        #expect(record.findings.first?.evidence == "call 2")
    }

    /// What is missing in a request, and the check that says so.
    nonisolated static let incomplete: [(String, @Sendable (PKAddPaymentPassRequest) -> Void)] = [
        ("everything", { ($0.encryptedPassData, $0.activationData, $0.ephemeralPublicKey) = (nil, nil, nil) }),
        ("encryptedPassData", { $0.encryptedPassData = nil }), ("activationData", { $0.activationData = nil }),
        ("ephemeralPublicKey", { $0.ephemeralPublicKey = nil }), ("empty data", { $0.encryptedPassData = Data() }),
    ]

    @Test("A request without one of its parts", arguments: incomplete.indices)
    func incompleteRequest(index: Int) async throws {
        let bench = Bench()
        let delegate = HandlerDelegate { _, asked in
            let request = try TestIssuer().seal(asked.certificates, asked.nonce, asked.signature)
            Self.incomplete[index].1(request)
            asked.handler(request)
        }
        let record = try await bench.add(delegate)
        #expect(record.outcome == (index == 0 ? .noRequest : .refused))
        #expect(record.failures.ids == [index == 0 ? "H-not-empty" : "E-blobs-present"])
        #expect(delegate.errors.map(\.code) == [2])
    }

    @Test("A delegate that is gone")
    func goneDelegate() async throws {
        let bench = Bench()
        var delegate: HandlerDelegate? = HandlerDelegate()
        let sheet = try bench.sheet(try #require(delegate))
        delegate = nil
        UIViewController().present(sheet, animated: true)
        let record = await sheet.ended()
        #expect(record.outcome == .unsupported)
        #expect(record.failures.ids == ["H-delegate"])
    }

    @Test("Bits that flip, a cut tag, another card's answer and a replayed one are refused")
    func tampered() async throws {
        let changes: [@Sendable (PKAddPaymentPassRequest) -> Void] = [
            { $0.encryptedPassData?[3] ^= 1 }, { $0.encryptedPassData?.removeLast() },
            { $0.ephemeralPublicKey?.removeFirst() }, { $0.encryptedPassData = Data(repeating: 0, count: 5) },
        ]
        for change in changes {
            let delegate = HandlerDelegate { _, asked in
                let request = try TestIssuer().seal(asked.certificates, asked.nonce, asked.signature)
                change(request)
                asked.handler(request)
            }
            #expect(try await Bench().add(delegate).outcome == .refused)
        }
        let bench = Bench()
        let first = HandlerDelegate()
        _ = try await bench.add(first)
        let replay = HandlerDelegate { _, asked in
            let old = first.asked[0]
            asked.handler(
                try TestIssuer(pan: "5555555555554444").seal(asked.certificates, old.nonce, old.signature))
        }
        let record = try await bench.add(replay, suffix: "4444")
        #expect(record.outcome == .refused)
        #expect(bench.wallet.passes(on: .phone).count == 1)
    }

    @Test("RSA_V2 is not asked for")
    func rsa() async throws {
        let bench = Bench()
        let delegate = HandlerDelegate()
        let configuration = try #require(PKAddPaymentPassRequestConfiguration(encryptionScheme: .RSA_V2))
        configuration.cardholderName = "Test Holder"
        let sheet = try #require(
            bench.wallet.use { PKAddPaymentPassViewController(requestConfiguration: configuration, delegate: delegate) }
        )
        UIViewController().present(sheet, animated: true)
        let record = await sheet.ended()
        #expect(record.outcome == .unsupported)
        #expect(record.findings.contains { $0.id == "P-scheme" && $0.verdict == .notVerifiable })
        #expect(delegate.errors.map(\.code) == [0])
        #expect(PKAddPaymentPassRequestConfiguration(encryptionScheme: PKEncryptionScheme(rawValue: "X")) == nil)
    }
}
