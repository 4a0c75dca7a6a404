// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WalletCrypto

@testable import InAppProvisioning

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// One mistake each: it is found by its own check and by no other.
@Suite struct ConformanceTests {
    struct Mutant: Sendable, CustomTestStringConvertible {
        var id: String
        var about: String
        var change: @Sendable (inout Bench) throws -> Void
        var testDescription: String { "\(id): \(about)" }

        init(_ id: String, _ about: String, _ change: @escaping @Sendable (inout Bench) throws -> Void) {
            (self.id, self.about, self.change) = (id, about, change)
        }
    }

    private static func violated(_ report: ConformanceReport) -> [String] {
        report.results.filter { $0.verdict == .fail || $0.verdict == .warn }.map(\.id)
    }

    @Test func `a sound flow is clean`() throws {
        for profile in ProcessorProfile.builtIn {
            let report = try Bench(profile: profile.name).report()
            #expect(Self.violated(report) == (profile.putsNonceInURL ? ["L-nonce-url"] : []), "\(profile.name)")
            #expect(report.isOK && report.diagnosis == nil)
            for id in ["E-opens", "J-card", "A-authcode", "R-nonce", "C-critical-marker", "H-once", "L-log"] {
                #expect(report[id]?.verdict == .pass, "\(profile.name) \(id)")
            }
            #expect(report.results.count == ConformanceCheck.all.count)
        }
    }

    @Test(arguments: envelopeMutants + payloadMutants + activationMutants + requestMutants + appMutants)
    func `each mutant is caught by its own check`(mutant: Mutant) throws {
        var bench = try Bench()
        try mutant.change(&bench)
        let report = try bench.report()
        #expect(Self.violated(report) == [mutant.id])
        #expect(report[mutant.id]?.evidence.isEmpty == false)
        #expect(report[mutant.id]?.verdict == ConformanceCheck.named(mutant.id)?.violation)
    }

    @Test func `every check of an issuer's groups has a mutant`() {
        let here = Self.envelopeMutants + Self.payloadMutants + Self.activationMutants + Self.requestMutants
        let probed = (ProbeTests.holes + ProbeTests.refusals).map(\.id)
        // Over several runs, with two requests at once, and beside clients that a test of the tool starts.
        let elsewhere = ["R-p95", "N-duplicate", "N-slow-client"]
        let groups: Set<ConformanceGroup> = [.preflight, .handler, .issuerExtension, .watch]
        let wanted = ConformanceCheck.all.filter { !groups.contains($0.group) }.map(\.id)
        #expect(Set(here.map(\.id) + probed + elsewhere) == Set(wanted))
    }

