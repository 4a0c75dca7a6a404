// SPDX-License-Identifier: Apache-2.0

import Foundation
import InAppProvisioning
import TestSupport
import Testing
import WalletCrypto

/// `issuer seal` and `issuer open`, and settings of `issuer serve` that are wrong.
@Suite struct IssuerTests {
    static let pan = "4111111111111111"
    static let signature = String(repeating: "5A", count: 40)
    static let payload = """
        {"primaryAccountNumber":"\(pan)","expiration":"12/30","name":"ALEX DOE","nonce":"01020304",
        "nonceSignature":"\(signature)"}
        """

    private struct Device {
        let bench: Bench
        let identity: WalletIdentity

        init(_ shape: ProvisioningTestAuthority.Shape = .init()) throws {
            bench = try Bench()
            identity = try ProvisioningTestAuthority().makeIdentity(shape, at: Date())
            try bench.write("leaf.der", identity.certificates.first ?? [])
            try bench.write("leaf-key.pem", identity.leafKey.pkcs8PEM().withUnsafeBytes { Array($0) }, mode: 0o600)
            identity.leafKey.sec1PEM().withUnsafeBytes { SecretsGate.register(sec1: $0) }
        }

        func seal(_ payload: String = IssuerTests.payload, _ more: String = "") async -> Outcome {
            await bench.run("issuer seal --leaf @leaf.der --json \(more)", input: payload)
        }

        /// What an issuer with a mistake answers.
        func wrongAnswer(_ mistake: String) throws -> String {
            let authority = try ProvisioningTestAuthority()
            let cards = try IssuerCardFile(json: Array(IssuerTests.cards.utf8))
            var settings = IssuerSettings(
                cards: cards, chain: IssuerChain(roots: [authority.root], intermediates: [authority.intermediate]))
            settings.fault = try IssuerFault("mistake=\(mistake)")
            let plain = try #require(ProcessorProfile.named("plain"))
            let answer = ReferenceIssuer(settings).answer(plain.encode(identity.makeRequest(), card: "card-1"))
            return String(decoding: answer.response.body, as: UTF8.self)
        }

        func open(_ trio: String, _ more: String = "--json") async -> Outcome {
            await bench.run("issuer open --leaf-key @leaf-key.pem \(more)", input: trio)
        }
    }

    private func named(_ section: String, _ object: [String: Any]) throws {
        let text = try #require(JSONDocumentTests.sections[section], "JSON.md has no section for \(section)")
        for name in object.keys {
            #expect(text.contains("\"\(name)\"") || text.contains("`\(name)`"), "JSON.md, \(section): \(name)")
        }
    }

