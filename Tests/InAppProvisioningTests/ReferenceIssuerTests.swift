// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WalletCrypto

@testable import InAppProvisioning

/// An issuer with one card, and a wallet that asks it.
struct IssuerBench {
    static let now = Date(timeIntervalSince1970: 1_780_000_000)
    let authority: ProvisioningTestAuthority
    let identity: WalletIdentity
    var settings: IssuerSettings

    init() throws {
        authority = try ProvisioningTestAuthority()
        identity = try authority.makeIdentity(at: Self.now)
        let details = try CardDetails(
            primaryAccountNumber: "4111111111111111", expiration: "12/30", name: "A CARDHOLDER")
        let card = try IssuerCard(id: "card-1", details: details, network: "visa", activationData: [1, 2, 3])
        settings = IssuerSettings(
            cards: try IssuerCardFile([card]),
            chain: IssuerChain(roots: [authority.root], intermediates: [authority.intermediate]))
        settings.now = { Self.now }
    }

    func ask(
        _ issuer: ReferenceIssuer, _ profile: ProcessorProfile, card: String = "card-1",
        _ request: WalletRequest? = nil,
        edit: (inout ProfileRequest) -> Void = { _ in }
    ) -> ReferenceIssuer.Answer {
        var encoded = profile.encode(request ?? identity.makeRequest(), card: card)
        edit(&encoded)
        return issuer.answer(encoded)
    }

    func plain() throws -> ProcessorProfile { try #require(ProcessorProfile.named("plain")) }
}

@Suite struct ReferenceIssuerTests {
    @Test(arguments: ProcessorProfile.builtIn.map(\.name))
    func `every interface gets an envelope that opens`(name: String) throws {
        let bench = try IssuerBench()
        let profile = try #require(ProcessorProfile.named(name))
        let request = bench.identity.makeRequest()
        let answer = bench.ask(ReferenceIssuer(bench.settings), profile, request)
        #expect(answer.response.status == 200)
        #expect(answer.audit.profile == name)
        #expect(answer.audit.card == "card-1")
        let received = try profile.decodeAnswer(answer.response.body, network: "visa")
        #expect(received.faults.isEmpty)
        #expect(received.trio.activationData == [1, 2, 3])
        let plaintext = try ECCv2.open(received.trio.sealed, with: bench.identity.leafKey)
        let text = plaintext.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        #expect(text.contains("\"expiration\":\"12/30\"") || text.contains("12\\/30"))
        #expect(text.contains(BlobEncoding.hex.encode(request.nonceSignature)))
    }

    @Test func `a key never seals twice`() throws {
        let bench = try IssuerBench()
        let issuer = ReferenceIssuer(bench.settings)
        let profile = try bench.plain()
        let keys = try (0..<50).map { _ in
            try profile.decodeAnswer(bench.ask(issuer, profile).response.body).trio.ephemeralPublicKey
        }
        #expect(Set(keys).count == 50)
    }

    @Test func `a nonce is good once`() throws {
        let bench = try IssuerBench()
        let issuer = ReferenceIssuer(bench.settings)
        let request = bench.identity.makeRequest()
        #expect(bench.ask(issuer, try bench.plain(), request).response.status == 200)
        let again = bench.ask(issuer, try bench.plain(), request)
        #expect(again.response.status == 409)
        #expect(again.audit.code == "replayedNonce")
    }

    @Test func `a refused card does not use up the nonce`() throws {
        let bench = try IssuerBench()
        let issuer = ReferenceIssuer(bench.settings)
        let request = bench.identity.makeRequest()
        #expect(bench.ask(issuer, try bench.plain(), card: "other", request).audit.code == "unknownCard")
        #expect(bench.ask(issuer, try bench.plain(), request).response.status == 200)
    }

