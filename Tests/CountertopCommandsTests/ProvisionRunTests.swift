// SPDX-License-Identifier: Apache-2.0

import Foundation
import InAppProvisioning
import Synchronization
import TestSupport
import Testing

/// `provision` with more than one request: `--runs`, `--probes`, and what explains a refusal.
@Suite struct ProvisionRunTests {
    /// Checks by verdict.
    private func checks(_ outcome: Outcome, _ verdicts: [String]) throws -> [String] {
        let checks = try #require(try outcome.object()["checks"] as? [[String: Any]])
        return checks.filter { verdicts.contains($0["verdict"] as? String ?? "") }.compactMap { $0["id"] as? String }
    }

    private func run(_ server: TinyServer, _ more: String) async throws -> Outcome {
        try await Bench().run("provision --issuer \(server.url) \(ProvisionTests.good) \(more)")
    }

    @Test func `many runs of a sound issuer`() async throws {
        let seen = ProvisionTests.Seen()
        let outcome = try await run(try ProvisionTests.server(seen: seen), "--runs 20")
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(try checks(outcome, ["pass"]).contains("R-p95") && checks(outcome, ["warn"]).isEmpty)
        #expect(seen.list.withLock { $0.count } == 20)
        #expect(outcome.error.contains("20 answers: p50 "), "\(outcome.error)")
    }

    /// A server that plays an issuer, and does something else with the requests for which `wrong` gives a reply.
    private func server(
        isSerial: Bool = false, _ wrong: @escaping @Sendable (Int, TinyServer.Request) -> TinyServer.Reply?
    ) throws -> TinyServer {
        let (issuer, count) = (try ProvisionTests.issuer(), Counter())
        return try TinyServer(isSerial: isSerial) { request in
            wrong(count.next(), request) ?? ProvisionTests.reply(issuer, request)
        }
    }

    private final class Counter: Sendable {
        private let value = Mutex(0)
        func next() -> Int {
            value.withLock { value in
                value += 1
                return value
            }
        }
    }

    @Test func `answers that are slow now and then`() async throws {
        let server = try server { number, _ in
            if number % 10 == 0 { Thread.sleep(forTimeInterval: 1.1) }
            return nil
        }
        let outcome = try await run(server, "--runs 12 --timeout 2")
        #expect(outcome.status == 0)
        #expect(try checks(outcome, ["fail", "warn"]) == ["R-p95"])
    }

    @Test func `an error in a later run`() async throws {
        let outcome = try await run(
            try server { number, _ in number == 3 ? .answer(status: 503, body: []) : nil }, "--runs 4")
        #expect(outcome.status == 1)
        #expect(try checks(outcome, ["fail", "warn"]) == ["R-status"])
        #expect(outcome.output.contains("run 3: status 503"))
    }

    @Test func `one key for all runs, and a mistake in each`() async throws {
        let reused = try await run(try ProvisionTests.server("mistake=key-reused"), "--runs 3")
        #expect(try checks(reused, ["fail"]) == ["E-key-fresh"])
        let mistake = try await run(try ProvisionTests.server("mistake=kdf-no-counter"), "--runs 3")
        #expect(try mistake.object()["diagnosis"] as? String == "kdf-no-counter")
        #expect(try checks(mistake, ["fail"]) == ["E-derivation"])
    }

    @Test func `an issuer that answers one client after the other`() async throws {
        let outcome = try await run(try server(isSerial: true) { _, _ in nil }, "--probes --timeout 2")
        #expect(outcome.status == 1)
        #expect(try checks(outcome, ["fail", "warn"]) == ["N-slow-client"], "\(outcome.error)")
    }

    @Test func `an issuer that remembers a nonce too late`() async throws {
        let known = Known()
        let server = try TinyServer { request in
            guard !known.has(request.body) else { return .answer(status: 409, body: []) }
            // One that forgets, so that only this memory counts.
            guard let issuer = try? ProvisionTests.issuer() else { return .drop }
            let reply = ProvisionTests.reply(issuer, request)
            Thread.sleep(forTimeInterval: 0.3)
            known.add(request.body)
            return reply
        }
        let outcome = try await run(server, "--probes")
        #expect(outcome.status == 0)
        #expect(try checks(outcome, ["fail", "warn"]) == ["N-duplicate"], "\(outcome.error)")
    }

