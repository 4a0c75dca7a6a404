// SPDX-License-Identifier: Apache-2.0

import Foundation
import InAppProvisioning
import TestSupport
import Testing
import WalletCrypto

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `countertop issuer serve` as a process, asked over HTTP.
@Suite struct IssuerProcessTests {
    static let pan = "4111111111111111"
    static let cards = """
        {"cards":[{"id":"card-1","primaryAccountNumber":"\(pan)","expiration":"12/30","name":"A CARDHOLDER"}]}
        """

    private func serve(_ more: [String], in folder: TemporaryFolder) throws -> ToolProcess {
        let cards = try folder.write("cards.json", Self.cards)
        return try ToolProcess(
            ["issuer", "serve", "--cards", cards, "--trust-test-root", "--listen", "127.0.0.1:0"] + more, in: folder)
    }

    private func url(_ tool: ToolProcess) async throws -> String {
        try await tool.waits(for: "ready: the issuer listens at ")
        let match = try #require(tool.said.firstMatch(of: /listens at (http:\/\/127\.0\.0\.1:[0-9]+)/))
        return String(match.1)
    }

    private func ask(_ url: String, _ request: ProfileRequest) async throws -> (status: Int, body: [UInt8]) {
        // Foundation wants brackets escaped (RFC 3986, 3.4).
        let target = request.target.replacing("[", with: "%5B").replacing("]", with: "%5D")
        var http = URLRequest(url: try #require(URL(string: url + target)))
        http.httpMethod = request.method
        if !request.body.isEmpty { http.httpBody = Data(request.body) }
        for header in request.headers { http.setValue(header.value, forHTTPHeaderField: header.name) }
        let (data, response) = try await URLSession.shared.data(for: http)
        return (try #require(response as? HTTPURLResponse).statusCode, Array(data))
    }

    @Test func everyProfileThroughAProcess() async throws {
        let folder = try TemporaryFolder()
        let audit = folder.path("audit.log")
        let tool = try serve(["--audit", audit], in: folder)
        let url = try await url(tool)
        let identity = try ProvisioningTestAuthority().makeIdentity(at: Date())
        for profile in ProcessorProfile.builtIn {
            let answer = try await ask(url, profile.encode(identity.makeRequest(), card: "card-1"))
            #expect(answer.status == 200, "\(profile.name)")
            guard answer.status == 200 else { continue }
            let trio = try profile.decodeAnswer(answer.body).trio
            let plaintext = try ECCv2.open(trio.sealed, with: identity.leafKey)
            #expect(plaintext.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }.contains(Self.pan))
        }
        tool.signal(SIGTERM)
        let outcome = try await tool.outcome(timeout: 10)
        #expect(outcome.status == 0, "\(outcome.talk)")
        #expect(outcome.talk.contains("WARNING: the test root is trusted"))
        let log = try folder.text(audit)
        #expect(log.split(separator: "\n").count == ProcessorProfile.builtIn.count)
        #expect(!(log + outcome.talk).contains(Self.pan) && !log.contains("CARDHOLDER"))
        let mode = try FileManager.default.attributesOfItem(atPath: audit)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func tokenProfileAndFault() async throws {
        let folder = try TemporaryFolder()
        let token = try folder.write("tokens", "first-token\nsecond-token\n")
        let options = ["--token-file", token, "--profile", "tmp", "--fault", "status=503", "--json"]
        let tool = try serve(options, in: folder)
        let url = try await url(tool)
        let profile = try #require(ProcessorProfile.named("tmp"))
        let identity = try ProvisioningTestAuthority().makeIdentity(at: Date())
        var request = profile.encode(identity.makeRequest(), card: "card-1")
        request.headers.append(ProfileHeader("Authorization", "Bearer second-token"))
        #expect(try await ask(url, request).status == 503)
        let other = try #require(ProcessorProfile.named("stripe"))
        #expect(try await ask(url, other.encode(identity.makeRequest(), card: "card-1")).status == 404)
        tool.signal(SIGINT)
        let outcome = try await tool.outcome(timeout: 10)
        #expect(outcome.status == 0 && outcome.talk.contains("fails on purpose: status=503"))
        #expect(try outcome.json()["url"] as? String == url)
        #expect(try outcome.json()["profiles"] as? [String] == ["tmp"])
    }

    @Test func anAuditLogThatCannotBeWrittenEndsIt() async throws {
        let folder = try TemporaryFolder()
        let tool = try serve(["--audit", "/dev/full"], in: folder)
        let url = try await url(tool)
        let profile = try #require(ProcessorProfile.named("plain"))
        _ = try? await ask(url, profile.encode(IssuerProcessTests.wallet(), card: "card-1"))
        let outcome = try await tool.outcome(timeout: 10)
        #expect(outcome.status == 74, "\(outcome.talk)")
    }

    private static func wallet() throws -> WalletRequest {
        try ProvisioningTestAuthority().makeIdentity(at: Date()).makeRequest()
    }
}
