// SPDX-License-Identifier: Apache-2.0

import Foundation
import LoyaltyFeed
import TestSupport
import Testing
import WalletCrypto

/// What we send, as other people's programs see it.
@Suite struct WebhookCrossTests {
    private func event(_ member: String) -> OutgoingEvent {
        OutgoingEvent(
            {
                var event = sampleEvent().event
                event.member = member
                return event
            }())
    }

    @Test(.enabled(if: Outside.python != nil, "COUNTERTOP_PYTHON is not set"))
    func `standardwebhooks verifies it and cloudevents reads it`() async throws {
        let folder = try TemporaryFolder()
        let other = "whsec_" + Base64.encode([UInt8](repeating: 5, count: 24))
        let receiver = try PythonReceiver(secret: testSecret, count: 3)
        let sink = try makeSink(
            "webhook",
            [
                "url": .string("http://127.0.0.1:\(receiver.port)/hook"),
                // The old secret still signs while the new one is handed out.
                "secret_file": .array([
                    .string(try folder.write("new", "\(other)\n")), .string(try folder.write("old", "\(testSecret)\n")),
                ]),
            ])
        for member in ["M-10023", "Zoë \u{1F600} \"quoted\"", "x"] {
            let reports = await sink.deliver([event(member)])
            #expect(reports.map(\.verdict) == [.delivered], "\(reports)")
        }
        await sink.close()
        let verdicts = try receiver.verdicts()
        #expect(verdicts.count == 3)
        #expect(verdicts.map(\.member) == ["M-10023", "Zoë \u{1F600} \"quoted\"", "x"])
        for verdict in verdicts {
            #expect(verdict.verified, "\(verdict.error)")
            #expect(verdict.id == "\(sampleEvent().event.id)" && verdict.type == "dev.countertop.loyalty.tap.v1")
            #expect(verdict.source == "/stores/0042/counters/counter-1")
            #expect(verdict.contentType == "application/cloudevents+json")
        }
    }

    @Test(.enabled(if: Outside.python != nil, "COUNTERTOP_PYTHON is not set"))
    func `and refuses what another secret signed`() async throws {
        let folder = try TemporaryFolder()
        let receiver = try PythonReceiver(
            secret: "whsec_" + Base64.encode([UInt8](repeating: 5, count: 24)), count: 1)
        let sink = try makeSink(
            "webhook",
            [
                "url": .string("http://127.0.0.1:\(receiver.port)/"),
                "secret_file": .string(try folder.write("s", testSecret)),
            ])
        #expect(await sink.deliver([event("M-1")]).map(\.status) == [401])
        await sink.close()
        #expect(try receiver.verdicts().map(\.verified) == [false])
    }

    /// A certificate for 127.0.0.1 that signs itself, with its key, as openssl makes it.
    private func certificate(_ folder: TemporaryFolder, _ name: String, days: String = "30") throws -> String {
        let words =
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout k.pem -out c.pem -days \(days)"
            + " -subj /CN=receiver -addext subjectAltName=\(name)"
        try Outside.run(Outside.openssl, words.split(separator: " ").map(String.init), in: folder)
        return try folder.write("both.pem", try folder.read("c.pem") + folder.read("k.pem"))
    }

    @Test(
        .enabled(if: Outside.python != nil, "COUNTERTOP_PYTHON is not set"),
        .enabled(if: Outside.openssl != nil, "there is no openssl"))
    func `over TLS with an authority of one's own, and only with it`() async throws {
        let folder = try TemporaryFolder()
        let receiver = try PythonReceiver(
            secret: testSecret, count: 1, certificate: try certificate(folder, "IP:127.0.0.1"))
        var values: [String: SettingValue] = [
            "url": .string("https://127.0.0.1:\(receiver.port)/"), "timeout": .string("20s"),
            "secret_file": .string(try folder.write("s", testSecret)),
        ]
        let wary = try makeSink("webhook", values)
        let refused = try #require(await wary.deliver([event("M-1")]).first)
        #expect(refused.verdict == .unreachable)
        #expect(refused.detail.contains("certificate is not trusted"), "\(refused.detail)")
        await wary.close()
        values["ca_file"] = .string(folder.path("c.pem"))
        let sink = try makeSink("webhook", values)
        #expect(await sink.deliver([event("M-1")]).map(\.verdict) == [.delivered])
        await sink.close()
        #expect(try receiver.verdicts().map(\.verified) == [true])
    }

    @Test(.enabled(if: Outside.openssl != nil, "there is no openssl"))
    func `a certificate for another name is not taken`() async throws {
        let folder = try TemporaryFolder()
        _ = try certificate(folder, "DNS:elsewhere.example")
        let receiver = try await HTTPReceiver(tls: (try folder.read("c.pem"), try folder.read("k.pem"))) { _ in
            ReceiverAnswer(200)
        }
        let sink = try makeSink(
            "webhook",
            [
                "url": .string("https://localhost:\(receiver.port)/"), "timeout": .string("20s"),
                "secret_file": .string(try folder.write("s", testSecret)), "ca_file": .string(folder.path("c.pem")),
            ])
        let report = try #require(await sink.deliver([event("M-1")]).first)
        #expect(report.verdict == .unreachable)
        #expect(report.detail.contains("certificate is for another name"), "\(report.detail)")
        await sink.close()
        await receiver.close()
    }
}