    private final class Known: Sendable {
        private let bodies = Mutex<Set<[UInt8]>>([])
        func has(_ body: [UInt8]) -> Bool { bodies.withLock { $0.contains(body) } }
        func add(_ body: [UInt8]) { _ = bodies.withLock { $0.insert(body) } }
    }

    @Test(arguments: ["C-critical-marker", "C-two-certificates"])
    func `why a sound request is refused`(id: String) async throws {
        let plain = try #require(ProcessorProfile.named("plain"))
        let server = try server { _, request in
            let message = ProfileRequest(
                method: request.method, target: request.target, headers: [], body: request.body)
            let chain = (try? plain.decode(message).request.certificates) ?? []
            let report = IssuerChain(roots: []).validate(chain, at: Date())
            let isUsual =
                id == "C-two-certificates"
                ? chain.count == 2 : !report.findings.contains { $0.code == .markerNotCritical }
            return isUsual ? .answer(status: 422, body: []) : nil
        }
        let outcome = try await run(server, "")
        #expect(outcome.status == 1)
        #expect(try checks(outcome, ["fail", "warn"]) == [id], "\(outcome.error)")
    }

    @Test func `a number of runs that is none`() async throws {
        for runs in ["0", "-1", "100001", "x"] {
            let outcome = try await Bench().run(
                "provision --issuer http://127.0.0.1:1 --profile plain --card a --runs=\(runs)")
            #expect(outcome.status == 64)
        }
    }
}

/// `extension check --app`
@Suite struct AppFolderTests {
    private static func list(_ content: String) -> [UInt8] {
        Array("<?xml version=\"1.0\"?><plist version=\"1.0\"><dict>\(content)</dict></plist>".utf8)
    }

    private func bench(_ points: [String], group: String = "group.a") throws -> Bench {
        let bench = try Bench()
        let entitlements = Self.list(
            "<key>com.apple.developer.payment-pass-provisioning</key><true/>"
                + "<key>com.apple.security.application-groups</key><array><string>\(group)</string></array>")
        try bench.makeFolder("App")
        try bench.makeFolder("App/Bank")
        try bench.write("App/Bank/Bank.entitlements", entitlements)
        for (index, point) in points.enumerated() {
            try bench.makeFolder("App/Extension\(index)")
            try bench.write(
                "App/Extension\(index)/Info.plist",
                Self.list(
                    "<key>NSExtension</key><dict><key>NSExtensionPointIdentifier</key><string>\(point)</string>"
                        + "<key>NSExtensionPrincipalClass</key><string>Handler</string></dict>"))
            try bench.write("App/Extension\(index)/Some.entitlements", entitlements)
        }
        return bench
    }

    private static let points = [
        "com.apple.PassKit.issuer-provisioning", "com.apple.PassKit.issuer-provisioning.authorization",
    ]

    @Test func `a sound project, and one without its screen`() async throws {
        let good = await (try bench(Self.points)).run("extension check --app @App --json")
        #expect(good.status == 0, "\(good.output) \(good.error)")
        let checks = try #require(try good.object()["checks"] as? [[String: Any]])
        let passed = checks.filter { $0["verdict"] as? String == "pass" }.compactMap { $0["id"] as? String }
        #expect(passed == ["P-entitlement", "P-extension-entitlement", "P-extension-points"])
        let bad = await (try bench([Self.points[0]])).run("extension check --app @App --report @out.xml")
        #expect(bad.status == 1 && bad.output.contains("FAIL  P-extension-points"), "\(bad.output)")
    }

    @Test func `folders without a project`() async throws {
        let bench = try bench([])
        try bench.makeFolder("Empty")
        try bench.write("App/Info.plist", Array("bplist00".utf8))
        for (line, status) in [
            ("@Empty", 65), ("@none", 66), ("@phone.json", 66), ("@App", 65),
        ] as [(String, Int32)] {
            let outcome = await bench.run("extension check --app \(line)")
            #expect(outcome.status == status, "\(line): \(outcome.error)")
        }
        #expect(await bench.run("extension check").status == 64)
    }
}