    @Test func whatIsSealedOpens() async throws {
        let device = try Device()
        let sealed = await device.seal(Self.payload, "--activation-data T1RQ")
        #expect(sealed.status == 0, "\(sealed.error)")
        let trio = try sealed.object()
        #expect(Set(trio.keys) == ["encryptedPassData", "activationData", "ephemeralPublicKey"])
        #expect(trio["activationData"] as? String == "T1RQ")
        #expect(Data(base64Encoded: trio["ephemeralPublicKey"] as? String ?? "")?.count == 65)
        try named("issuer seal", trio)
        let opened = await device.open(sealed.output)
        #expect(opened.status == 0, "\(opened.error)")
        let payload = try opened.object()
        let given = try JSONSerialization.jsonObject(with: Data(Self.payload.utf8)) as? NSDictionary
        #expect(NSDictionary(dictionary: payload) == given, "the payload as it was sealed")
        try named("issuer open", payload)
        let hidden = await device.open(sealed.output, "")
        for line in ["primaryAccountNumber: 411111******1111", "expiration: 12/30", "nonce: 01020304"] {
            #expect(hidden.output.contains(line))
        }
        for secret in [Self.pan, "ALEX", Self.signature] { #expect(!hidden.output.contains(secret)) }
        let clear = await device.open(sealed.output, "--test-cards-only")
        for secret in [Self.pan, "ALEX", Self.signature] { #expect(clear.output.contains(secret)) }
    }

    @Test func onlyTestCardsAreShown() async throws {
        let device = try Device()
        // A check digit that fits, in no table of test cards.
        let sealed = await device.seal(Self.payload.replacing(Self.pan, with: "4539578763621486"))
        let outcome = await device.open(sealed.output, "--test-cards-only --json")
        #expect(outcome.status == 77 && !outcome.output.contains("4539578763621486"), "\(outcome.error)")
        #expect(await device.open(sealed.output, "").output.contains("453957******1486"))
    }

    @Test(arguments: ["iv-16-bytes", "kdf-no-counter", "partyv-spki", "key-spki-der", "still-base64", "still-hex"])
    func mistakesAreNamed(id: String) async throws {
        let device = try Device()
        let answer = try device.wrongAnswer(id)
        let outcome = await device.open(answer)
        #expect(outcome.status == 1, "\(outcome.error)")
        let object = try outcome.object()
        #expect(object["diagnosis"] as? String == id, "\(outcome.output)")
        #expect(((object["mistakes"] as? [[String: Any]])?.first?["id"] as? String) == id)
        #expect((object["payload"] as? [String: Any])?["expiration"] as? String == "12/30")
        #expect(!outcome.output.contains(Self.pan) && !outcome.error.contains(Self.pan))
        try named("issuer open", object)
        let text = await device.open(answer, "")
        #expect(text.status == 1 && text.output.contains("mistake: \(id)"))
    }

    @Test func whatDoesNotOpenSaysSo() async throws {
        let device = try Device()
        let sealed = await device.seal()
        let other = await device.bench.run("issuer open --leaf-key @other.pem --json", input: sealed.output)
        #expect(other.status == 1)
        #expect(try other.object()["code"] as? String == "authenticationFailed")
        let deep = String(repeating: "[", count: 10_000)
        for input in ["", "{", "[]", "{\"encryptedPassData\":\"AA==\"}", "\u{0}", deep] {
            let outcome = await device.open(input)
            #expect(outcome.status == 65, "\(input.prefix(20)): \(outcome.error)")
            expectComplaint(outcome, input)
        }
        #expect(await device.bench.run("issuer open --leaf-key @open.pem", input: sealed.output).status == 77)
        #expect(await device.bench.run("issuer open --leaf-key @none.pem", input: sealed.output).status == 66)
    }

    @Test func whatCannotBeSealedSaysSo() async throws {
        let device = try Device()
        for input in ["", "{", "[]", "no"] { #expect(await device.seal(input).status == 65, "\(input)") }
        let odd = await device.seal("{\"primaryAccountNumber\":\"\(Self.pan)\"}")
        #expect(odd.status == 0 && odd.error.contains("warning: The plaintext lacks expiration"), "\(odd.error)")
        let opened = await device.open(odd.output)
        #expect(opened.status == 1)
        #expect(try opened.object()["code"] as? String == "invalidPayload")
        #expect(await device.seal(Self.payload, "--activation-data %").status == 64)
        #expect(await device.bench.run("issuer seal --leaf @none.der", input: Self.payload).status == 66)
        #expect(await device.bench.run("issuer seal --leaf @not.json", input: Self.payload).status == 65)
        var rsa = ProvisioningTestAuthority.Shape()
        rsa.key = .rsa
        let refused = try await Device(rsa).seal()
        #expect(refused.status == 65 && refused.error.contains("P-256"), "\(refused.error)")
    }

    static let cards = """
        {"cards":[{"id":"card-1","primaryAccountNumber":"\(pan)","expiration":"12/30","name":"A B"}]}
        """

    @Test(arguments: [
        Case(line: "issuer serve", status: 64, error: "--cards"),
        Case(line: "issuer serve --cards @cards.json", status: 64, error: "no root is trusted"),
        Case(line: "issuer serve --cards @cards.json --root @none.pem", status: 66),
        Case(line: "issuer serve --cards @cards.json --root @not.pem", status: 65, error: "not.pem"),
        Case(line: "issuer serve --cards @none.json --trust-test-root", status: 66),
        Case(line: "issuer serve --cards @not.json --trust-test-root", status: 77, error: "chmod 600"),
        Case(line: "issuer serve --cards @broken.json --trust-test-root", status: 65, error: "broken.json"),
        Case(line: "SERVE --profile nope", status: 64, error: "no profile"),
        Case(line: "SERVE --profile @not.json", status: 65),
        Case(line: "SERVE --fault boom", status: 64, error: "no fault"),
        Case(line: "SERVE --listen 8080", status: 64, error: "no address"),
        Case(line: "SERVE --listen 0.0.0.0:0", status: 77, error: "token"),
        Case(line: "SERVE --listen 192.0.2.1:0 --allow-anyone", status: 69),
        Case(line: "SERVE --token-file @not.json", status: 77),
        Case(line: "SERVE --token-file @blank", status: 65, error: "token"),
        Case(line: "SERVE --tls-key @key.pem", status: 64, error: "together"),
        Case(
            line: "SERVE --tls-key @key.pem --tls-certificate @not.pem",
            status: 65, error: "TLS"),
        Case(line: "SERVE --audit @no/folder", status: 74),
        Case(line: "SERVE --audit - --json", status: 64),
    ])
    func wrongSettingsAreNamed(_ wrong: Case) async throws {
        let bench = try Bench()
        try bench.write("cards.json", Array(Self.cards.utf8), mode: 0o600)
        try bench.write("broken.json", Array("{\"cards\":[{\"id\":1}]}".utf8), mode: 0o600)
        try bench.write("blank", Array("two words\n".utf8), mode: 0o600)
        let serve = "issuer serve --cards @cards.json --trust-test-root"
        let outcome = await bench.run(wrong.line.replacing("SERVE", with: serve))
        #expect(outcome.status == wrong.status, "\(outcome.error)")
        #expect(wrong.error.isEmpty || outcome.error.contains(wrong.error), "\(outcome.error)")
        #expect(!outcome.error.contains(Self.pan))
    }
}
