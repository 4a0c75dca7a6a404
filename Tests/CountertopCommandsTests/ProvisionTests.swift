// SPDX-License-Identifier: Apache-2.0

import Foundation
import InAppProvisioning
import Synchronization
import TestSupport
import Testing

/// `provision` against back ends of every kind, over real HTTP.
@Suite struct ProvisionTests {
    static let pan = "4111111111111111"
    static let good = "--profile plain --pan \(pan) --expiration 12/35 --name HOLDER --json"

    /// A reference issuer with one card, with a fault if there is one.
    static func issuer(_ fault: String? = nil) throws -> ReferenceIssuer {
        let authority = try ProvisioningTestAuthority()
        let details = try CardDetails(primaryAccountNumber: pan, expiration: "12/35", name: "HOLDER")
        var settings = IssuerSettings(
            cards: try IssuerCardFile([
                try IssuerCard(id: "card-1", details: details, network: "visa", activationData: nil)
            ]),
            chain: IssuerChain(roots: [authority.root], intermediates: [authority.intermediate]))
        settings.fault = try fault.map { try IssuerFault($0) }
        return ReferenceIssuer(settings)
    }

    static func reply(_ issuer: ReferenceIssuer, _ request: TinyServer.Request) -> TinyServer.Reply {
        let answer = issuer.answer(
            ProfileRequest(
                method: request.method, target: request.target,
                headers: request.headers.map { ProfileHeader($0.name, $0.value) }, body: request.body))
        return .answer(status: answer.response.status, body: answer.response.body)
    }

    /// The same behind a server.
    static func server(_ fault: String? = nil, seen: Seen? = nil) throws -> TinyServer {
        let issuer = try issuer(fault)
        return try TinyServer { request in
            seen?.list.withLock { $0.append(request) }
            return reply(issuer, request)
        }
    }

    final class Seen: Sendable {
        let list = Mutex<[TinyServer.Request]>([])
    }

    private func failed(_ outcome: Outcome) throws -> [String] {
        let checks = try #require(try outcome.object()["checks"] as? [[String: Any]])
        return checks.filter { $0["verdict"] as? String == "fail" }.compactMap { $0["id"] as? String }
    }

