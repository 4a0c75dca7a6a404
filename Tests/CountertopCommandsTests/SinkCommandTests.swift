// SPDX-License-Identifier: Apache-2.0

import Foundation
import LoyaltyFeed
import Testing
import WalletCrypto

@Suite struct SinkCommandTests {
    static let secret = "whsec_" + Base64.encode((0..<32).map { UInt8($0) })

    /// A bench with a configuration whose one sink goes to `url`.
    private func bench(_ url: String) throws -> Bench {
        let bench = try Bench()
        try bench.write("shop.secret", Array("\(Self.secret)\n".utf8), mode: 0o600)
        let toml = """
            [counter]
            id = "c1"
            reader = "emulated:phone.json"
            state = "state"

            [[pass]]
            id = "\(Bench.passID)"
            key = "key.pem"

            [[sink]]
            name = "shop"
            type = "webhook"
            url = "\(url)"
            secret_file = "shop.secret"
            timeout = "20s"
            """
        try bench.write("counter.toml", Array(toml.utf8))
        return bench
    }

    @Test func `test sends one signed event and says what happened`() async throws {
        let verifier = WebhookVerifier(keys: [try WebhookVerificationKey(Self.secret)])
        let receiver = try await HTTPReceiver { request in
            (try? verifier.verify(body: request.body) { request.field($0) }) == nil
                ? ReceiverAnswer(401) : ReceiverAnswer(204)
        }
        let bench = try bench("http://127.0.0.1:\(receiver.port)/")
        let outcome = await bench.run("sink test shop --config @counter.toml --json")
        #expect(outcome.status == 0, "\(outcome.error)")
        let object = try outcome.object()
        #expect(object["verdict"] as? String == "delivered" && object["status"] as? Int == 204)
        #expect((object["event"] as? String)?.count == 26)
        let text = await bench.run("sink test shop --config @counter.toml")
        #expect(text.output.contains("shop: delivered in") && text.status == 0)
        await receiver.close()
    }

    @Test func `a receiver that fails gives status 1 and advice, and no secret`() async throws {
        let receiver = try await HTTPReceiver { _ in ReceiverAnswer(302, headers: [("location", "http://hush/")]) }
        let bench = try bench("http://127.0.0.1:\(receiver.port)/?token=hush")
        let outcome = await bench.run("sink test shop --config @counter.toml")
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("refused") && outcome.output.contains("redirect"))
        #expect(outcome.output.contains("hint: "))
        #expect(!(outcome.output + outcome.error).contains("hush") && !outcome.output.contains("whsec_"))
        await receiver.close()
        let gone = await bench.run("sink test shop --config @counter.toml --json")
        #expect(try gone.status == 1 && (gone.object()["verdict"] as? String) == "unreachable")
    }

    @Test func `a sink that is not there, and a key that is wrong`() async throws {
        let bench = try bench("http://127.0.0.1:1/")
        let missing = await bench.run("sink test shp --config @counter.toml")
        #expect(missing.status == 64 && missing.error.contains("it has shop"))
        try bench.write("shop.secret", Array("whsec_AAAA".utf8), mode: 0o600)
        let wrong = await bench.run("sink test shop --config @counter.toml")
        #expect(wrong.status == 78 && wrong.error.contains("secret_file") && !wrong.error.contains("AAAA"))
    }

    @Test func `list and types`() async throws {
        let bench = try bench("http://127.0.0.1:1/")
        let list = await bench.run("sink list --config @counter.toml")
        #expect(list.status == 0 && list.output.hasPrefix("shop  webhook"))
        let types = await bench.run("sink types")
        for type in SinkFactory.types { #expect(types.output.contains(type.name)) }
        let one = await bench.run("sink types square")
        #expect(one.output.contains("location_id") && one.output.contains("required"))
        #expect(await bench.run("sink types smoke").status == 64)
        let json = try await bench.run("sink types square --json").object()
        let keys = (json["types"] as? [[String: Any]])?.first?["keys"] as? [[String: Any]]
        #expect(keys?.contains { $0["key"] as? String == "points" && $0["default"] as? Int == 1 } == true)
    }

    /// A free port, as far as that can be known.
    private func freePort() async throws -> Int {
        let receiver = try await HTTPReceiver { _ in ReceiverAnswer(200) }
        await receiver.close()
        return receiver.port
    }

    @Test func `receive verifies, prints and ends; a failure that was asked for comes first`() async throws {
        let port = try await freePort()
        let bench = try bench("http://127.0.0.1:\(port)/")
        let line = "sink receive --secret-file @shop.secret --listen 127.0.0.1:\(port) --once --ledger @ledger"
        async let received = bench.run(line + " --answer 429 --retry-after 1 --times 1 --json")
        var statuses: [Int32] = []
        var first = ""
        for _ in 0..<100 where statuses.last != 0 {
            let sent = await bench.run("sink test shop --config @counter.toml")
            if sent.output.contains("refuses connections") {
                try await Task.sleep(for: .milliseconds(50))
                continue
            }
            if first.isEmpty { first = sent.output }
            statuses.append(sent.status)
        }
        let outcome = await received
        #expect(statuses == [1, 0])
        #expect(first.contains("HTTP 429") && first.contains("it asks to wait 1s"))
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(outcome.error.contains("ready: webhooks go to http://127.0.0.1:\(port)"))
        let object = try outcome.object()
        let event = try #require(object["event"] as? [String: Any])
        #expect(object["duplicate"] as? Bool == false && event["id"] as? String == object["id"] as? String)
        let ledger = try String(contentsOfFile: bench.path("ledger"), encoding: .utf8)
        #expect(ledger == "\(object["id"] as? String ?? "")\n")
    }

    @Test func `receive refuses an open secret, a wrong address and wrong options`() async throws {
        let bench = try bench("http://127.0.0.1:1/")
        try bench.write("open.secret", Array(Self.secret.utf8), mode: 0o644)
        for (line, status) in [
            ("--secret-file @open.secret", 77), ("--secret-file @none", 66), ("--secret-file @key.pem", 65),
            ("--secret-file @shop.secret --listen nowhere", 64), ("--secret-file @shop.secret --answer 99", 64),
            ("--secret-file @shop.secret --times 0", 64), ("--secret-file @shop.secret --listen 192.0.2.1:1", 69),
        ] as [(String, Int32)] {
            #expect(await bench.run("sink receive \(line)").status == status, "\(line)")
        }
    }
}
