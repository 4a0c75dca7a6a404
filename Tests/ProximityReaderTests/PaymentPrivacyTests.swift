// SPDX-License-Identifier: Apache-2.0

import EMVContactless
import Foundation
import Logging
import Synchronization
import Testing
import WalletCrypto

@testable import ProximityReader

/// Everything that is logged, as one text.
final class LoggedText: Sendable {
    private let lines = Mutex("")
    var text: String { lines.withLock { $0 } }

    func logger() -> Logger {
        var logger = Logger(label: "test", factory: { _ in Handler(owner: self) })
        logger.logLevel = .trace
        return logger
    }

    struct Handler: LogHandler {
        let owner: LoggedText
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            owner.lines.withLock { $0 += "\(event.level) \(event.message) \(event.metadata ?? [:])\n" }
        }
    }
}

@Suite("What a payment read shows of the card, and what the log says")
struct PaymentPrivacyTests {
    private func text(of value: some Any) -> String {
        var text = "\(value) \(String(reflecting: value))"
        dump(value, to: &text)
        return text
    }

    @Test("No account number, track or cryptogram in result, report, event or log")
    func nothingClear() async throws {
        let log = LoggedText()
        for card in [
            Composed.payment, [Composed.directory(), Composed.application(), Composed.paid(cid: 0)],
            [
                Composed.directory(), Composed.application(),
                Composed.processing([0x77, 0x03, 0x57, 0x13, 0x47, 0x90, 0]),
            ],
        ] {
            let bench = try PaymentBench { _ in
            } reader: { _ in
                TapsReader([[Composed.wallet(), Flow.club] + card])
            } set: {
                $0.logger = log.logger()
            }
            let (result, events) = await bench.read(passes: [Bench.club])
            let shown = text(of: result) + text(of: events) + text(of: bench.bench.counter.lastTap as Any) + log.text
            let folded = shown.replacing(" ", with: "").uppercased()
            for secret in [Composed.pan, "761739001", "D2812201", "C3C3C3C3C3C3C3C3", "195,195,195,195"] {
                #expect(!folded.contains(secret), "\(secret)")
            }
        }
        #expect(log.text.contains("outcome"))
    }

    @Test("The log says what this counter is, and whose key is missing")
    func startUp() async throws {
        for (key, isMissing) in [(nil, true), (try ProviderKey(P256PrivateKey.generate().publicKey), false)] {
            let log = LoggedText()
            let bench = try Bench { _ in
            } set: {
                $0.logger = log.logger()
                $0.payment.provider = key
            }
            let (result, _) = await bench.run { _ = try await $0.prepare(using: bench.token()) }
            #expect(caseName(result) == nil)
            #expect(
                log.text.contains("notice") && log.text.contains("test counter") && log.text.contains("never approvals")
            )
            #expect(log.text.contains("no provider key") == isMissing)
        }
    }

    @Test("Without a provider key a read works, and nobody can open it")
    func nobody() async throws {
        let bench = try PaymentBench { _ in
        } reader: { _ in
            TapsReader([Composed.payment])
        } set: {
            $0.payment.provider = nil
        }
        let (result, _) = await bench.read()
        let data = try #require(try result.get().payment?.paymentCardData)
        #expect(throws: CryptoError.self) { try ProviderSide.open(data, with: bench.providerKey) }
    }

    @Test("A read is bound to its reader, its merchant and its transaction")
    func bound() async throws {
        let bench = try PaymentBench { _ in
        } reader: { _ in
            TapsReader([Composed.payment, Composed.payment])
        } set: {
            $0.payment.readerID = "reader-1"
        }
        let (result, _) = await bench.bench.run { reader in
            let session = try await reader.prepare(using: bench.bench.token())
            return [
                try await session.readPaymentCard(PaymentBench.purchase),
                try await session.readPaymentCard(PaymentBench.purchase),
            ]
        }
        let reads = try result.get()
        #expect(reads[0].id != reads[1].id && reads[0].paymentCardData != reads[1].paymentCardData)
        for read in reads {
            let opened = try ProviderSide.open(try #require(read.paymentCardData), with: bench.providerKey)
            #expect(opened.transactionID == read.id && opened.readerID == "reader-1")
            #expect(opened.merchantID == "merchant.example")
        }
    }

    @Test("Settings of payments in the environment")
    func environment() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("payment-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let key = try P256PrivateKey.generate().publicKey
        let file = folder.appendingPathComponent("psp.pem").path
        try Data(key.pem().utf8).write(to: URL(fileURLWithPath: file))
        let setup = try Counter.Configuration(
            environment: ["COUNTERTOP_PSP_KEY": file, "COUNTERTOP_COUNTRY": "840"]
        ).payment
        #expect(setup.provider?.publicKey == key && setup.country == 840)
        let wrong = [
            ["COUNTERTOP_PSP_KEY": file + "x"], ["COUNTERTOP_COUNTRY": "DE"], ["COUNTERTOP_COUNTRY": "0"],
            ["COUNTERTOP_CA_KEYS": file], ["COUNTERTOP_CA_KEYS": file + "x"],
        ]
        for environment in wrong {
            let name = try #require(environment.keys.first)
            #expect { try Counter.Configuration(environment: environment) } throws: { "\($0)".contains(name) }
        }
    }
}
