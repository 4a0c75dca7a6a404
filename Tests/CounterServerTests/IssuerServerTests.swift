// SPDX-License-Identifier: Apache-2.0

import CounterServer
import Foundation
import InAppProvisioning
import TestSupport
import Testing
import WalletCrypto

/// What the service answers.
@Suite struct IssuerServerTests {
    @Test func `every interface gets an envelope that opens`() async throws {
        let bench = try await ServerBench.start()
        for profile in ProcessorProfile.builtIn { #expect(try bench.opened(profile.name), "\(profile.name)") }
        #expect(bench.audit.count == ProcessorProfile.builtIn.count)
        try await bench.stop()
    }

    @Test func `two hundred at a time`() async throws {
        let bench = try await ServerBench.start()
        let plain = try #require(ProcessorProfile.named("plain"))
        let clients = try (0..<200).map { _ in try bench.client() }
        for client in clients { client.send(try bench.request()) }
        var keys: Set<[UInt8]> = []
        for client in clients {
            let answer = try #require(client.answer())
            #expect(answer.status == 200)
            #expect(try bench.opens(answer.body, plain))
            keys.insert(try plain.decodeAnswer(answer.body).trio.ephemeralPublicKey)
        }
        #expect(keys.count == 200)
        try await bench.stop()
    }

    @Test func `one connection carries many requests`() async throws {
        let bench = try await ServerBench.start()
        let plain = try #require(ProcessorProfile.named("plain"))
        let client = try bench.client()
        for _ in 0..<20 {
            client.send(bench.http(plain.encode(bench.identity.makeRequest(), card: "card-1"), close: false))
            #expect(client.answer()?.status == 200)
        }
        client.send(try bench.request())
        #expect(client.answer()?.head.contains("no-store") == true)
        #expect(client.read() == nil)
        try await bench.stop()
    }

    @Test func `a token is asked for`() async throws {
        let bench = try await ServerBench.start { $0.tokens = [SecretBytes(copying: "let-me-in".utf8)] }
        let plain = try #require(ProcessorProfile.named("plain"))
        for (field, status) in [(nil, 401), ("Bearer let-me-out", 401), ("Bearer let-me-in", 200)] as [(String?, Int)] {
            var request = plain.encode(bench.identity.makeRequest(), card: "card-1")
            if let field { request.headers.append(ProfileHeader("Authorization", field)) }
            #expect(try bench.ask(bench.http(request))?.status == status)
        }
        #expect(!bench.audit.joined().contains("let-me"))
        try await bench.stop()
    }

    @Test func `a nonce is good once`() async throws {
        let bench = try await ServerBench.start()
        let request = try bench.request("plain", bench.identity.makeRequest())
        #expect(try bench.ask(request)?.status == 200)
        #expect(try bench.ask(request)?.status == 409)
        #expect(bench.audit.last?.contains("\"code\":\"replayedNonce\"") == true)
        try await bench.stop()
    }

    @Test func `wrong requests are refused in words`() async throws {
        let bench = try await ServerBench.start()
        let foreign = try ProvisioningTestAuthority(label: "another").makeIdentity(at: Date())
        var rsa = ProvisioningTestAuthority.Shape()
        rsa.key = .rsa
        let deep = Array(String(repeating: "[", count: 10_000).utf8)
        let path = try #require(ProcessorProfile.named("plain")).encode(bench.identity.makeRequest(), card: "card-1")
        let cases: [(String, [UInt8], Int)] = [
            ("an unknown path", Array("GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n".utf8), 404),
            ("an unknown card", try bench.request("plain", card: "card-2"), 404),
            ("another authority", try bench.request("plain", foreign.makeRequest()), 422),
            (
                "a leaf of RSA",
                try bench.request(
                    "plain", try ProvisioningTestAuthority().makeIdentity(rsa, at: Date()).makeRequest()), 422
            ),
            ("too many levels", bench.http(.init(method: path.method, target: path.target, body: deep)), 400),
            ("no UTF-8", bench.http(.init(method: path.method, target: path.target, body: [0x22, 0xFF, 0x22])), 400),
            ("nothing", bench.http(.init(method: path.method, target: path.target)), 400),
            (
                "a truncated certificate",
                try bench.request(
                    "plain",
                    WalletRequest(
                        certificates: bench.identity.certificates.map { Array($0.dropLast(9)) }, nonce: [1, 2, 3, 4],
                        nonceSignature: [5])), 422
            ),
        ]
        let head = try bench.client()
        head.send("HEAD /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        let text = String(decoding: head.readToEnd(), as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 404") && text.hasSuffix("\r\n\r\n"), "\(text)")
        for (what, bytes, status) in cases {
            let answer = try #require(try bench.ask(bytes), "\(what)")
            #expect(answer.status == status, "\(what): \(String(decoding: answer.body, as: UTF8.self))")
        }
        #expect(try bench.opened())
        try await bench.stop()
    }

    @Test func `the audit log has no secret`() async throws {
        let bench = try await ServerBench.start()
        let get = try #require(ProcessorProfile.builtIn.first { $0.putsNonceInURL })
        for profile in ["plain", get.name] {
            let wallet = bench.identity.makeRequest()
            let answer = try #require(try bench.ask(try bench.request(profile, wallet)))
            #expect(answer.status == 200)
            let log = bench.audit.joined(separator: "\n")
            for secret in [wallet.nonce, wallet.nonceSignature, Array(answer.body.prefix(200))] {
                for encoding in [BlobEncoding.base64, .base64url, .hex, .hexUpper] {
                    #expect(!log.contains(encoding.encode(secret)))
                }
            }
            #expect(!log.contains(ServerBench.pan) && !log.contains("CARDHOLDER"))
        }
        let line = try #require(bench.audit.first)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(Set(object.keys) == ["time", "request", "milliseconds", "profile", "card", "status", "chain"])
        #expect(object["status"] as? Int == 200 && object["card"] as? String == "card-1")
        try await bench.stop()
    }
}