    @Test func `the ledger forgets the oldest first`() {
        let ledger = NonceLedger(capacity: 3)
        for nonce in 0..<4 as Range<UInt8> { #expect(ledger.isFirst(nonce: [nonce], signature: [])) }
        #expect(!ledger.isFirst(nonce: [3], signature: []))
        #expect(!ledger.isFirst(nonce: [1], signature: []))
        #expect(ledger.isFirst(nonce: [0], signature: []))
        // Nonce and signature cannot change places.
        #expect(ledger.isFirst(nonce: [], signature: [3]))
    }

    @Test func `a token must be one of the issuer's`() throws {
        var bench = try IssuerBench()
        bench.settings.tokens = [SecretBytes(copying: "let-me-in".utf8)]
        let issuer = ReferenceIssuer(bench.settings)
        func status(_ field: String?) throws -> Int {
            bench.ask(issuer, try bench.plain()) { request in
                if let field { request.headers.append(ProfileHeader("Authorization", field)) }
            }.response.status
        }
        #expect(try status(nil) == 401)
        #expect(try status("Bearer let-me-out") == 401)
        #expect(try status("Basic let-me-in") == 401)
        #expect(try status("Bearer let-me-in") == 200)
        #expect(try status("bearer let-me-in") == 200)
    }

    @Test func `chains that must be refused are`() throws {
        let bench = try IssuerBench()
        let issuer = ReferenceIssuer(bench.settings)
        var shapes: [(ProvisioningTestAuthority.Shape, String)] = []
        var shape = ProvisioningTestAuthority.Shape()
        shape.key = .rsa
        shapes.append((shape, "notP256"))
        shape = ProvisioningTestAuthority.Shape()
        shape.marker = .absent
        shapes.append((shape, "noMarker"))
        shape = ProvisioningTestAuthority.Shape()
        shape.ends = -3600
        shapes.append((shape, "expired"))
        for (shape, finding) in shapes {
            let identity = try bench.authority.makeIdentity(shape, at: IssuerBench.now)
            let answer = bench.ask(issuer, try bench.plain(), identity.makeRequest())
            #expect(answer.response.status == 422)
            #expect(answer.audit.findings.contains(finding))
        }
        let foreign = try ProvisioningTestAuthority(label: "another").makeIdentity(at: IssuerBench.now)
        #expect(bench.ask(issuer, try bench.plain(), foreign.makeRequest()).audit.findings.contains("untrusted"))
    }

    @Test func `what is no request is refused in words`() throws {
        let bench = try IssuerBench()
        let issuer = ReferenceIssuer(bench.settings)
        let plain = try bench.plain()
        #expect(issuer.answer(ProfileRequest(method: "GET", target: "/nowhere")).response.status == 404)
        for body in [[], Array("{".utf8), [0xFF], Array("[]".utf8), Array("{\"nonce\":1}".utf8)] as [[UInt8]] {
            let answer = bench.ask(issuer, plain) { $0.body = body }
            #expect(answer.response.status == 400)
            #expect(answer.audit.code != nil)
        }
        let long = WalletRequest(
            certificates: bench.identity.certificates, nonce: [UInt8](repeating: 1, count: 1_000_000),
            nonceSignature: [1])
        #expect(bench.ask(issuer, plain, long).response.status == 400)
    }

    @Test func `faults are injected as they are spelt`() throws {
        var bench = try IssuerBench()
        let profile = try bench.plain()
        bench.settings.fault = try IssuerFault("status=503")
        #expect(bench.ask(ReferenceIssuer(bench.settings), profile).response.status == 503)
        for text in ["truncate", "garbage", "empty"] {
            bench.settings.fault = try IssuerFault(text)
            let answer = bench.ask(ReferenceIssuer(bench.settings), profile)
            #expect(answer.audit.isInjected)
            #expect(throws: ProvisioningError.self) { try profile.decodeAnswer(answer.response.body) }
        }
        #expect(try IssuerFault("delay=21000") == .delay(21000))
        for text in ["", "status", "status=200", "status=x", "delay=-1", "drop=1", "boom"] {
            #expect(throws: ProvisioningError.self) { try IssuerFault(text) }
        }
    }

    @Test func `the audit has no secret`() throws {
        let bench = try IssuerBench()
        let request = bench.identity.makeRequest()
        let answer = bench.ask(ReferenceIssuer(bench.settings), try bench.plain(), request)
        let line = answer.audit.fields.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
        #expect(line == "profile=plain card=card-1 status=200 chain=testRoot")
        #expect("\(bench.settings.cards)".contains("concealed"))
        #expect(!"\(answer)".contains("4111"))
    }
}

@Suite struct IssuerCardFileTests {
    static let card = """
        {"id":"card-1","primaryAccountNumber":"4111111111111111","expiration":"12/30","name":"A B"}
        """

    @Test func `a file is read`() throws {
        let file = try IssuerCardFile(json: Array("{\"cards\":[\(Self.card)]}".utf8))
        #expect(file.cards["card-1"]?.details.suffix == "1111")
    }

    @Test(
        arguments: [
            ("[]", "no list"), ("{\"cards\":[1]}", "cards[0]: It is"), ("{\"cards\":[{}]}", "`primaryAccountNumber`"),
            ("{\"cards\":[\(card),\(card)]}", "there twice"),
            ("{\"cards\":[\(card.replacing("1111\",", with: "1112\","))]}", "check digit"),
            ("{\"cards\":[\(card.replacing("card-1", with: "4111111111111111"))]}", "looks like a card number"),
            ("{\"cards\":[\(card.replacing("\"name\"", with: "\"nam\""))]}", "`nam` is not known"),
            ("{\"cards\":[\(card.replacing("}", with: ",\"activationData\":\"-\"}"))]}", "`activationData`"),
        ].hidden)
    func `what is wrong is said`(row: Hidden<(String, String)>) {
        let (text, part) = row.value
        let error = #expect(throws: ProvisioningError.self) { try IssuerCardFile(json: Array(text.utf8)) }
        #expect(error?.reason.contains(part) == true, "\(error?.reason ?? "none")")
        #expect(error?.reason.contains("4111") == false)
    }
}
