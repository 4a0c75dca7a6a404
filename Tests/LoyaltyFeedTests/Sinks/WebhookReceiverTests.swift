// SPDX-License-Identifier: Apache-2.0

import Foundation
import LoyaltyFeed
import Synchronization
import TestSupport
import Testing
import WalletCrypto

@Suite struct WebhookReceiverTests {
    private func request(_ number: UInt64, secret: String = testSecret, method: String = "POST") throws
        -> ReceivedRequest
    {
        let event = sampleEvent(number)
        let fields = try WebhookSignature.fields(
            id: event.event.id, at: Date(), body: event.body, secrets: [try WebhookSecret(secret)])
        return ReceivedRequest(method: method, target: "/", headers: fields, body: event.body)
    }

    private func receiver(
        ledger: String? = nil, answers: [ReceiverAnswer] = [], _ seen: SharedWords
    ) throws -> WebhookReceiver {
        try WebhookReceiver(
            verifier: WebhookVerifier(keys: [try WebhookVerificationKey(testSecret)]), ledger: ledger, answers: answers,
            onWebhook: { webhook in seen.add(webhook.isDuplicate ? "again" : webhook.id) },
            onRejection: { seen.add($0.code.rawValue) })
    }

    @Test func `accepts once, and again without counting`() throws {
        let seen = SharedWords()
        let receiver = try receiver(seen)
        let other = "whsec_" + Base64.encode([UInt8](repeating: 5, count: 24))
        #expect(receiver.answer(try request(1)).status == 204)
        #expect(receiver.answer(try request(1)).status == 204)
        #expect(receiver.answer(try request(2, secret: other)).status == 401)
        #expect(receiver.answer(try request(3, method: "PUT")).status == 405)
        #expect(seen.all == ["\(sampleEvent(1).event.id)", "again", "signature"])
    }

    @Test func `the ledger has an id before it is accepted, and outlives the receiver`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("ledger")
        for round in 0..<2 {
            let seen = SharedWords()
            let receiver = try receiver(ledger: path, seen)
            #expect(receiver.answer(try request(1)).status == 204)
            #expect(receiver.answer(try request(2)).status == 204)
            #expect(seen.all.filter { $0 == "again" }.count == round * 2)
        }
        let ids = "\(sampleEvent(1).event.id)\n\(sampleEvent(2).event.id)\n"
        #expect(try folder.text(path) == ids)
        // Half a line was never accepted.
        try folder.write("ledger", ids + "01HF")
        let seen = SharedWords()
        #expect(try receiver(ledger: path, seen).answer(try request(3)).status == 204)
        #expect(try folder.text(path) == ids + "\(sampleEvent(3).event.id)\n")
    }

    @Test func `what cannot be kept is not accepted`() throws {
        let seen = SharedWords()
        let receiver = try receiver(ledger: "/nonexistent/ledger", seen)
        #expect(receiver.answer(try request(1)).status == 503)
        #expect(seen.all.isEmpty)
    }

    @Test func `planned failures come first`() throws {
        let seen = SharedWords()
        let receiver = try receiver(answers: [ReceiverAnswer(429), ReceiverAnswer(500)], seen)
        #expect(try [1, 1, 1, 1].map { receiver.answer(try request($0)).status } == [429, 500, 204, 204])
        #expect(seen.all == ["\(sampleEvent(1).event.id)", "again"])
    }

    @Test func `a test event is signed, marked and whole`() async throws {
        let folder = try TemporaryFolder()
        let bodies = Requests()
        let seen = SharedWords()
        let receiver = try receiver(seen)
        let server = try await HTTPReceiver { request in
            bodies.add(request)
            return receiver.answer(request)
        }
        let sink = try makeSink(
            "webhook",
            [
                "url": .string("http://127.0.0.1:\(server.port)/"),
                "secret_file": .string(try folder.write("s", testSecret)),
            ])
        let event = TestEvent.make(testContext)
        #expect(await sink.deliver([event]).map(\.verdict) == [.delivered])
        let body = try #require(bodies.all.first).object()
        #expect(body["type"] as? String == "dev.countertop.test.v1" && body["id"] as? String == "\(event.event.id)")
        let data = try #require(body["data"] as? [String: Any])
        #expect((data["basket"] as? [String: Bool]) == ["test": true] && data["member"] as? String == "TEST-MEMBER")
        #expect(bodies.all.first?.field("user-agent")?.hasPrefix("countertop/") == true)
        await sink.close()
        await server.close()
    }
}

/// A list that closures share.
final class SharedWords: Sendable {
    private let list = Mutex<[String]>([])
    func add(_ text: String) { list.withLock { $0.append(text) } }
    var all: [String] { list.withLock { $0 } }
}