    static let envelopeMutants: [Mutant] = [
        Mutant("E-blobs-present", "no key") { $0.trio = { $0.ephemeralPublicKey = [] } },
        Mutant("E-encoding", "Base64 twice") { bench in
            bench.trio = { trio in
                trio.encryptedPassData = Array(BlobEncoding.base64.encode(trio.encryptedPassData).utf8)
                trio.activationData = Array(BlobEncoding.base64.encode(trio.activationData).utf8)
                trio.ephemeralPublicKey = Array(BlobEncoding.base64.encode(trio.ephemeralPublicKey).utf8)
            }
        },
        Mutant("E-encoding", "activation data not in Base64") { bench in
            bench.answer = { response in
                var json = (try? JSONValue(reading: response.body)) ?? .null
                json.set(["activationData"], to: .string("MBPAC-1"))
                response.body = json.utf8
            }
        },
        Mutant("E-key-form", "SPKI DER") { bench in
            bench.trio = { trio in
                let key = try? P256PublicKey(x963: trio.ephemeralPublicKey)
                trio.ephemeralPublicKey = key?.subjectPublicKeyInfo(compressed: false) ?? []
            }
        },
        Mutant("E-key-form", "off the curve") { $0.trio = { $0.ephemeralPublicKey[64] ^= 1 } },
        Mutant("E-key-form", "half a key") { $0.trio = { $0.ephemeralPublicKey.removeLast(30) } },
        Mutant("E-key-fresh", "the same key again") { bench in
            let key = try P256PrivateKey.generate()
            bench.seal = { try ECCv2.seal($0, to: $1.leafKey.publicKey, ephemeral: key) }
            bench.flow.earlierKeys = [key.publicKey.uncompressed]
        },
        Mutant("E-leaf", "sealed for the intermediate") {
            $0.seal = { try ECCv2.seal($0, to: try #require($1.intermediateKey).publicKey) }
        },
        Mutant("E-derivation", "no counter") { bench in
            bench.seal = { text, identity in
                let key = try P256PrivateKey.generate()
                let point = key.publicKey.uncompressed
                let secret = try key.sharedSecret(with: identity.leafKey.publicKey).bytes
                let derived = Digest.sha256(secret + ECCv2.otherInfo(partyV: point))
                let sealed = try AESGCM.seal(text, key: SecretBytes(copying: derived), iv: ECCv2.iv)
                return SealedPass(encryptedPassData: sealed.ciphertext + sealed.tag, ephemeralPublicKey: point)
            }
        },
        Mutant("E-iv", "16 bytes") { bench in
            bench.seal = { text, identity in
                let key = try P256PrivateKey.generate()
                let point = key.publicKey.uncompressed
                let derived = try ECCv2.derive(
                    try key.sharedSecret(with: identity.leafKey.publicKey), partyV: point)
                let sealed = try AESGCM.seal(text, key: derived, iv: [UInt8](repeating: 0, count: 16))
                return SealedPass(encryptedPassData: sealed.ciphertext + sealed.tag, ephemeralPublicKey: point)
            }
        },
        Mutant("E-opens", "a bit flipped") { $0.trio = { $0.encryptedPassData[3] ^= 1 } },
        Mutant("E-opens", "the tag cut off") { $0.trio = { $0.encryptedPassData.removeLast(16) } },
    ]

    static let payloadMutants: [Mutant] = [
        Mutant("J-json", "not JSON") { $0.plaintext = { $0.dropLast() } },
        Mutant("J-json", "an array") { $0.plaintext = { [0x5B] + $0 + [0x5D] } },
        Mutant("J-strings", "a number as number") { $0.set("name", .number("1")) },
        Mutant("J-required", "no name") { $0.set("name", nil) },
        Mutant("J-required", "no nonce") { $0.set("nonce", nil) },
        Mutant("J-known", "one member more") { $0.set("cvv", .string("123")) },
        Mutant("J-nonce", "another nonce") { $0.set("nonce", .string("00000000")) },
        Mutant("J-nonce", "in Base64") { $0.set("nonce", .string("ue+PMQ==")) },
        Mutant("J-nonce-signature", "another signature") { $0.set("nonceSignature", .string("4000")) },
        Mutant("J-hex-case", "upper case") {
            // A signature has letters, whatever it is.
            $0.set("nonceSignature", .string(BlobEncoding.hexUpper.encode($0.flow.request.nonceSignature)))
        },
        Mutant("J-card-number", "a wrong check digit") { $0.set("primaryAccountNumber", .string("4761739001019838")) },
        Mutant("J-card-number", "blanks") { $0.set("primaryAccountNumber", .string("4761 7390 0101 9839")) },
        Mutant("J-card", "another card") { $0.set("primaryAccountNumber", .string("4111111111111111")) },
        Mutant("J-suffix", "another card than shown") { $0.flow.sheet?.suffix = "4242" },
        Mutant("J-expiration", "without slash") { $0.set("expiration", .string("1231")) },
        Mutant("J-expiration-agrees", "another month") { $0.set("expiration", .string("11/31")) },
        Mutant("J-not-past", "a card of the past") {
            $0.flow.card = try Fixture.card(Fixture.panText, "01/20")
            $0.set("expiration", .string("01/20"))
        },
        Mutant("J-name", "blank") { $0.set("name", .string(" ")) },
        Mutant("J-encrypted-number", "not Base64") {
            $0.set("primaryAccountNumber", nil)
            $0.set("expiration", nil)
            $0.set("encryptedPrimaryAccountNumber", .string("MBPAD-1"))
            $0.set("primaryAccountNumberPrefix", .string("476173"))
            $0.set("networkName", .string("Visa"))
        },
    ]

    static let activationMutants: [Mutant] = [
        Mutant("A-not-encoded", "Base64 of the value") {
            $0.activation = Array(BlobEncoding.base64.encode(try Bench.value()).utf8)
        },
        Mutant("A-format", "a Visa block without its algorithm") { bench in
            bench.activation = Array(
                String(decoding: bench.activation, as: UTF8.self).replacing("-TDEA-", with: "--").utf8)
        },
        Mutant("A-format", "a value without a signature") {
            $0.activation = Array(#"{"version":"3","signatureAlgorithm":"RSA-SHA256"}"#.utf8)
        },
        Mutant("A-opens", "another key") {
            $0.activation = try Bench.block([("nonce", "00")], key: SecretBytes(copying: [UInt8](3...18)))
        },
        Mutant("A-nonce", "another nonce") {
            $0.activation = try Bench.block([("nonce", "00000000"), ("authcode", "A1B2C3")])
        },
        Mutant("A-authcode", "too short") {
            let nonce = BlobEncoding.hex.encode($0.flow.request.nonce)
            $0.activation = try Bench.block([("nonce", nonce), ("authcode", "A1")])
        },
        Mutant("A-tav-signature", "another card") { $0.activation = try Bench.value("4111111111111111") },
        Mutant("A-tav-valid", "run out") { $0.activation = try Bench.value(seconds: -60) },
    ]

    static let requestMutants: [Mutant] = [
        Mutant("R-readable", "not JSON") { $0.sent = { $0.body.removeLast() } },
        Mutant("R-certificates", "one less") { bench in
            bench.sent = { [request = bench.flow.request, profile = bench.profile] sent in
                var less = request
                less.certificates.removeLast()
                sent = profile.encode(less, card: "card-1")
            }
        },
        Mutant("R-nonce", "another nonce") { bench in
            bench.sent = { [request = bench.flow.request, profile = bench.profile] sent in
                var other = request
                other.nonce[0] ^= 1
                sent = profile.encode(other, card: "card-1")
            }
        },
        Mutant("R-nonce-signature", "cut off") { bench in
            bench.sent = { [request = bench.flow.request, profile = bench.profile] sent in
                var other = request
                other.nonceSignature.removeLast()
                sent = profile.encode(other, card: "card-1")
            }
        },
        Mutant("R-not-reused", "used before") { $0.flow.earlierNonces = [$0.flow.request.nonce] },
        Mutant("R-status", "500") { $0.answer = { $0.status = 500 } },
        Mutant("R-status", "connection dropped") { $0.flow.transportFailure = "the connection was dropped" },
        Mutant("R-answer", "other names") { $0.answer = { $0.body = Array("{\"a\":\"b\"}".utf8) } },
        Mutant("R-answer", "10,000 levels") { $0.answer = { $0.body = [UInt8](repeating: 0x5B, count: 10_000) } },
        Mutant("R-in-time", "20.1 s") { $0.flow.seconds = 20.1 },
        Mutant("R-fast", "19.9 s") { $0.flow.seconds = 19.9 },
        Mutant("L-url", "the number in the URL") { $0.sent = { $0.target += "?pan=\(Fixture.panText)" } },
        Mutant("L-nonce-url", "the nonce in the URL") { bench in
            let nonce = BlobEncoding.hex.encode(bench.flow.request.nonce)
            bench.sent = { $0.target += "?n=\(nonce)" }
        },
        Mutant("L-traffic", "the number in the answer") { bench in
            bench.answer = { response in
                var json = (try? JSONValue(reading: response.body)) ?? .null
                json.set(["pan"], to: .string(Fixture.panText))
                response.body = json.utf8
            }
        },
        Mutant("L-log", "the signature in a log") { bench in
            let signature = BlobEncoding.base64.encode(bench.flow.request.nonceSignature)
            bench.flow.texts.append(.init(name: "the service's log", text: "got \(signature)"))
        },
    ]

    static let appMutants: [Mutant] = [
        Mutant("H-in-time", "never called") { $0.flow.handler?.calls = [] },
        Mutant("H-not-late", "at 20.1 s") { $0.flow.handler?.calls = [20.1] },
        Mutant("H-once", "twice") { $0.flow.handler?.calls = [1, 2] },
        Mutant("H-not-after-cancel", "after cancel") { $0.flow.handler = .init(calls: [5], cancelled: 3) },
        Mutant("H-not-empty", "an empty request") {
            $0.flow.trio = ProvisioningTrio(encryptedPassData: [], activationData: [], ephemeralPublicKey: [])
        },
        Mutant("P-name-or-suffix", "neither") {
            $0.flow.sheet?.cardholderName = nil
            $0.flow.sheet?.suffix = nil
        },
        Mutant("P-name-and-suffix", "no name") { $0.flow.sheet?.cardholderName = "" },
        Mutant("P-suffix-digits", "three digits") { $0.flow.sheet?.suffix = "839" },
        Mutant("P-network", "no network") { $0.flow.sheet?.network = nil },
        Mutant("P-no-card-number", "the number in a line") { $0.flow.sheet?.otherTexts = ["Card \(Fixture.panText)"] },
    ]

    @Test func `the handler at 19.9 s is in time`() throws {
        var bench = try Bench()
        bench.flow.handler?.calls = [19.9]
        #expect(try bench.report()["H-in-time"]?.verdict == .pass)
    }

    @Test func `RSA_V2 is not verifiable`() throws {
        var bench = try Bench()
        bench.flow.scheme = .rsaV2
        let report = try bench.report()
        #expect(report["P-scheme"]?.verdict == .notVerifiable && report["E-opens"]?.verdict == .notVerifiable)
        #expect(report.isOK)
    }

    @Test func `what the emulated Wallet saw stands in the report`() throws {
        var bench = try Bench()
        bench.flow.lookedAt = ["X-status-once", "X-status-in-time"]
        let check = try #require(ConformanceCheck.named("X-status-once"))
        bench.flow.observed = [ConformanceResult(check, .fail, "completed twice")]
        let report = try bench.report()
        #expect(report["X-status-once"]?.verdict == .fail && report["X-status-in-time"]?.verdict == .pass)
        #expect(report["X-request"]?.verdict == .notVerifiable)
    }

    @Test func `the catalog has all eleven groups, and names are unique`() {
        let ids = ConformanceCheck.all.map(\.id)
        #expect(Set(ids).count == ids.count)
        #expect(Set(ConformanceCheck.all.map(\.group)) == Set(ConformanceGroup.allCases))
        for check in ConformanceCheck.all {
            #expect(check.id.hasPrefix(check.group.rawValue + "-") && !check.rule.isEmpty && !check.symptom.isEmpty)
            #expect(check.violation == .warn || check.source != "inference" || !check.rule.isEmpty)
        }
    }

    @Test func `three forms of a report, none with a secret`() throws {
        var bench = try Bench()
        bench.set("primaryAccountNumber", .string("4111111111111111"))
        bench.flow.sheet?.network = "<\"&\u{1}>"
        let request = bench.flow.request
        let report = try bench.report()
        let forms = [report.text(), report.json(), report.junit()]
        for form in forms { SecretsGate.saw("provisioning-report", form) }
        for form in forms {
            #expect(form.contains("J-card") && form.contains("Not covered"))
            for secret in [
                "4111111111111111", Fixture.panText, BlobEncoding.hex.encode(request.nonceSignature),
                BlobEncoding.base64.encode(request.nonceSignature),
            ] { #expect(!form.contains(secret)) }
        }
        #expect(forms[0].contains("411111******1111"))
        let json = try #require(try JSONSerialization.jsonObject(with: Data(forms[1].utf8)) as? [String: Any])
        #expect(json["ok"] as? Bool == false && json["diagnosis"] is NSNull)
        #expect((json["checks"] as? [[String: Any]])?.count == ConformanceCheck.all.count)
        #expect(XMLParser(data: Data(forms[2].utf8)).parse())
        bench.flow.isUnmasked = true
        #expect(try bench.report().text().contains("4111111111111111"))
    }

    @Test func `the diagnosis is in the report`() throws {
        var bench = try Bench()
        bench.trio = { $0.ephemeralPublicKey.removeFirst() }
        let report = try bench.report()
        #expect(report.diagnosis == "key-no-prefix" && report.json().contains("\"diagnosis\": \"key-no-prefix\""))
        #expect(report.text().contains("Diagnosis: key-no-prefix"))
    }
}