    @Test func `the fixed form, against a sound issuer`() async throws {
        let (seen, bench) = (Seen(), try Bench())
        let server = try Self.server(seen: seen)
        let outcome = await bench.run("provision --issuer \(server.url) \(Self.good)")
        #expect(outcome.status == 0, "\(outcome.output) \(outcome.error)")
        let object = try outcome.object()
        #expect(object["ok"] as? Bool == true && object["diagnosis"] is NSNull)
        #expect(Set(object.keys) == ["ok", "checks", "diagnosis"])
        let checks = try #require(object["checks"] as? [[String: Any]])
        #expect(
            checks.allSatisfy {
                Set($0.keys) == ["id", "group", "verdict", "text"] && $0.values.allSatisfy { $0 is String }
            })
        #expect(Set(checks.compactMap { $0["group"] as? String }) == Set("PCREJAHXWNL".map(String.init)))
        #expect(checks.filter { $0["verdict"] as? String == "warn" }.isEmpty, "\(checks)")
        for id in ["R-status", "R-answer", "R-nonce", "C-two-certificates", "E-opens", "J-card", "L-traffic", "H-once"]
        {
            #expect(checks.first { $0["id"] as? String == id }?["verdict"] as? String == "pass", "\(id)")
        }
        #expect(outcome.error.contains("pass added: ending 1111"))
        #expect(!outcome.output.contains(Self.pan) && !outcome.error.contains(Self.pan))
        let request = try #require(seen.list.withLock { $0.first })
        #expect(!String(decoding: request.body, as: UTF8.self).contains(Self.pan))
    }

    static let diagnoses = [
        "iv-16-bytes", "kdf-no-counter", "kdf-no-algorithm-length", "partyv-leaf-key", "partyv-spki", "partyv-sha256",
        "partyv-missing", "key-spki-der", "still-base64", "still-hex",
    ]

    @Test(arguments: diagnoses) func `a mistake is named`(id: String) async throws {
        let server = try Self.server("mistake=\(id)")
        let outcome = try await Bench().run("provision --issuer \(server.url) \(Self.good)")
        #expect(outcome.status == 1)
        #expect(try outcome.object()["diagnosis"] as? String == id)
        #expect(try failed(outcome).count == 1)
    }

    struct Bad: Sendable, CustomTestStringConvertible {
        let name: String
        let reply: TinyServer.Reply
        let check: String
        var said = ""
        var testDescription: String { name }
    }

    static func ok(_ body: [UInt8]) -> TinyServer.Reply { .answer(status: 200, body: body) }

    static let bad = [
        Bad(name: "400", reply: .answer(status: 400, body: []), check: "R-status", said: "status 400"),
        Bad(name: "404", reply: .answer(status: 404, body: [1, 2]), check: "R-status", said: "status 404"),
        Bad(name: "500", reply: .answer(status: 500, body: []), check: "R-status", said: "status 500"),
        Bad(name: "302", reply: .answer(status: 302, body: []), check: "R-status", said: "status 302"),
        Bad(name: "dropped", reply: .drop, check: "R-status", said: "no answer: "),
        Bad(
            name: "not HTTP", reply: .raw([0xFF, 0xFE, 0x0D, 0x0A, 0x0D, 0x0A]), check: "R-status", said: "no answer: "),
        Bad(
            name: "half a body", reply: .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{".utf8)),
            check: "R-status", said: "no answer: "),
        Bad(name: "silence", reply: .stall([]), check: "R-in-time", said: "no answer within 0.5 s"),
        Bad(
            name: "a slow body", reply: .stall(Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{".utf8)),
            check: "R-in-time", said: "no answer within 0.5 s"),
        Bad(name: "empty", reply: ok([]), check: "R-answer"),
        Bad(name: "an object", reply: ok(Array("{}".utf8)), check: "R-answer"),
        Bad(name: "10,000 levels", reply: ok([UInt8](repeating: 0x5B, count: 10_000)), check: "R-answer"),
        Bad(
            name: "not UTF-8", reply: ok(Array("{\"a\":\"".utf8) + [0xFF, 0xFE] + Array("\"}".utf8)), check: "R-answer"),
        Bad(name: "2 MiB", reply: ok([UInt8](repeating: 0x20, count: 2 << 20)), check: "R-status", said: "1 MiB"),
        Bad(
            name: "empty blobs",
            reply: ok(Array(#"{"encryptedPassData":"","activationData":"","ephemeralPublicKey":""}"#.utf8)),
            check: "E-blobs-present"),
    ]

    @Test(arguments: bad) func `one wrong answer, one failed check`(_ row: Bad) async throws {
        let server = try TinyServer { _ in row.reply }
        let outcome = try await Bench().run("provision --issuer \(server.url) --timeout 0.5 \(Self.good)")
        #expect(outcome.status == 1)
        #expect(try failed(outcome) == [row.check], "\(outcome.error)")
        #expect(row.said.isEmpty || outcome.error.contains(row.said), "\(outcome.error)")
        #expect(outcome.error.contains("Could Not Add Card"), "\(outcome.error)")
    }

    @Test func `nobody there`() async throws {
        let url = try TinyServer { _ in .drop }.url
        let outcome = try await Bench().run("provision --issuer \(url) \(Self.good)")
        #expect(outcome.status == 1)
        #expect(try failed(outcome) == ["R-status"])
        #expect(outcome.error.contains("refused"), "\(outcome.error)")
    }

    @Test func `another card than the one that was asked for`() async throws {
        let server = try Self.server()
        let line = Self.good.replacing(Self.pan, with: "5555555555554444")
        let outcome = try await Bench().run("provision --issuer \(server.url) \(line)")
        #expect(outcome.status == 1)
        #expect(try failed(outcome) == ["J-card"])
        let text = try await Bench().run("provision --issuer \(server.url) \(line) --unmask")
        #expect(!outcome.output.contains(Self.pan) && text.output.contains(Self.pan))
    }

    @Test func `probes, reports and a token`() async throws {
        let (seen, bench) = (Seen(), try Bench())
        let server = try Self.server(seen: seen)
        try bench.write("token.txt", Array("let-me-in\n".utf8))
        let cards = """
            {"cards":[{"id":"card-1","primaryAccountNumber":"\(Self.pan)","expiration":"12/35","name":"HOLDER"}]}
            """
        try bench.write("cards.json", Array(cards.utf8))
        let line = "provision --issuer \(server.url)/ --profile plain --card-file @cards.json --token @token.txt"
        let outcome = await bench.run("\(line) --probes --report @out.xml --json")
        #expect(outcome.status == 0, "\(outcome.output) \(outcome.error)")
        let checks = try #require(try outcome.object()["checks"] as? [[String: Any]])
        let open = checks.filter { ["C", "N"].contains($0["group"] as? String) && $0["verdict"] as? String != "pass" }
        #expect(open.isEmpty, "\(open)")
        let requests = seen.list.withLock { $0 }
        // The flow's own, two equal ones, and one beside slow clients.
        #expect(requests.count == 1 + ConformanceProbe.all.count + 3)
        #expect(requests.allSatisfy { $0.headers.contains { $0.value == "Bearer let-me-in" } })
        let junit = try String(contentsOfFile: bench.path("out.xml"), encoding: .utf8)
        #expect(junit.contains("<testsuites") && junit.contains("Not covered") && !junit.contains(Self.pan))
        #expect(await bench.run("\(line) --report @out.json --watch").status == 0)
        let report = try ConformanceReport(json: Array(try Data(contentsOf: URL(filePath: bench.path("out.json")))))
        #expect(report.isOK && report["E-opens"]?.verdict == .pass)
        #expect(!outcome.error.contains("let-me-in"))
    }

    @Test func `one key for all answers is seen by probes`() async throws {
        let server = try Self.server("mistake=key-reused")
        let outcome = try await Bench().run("provision --issuer \(server.url) --probes \(Self.good)")
        #expect(outcome.status == 1)
        #expect(try failed(outcome) == ["E-key-fresh"])
    }

    @Test func `the card lands in a phone's file`() async throws {
        let (server, bench) = (try Self.server(), try Bench())
        try await bench.makeProvider()
        for file in ["phone.json", "new.json"] {
            let added = await bench.run("provision --issuer \(server.url) \(Self.good) --phone @\(file)")
            #expect(added.status == 0, "\(added.error)")
            let paid = await bench.pay(file, "")
            #expect(paid.status == 0, "\(paid.error)")
        }
        let both = await bench.run("read --pass \(Bench.passID) --key @key.pem --reader emulated:@phone.json --json")
        #expect(both.status == 0, "\(both.error)")
    }

    @Test(arguments: [
        ("--issuer ftp://a --profile plain --card a", 64), ("--issuer http://u:p@a --profile plain --card a", 64),
        ("--issuer http://a --profile plain", 64), ("--issuer http://a --profile none --card a", 64),
        ("--issuer http://a --profile plain --card NUMBER", 64),
        ("--issuer http://a --profile plain --pan NUMBER", 64),
        ("--issuer http://a --profile plain --pan WRONG --expiration 12/35 --name A", 65),
        ("--issuer http://a --profile plain --card a --report out.doc", 64),
        ("--issuer http://a --profile plain --card a --ca @not.pem", 65),
        ("--issuer http://a --profile @not.json --card a", 65), ("--issuer http://a --profile @no.json --card a", 66),
        ("--issuer http://a --profile plain --card-file @not.json", 65),
        ("--issuer http://a --profile plain --card a --phone @not.json", 65),
        ("--issuer http://a --profile plain --card a --timeout 0", 64),
    ]) func `wrong command lines`(line: String, status: Int32) async throws {
        // Not among the arguments, which the test's own output shows.
        let wrong = String(Self.pan.dropLast()) + "2"
        let outcome = try await Bench().run(
            "provision \(line)".replacing("NUMBER", with: Self.pan).replacing("WRONG", with: wrong))
        #expect(outcome.status == status, "\(line): \(outcome.error)")
        #expect(!outcome.error.contains(Self.pan) && !outcome.error.contains(wrong))
    }
}

@Suite struct ProfileTests {
    @Test(arguments: ProcessorProfile.builtIn.map(\.name)) func `built-in ones are shown, and pass`(name: String)
        async throws
    {
        let bench = try Bench()
        let shown = await bench.run("profile show \(name)")
        #expect(shown.status == 0)
        try bench.write("own.json", Array(shown.output.utf8))
        let checked = await bench.run("profile check @own.json --json")
        #expect(checked.status == 0, "\(checked.output)")
        let server = try ProvisionTests.server()
        let line = ProvisionTests.good.replacing("plain", with: "@own.json")
        let outcome = await bench.run("provision --issuer \(server.url) \(line)")
        #expect(outcome.status == 0, "\(outcome.error)")
    }

    @Test func `the list has them all`() async throws {
        let outcome = try await Bench().run("profile list --json")
        let profiles = try #require(try outcome.object()["profiles"] as? [[String: Any]])
        #expect(profiles.compactMap { $0["name"] as? String } == ProcessorProfile.builtIn.map(\.name))
        #expect(try await Bench().run("profile list").output.contains("POST /issuer/push-provisioning/signed-cards"))
    }

    @Test(arguments: [
        ("{", "file"), (#"{"name":"x","path":"/a","nonce":{"name":"nonceSignature"}}"#, "request"),
        (#"{"name":"x","path":"/a","response":{"activationData":{"name":"encryptedPassData"}}}"#, "answer"),
    ]) func `what is wrong with a file`(text: String, id: String) async throws {
        let bench = try Bench()
        try bench.write("own.json", Array(text.utf8))
        let outcome = await bench.run("profile check @own.json --json")
        #expect(outcome.status == 1)
        let checks = try #require(try outcome.object()["checks"] as? [[String: Any]])
        #expect(checks.filter { $0["verdict"] as? String == "fail" }.compactMap { $0["id"] as? String } == [id])
    }
}
