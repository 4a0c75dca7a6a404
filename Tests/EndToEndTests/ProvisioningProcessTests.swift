// SPDX-License-Identifier: Apache-2.0

import Foundation
import InAppProvisioning
import TestSupport
import Testing

/// `issuer serve` in one process, `provision` in another, `pay` in a third.
@Suite(.serialized) struct ProvisioningProcessTests {
    static let pan = "4012888888881881"

    /// A folder with cards, and an issuer that has them.
    struct Issuer {
        let folder: TemporaryFolder
        let process: ToolProcess
        let url: String

        init(_ more: [String] = [], in folder: TemporaryFolder) async throws {
            self.folder = folder
            SecretsGate.register(.pan, pan)
            try folder.write(
                "cards.json",
                #"{"cards":[{"id":"card-7","primaryAccountNumber":"\#(pan)","expiration":"11/34","name":"A HOLDER","#
                    + #""network":"visa"}]}"#)
            process = try ToolProcess(
                [
                    "issuer", "serve", "--cards", "cards.json", "--trust-test-root", "--listen", "127.0.0.1:0",
                    "--audit", "audit.log",
                ] + more, in: folder)
            try await process.waits(for: "ready")
            url = try #require(process.said.firstMatch(of: /https?:\/\/127\.0\.0\.1:[0-9]+/)).output.description
        }

        func provision(_ profile: String, _ more: [String] = []) async throws -> ToolProcess.Outcome {
            try await ToolProcess.run(
                ["provision", "--issuer", url, "--profile", profile, "--card-file", "cards.json", "--json"] + more,
                in: folder)
        }

        func stop() async throws {
            process.signal(SIGTERM)
            #expect(try await process.outcome().status == 0)
        }
    }

    private func failed(_ outcome: ToolProcess.Outcome) throws -> [String] {
        let checks = try #require(try outcome.json()["checks"] as? [[String: Any]])
        return checks.filter { $0["verdict"] as? String == "fail" }.compactMap { $0["id"] as? String }
    }

    @Test func `every profile leads to a pass, which pays`() async throws {
        let issuer = try await Issuer(in: TemporaryFolder())
        for profile in ProcessorProfile.builtIn.map(\.name) {
            let added = try await issuer.provision(profile, ["--phone", "\(profile).json"])
            #expect(added.status == 0, "\(profile): \(added.output) \(added.talk)")
            #expect(added.talk.contains("pass added: ending 1881"), "\(profile)")
            let paid = try await ToolProcess.run(
                [
                    "pay", "--amount", "5", "--currency", "EUR", "--reader", "emulated:\(profile).json", "--json",
                ], in: issuer.folder)
            #expect(paid.status == 0, "\(profile): \(paid.talk)")
            #expect((try paid.json()["payment"] as? [String: Any])?["outcome"] as? String == "success")
        }
        let watch = try await issuer.provision("tmp", ["--watch", "--probes", "--report", "out.xml"])
        #expect(watch.status == 0, "\(watch.output) \(watch.talk)")
        #expect(watch.talk.contains("on the watch"))
        try await issuer.stop()
        for name in ["audit.log", "out.xml"] {
            SecretsGate.saw("provisioning", try issuer.folder.text(issuer.folder.path(name)))
        }
    }

    @Test func `the card that was added is the one that is tapped`() async throws {
        let issuer = try await Issuer(in: TemporaryFolder())
        #expect(try await issuer.provision("plain", ["--phone", "phone.json"]).status == 0)
        try await issuer.stop()
        _ = try await ToolProcess.run(["psp", "key", "--quiet"], in: issuer.folder)
        let paid = try await ToolProcess.run(
            [
                "pay", "--amount", "5", "--currency", "EUR", "--psp-key", "psp-public.pem", "--reader",
                "emulated:phone.json", "--json",
            ], in: issuer.folder)
        let sealed = (try paid.json()["payment"] as? [String: Any])?["paymentCardData"] as? String
        let opened = try await ToolProcess.run(
            ["psp", "open", "--key", "psp-private.pem", "--json", "--test-cards-only", try #require(sealed)],
            in: issuer.folder)
        #expect(opened.output.contains(Self.pan + "D3411"), "the number and the month of the issuer's card")
    }

    @Test(arguments: [
        "iv-16-bytes", "kdf-no-counter", "kdf-no-algorithm-length", "partyv-leaf-key", "partyv-spki", "partyv-sha256",
        "partyv-missing", "key-spki-der", "still-base64", "still-hex",
    ]) func `a mistake is named by its id`(id: String) async throws {
        let issuer = try await Issuer(["--fault", "mistake=\(id)"], in: TemporaryFolder())
        let outcome = try await issuer.provision("plain")
        #expect(outcome.status == 1)
        #expect(try outcome.json()["diagnosis"] as? String == id, "\(outcome.output)")
        #expect(try failed(outcome).count == 1)
        try await issuer.stop()
    }

    @Test(arguments: [
        ("status=400", "R-status"), ("status=503", "R-status"), ("drop", "R-status"), ("garbage", "R-answer"),
        ("truncate", "R-answer"), ("empty", "R-answer"), ("delay=3000", "R-in-time"),
    ]) func `a fault of the issuer's is one failed check`(fault: String, check: String) async throws {
        let issuer = try await Issuer(["--fault", fault], in: TemporaryFolder())
        let outcome = try await issuer.provision("plain", ["--timeout", "1"])
        #expect(outcome.status == 1)
        #expect(try failed(outcome) == [check], "\(outcome.talk)")
        #expect(outcome.talk.contains("Could Not Add Card"))
        try await issuer.stop()
    }
}

/// `extension check` with a user's program.
@Suite struct ExtensionProcessTests {
    private let program = ToolProcess.buildFolder.appending(path: "countertop-extension-probe").path()

    private func check(_ fault: [String], _ more: [String] = []) async throws -> ToolProcess.Outcome {
        try await ToolProcess.run(
            ["extension", "check", program, "--json"] + more + ["--"] + fault, in: TemporaryFolder())
    }

    @Test func `a sound extension`() async throws {
        let outcome = try await check([])
        #expect(outcome.status == 0, "\(outcome.output)")
        let json = try outcome.json()
        #expect(json["ok"] as? Bool == true && json["diagnosis"] is NSNull)
        #expect(outcome.talk.contains("status was asked for"))
    }

    @Test(arguments: [("double", "X-status-once"), ("nothing", "X-request"), ("unopened", "E-opens")])
    func `what is wrong is named`(fault: String, id: String) async throws {
        let outcome = try await check([fault])
        #expect(outcome.status == 1)
        let checks = try #require(try outcome.json()["checks"] as? [[String: Any]])
        #expect(checks.filter { $0["verdict"] as? String == "fail" }.compactMap { $0["id"] as? String } == [id])
    }

    @Test(arguments: ["crash", "hang"]) func `a program without a report`(fault: String) async throws {
        let outcome = try await check([fault], ["--timeout", fault == "hang" ? "2" : "30"])
        #expect(outcome.status == 1)
        #expect(try outcome.json()["code"] as? String == "noReport")
    }

    @Test(arguments: [("/nowhere", 66), ("/tmp", 65), ("/etc/hostname", 65), ("/bin/true", 1)])
    func `something else`(path: String, status: Int32) async throws {
        let outcome = try await ToolProcess.run(["extension", "check", path], in: TemporaryFolder())
        #expect(outcome.status == status, "\(path): \(outcome.talk)")
    }
}
