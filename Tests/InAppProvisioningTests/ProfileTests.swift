// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import Testing
import WalletCrypto

@testable import InAppProvisioning

@Suite struct ProfileTests {
    private let identity: WalletIdentity

    init() throws { identity = try Fixture.identity() }

    @Test(arguments: ProcessorProfile.builtIn) func `a flow goes both ways`(profile: ProcessorProfile) throws {
        for network in ["visa", "MasterCard", nil] as [String?] {
            let request = identity.makeRequest()
            let sent = profile.encode(request, card: "card/1 ü", device: .watch)
            #expect(sent.target.hasPrefix("/") && profile.matches(method: sent.method, target: sent.target))
            let seen = try profile.decode(sent)
            let expected = profile.certificates.form == .leaf ? 1 : 2
            #expect(seen.request.certificates == Array(request.certificates.prefix(expected)))
            #expect(seen.request.nonce == request.nonce && seen.request.nonceSignature == request.nonceSignature)
            #expect(seen.card == "card/1 ü")
            let trio = try Fixture.trio(request, identity)
            let answer = profile.encode(trio, network: network)
            #expect(answer.status == 200)
            let received = try profile.decodeAnswer(answer.body, network: network)
            #expect(received.trio == trio && received.faults.isEmpty)
        }
    }

    @Test(arguments: ProcessorProfile.builtIn) func `the file of a profile reads back`(profile: ProcessorProfile) throws
    {
        #expect(try ProcessorProfile(file: Array(profile.file().utf8)) == profile)
    }

    @Test func `the processors of the table`() {
        let names = Set(ProcessorProfile.builtIn.map(\.name))
        #expect(names.count == ProcessorProfile.builtIn.count)
        let wanted = [
            "plain", "tmp", "marqeta", "stripe", "lithic", "galileo", "enfuce", "wise", "thredd", "highnote",
            "treezor", "google",
        ]
        #expect(names == Set(wanted))
        #expect(ProcessorProfile.named("TMP")?.path == "/issuer/push-provisioning/signed-cards")
        #expect(ProcessorProfile.named("nobody") == nil)
    }

    @Test func `shapes that are documented`() throws {
        let request = WalletRequest(
            certificates: [[0x30, 0xFB, 0xFF], [0x30, 0x01]], nonce: [0xB9, 0xEF, 0x8F, 0x31],
            nonceSignature: [0x40, 0x01, 0x02])
        let trio = ProvisioningTrio(
            encryptedPassData: [0xFB, 0xFF, 1], activationData: Array("MBPAC".utf8), ephemeralPublicKey: [4, 2])
        func sent(_ name: String) throws -> ProfileRequest {
            try #require(ProcessorProfile.named(name)).encode(request, card: "c1")
        }
        func body(_ name: String) throws -> String { String(decoding: try sent(name).body, as: UTF8.self) }
        func answer(_ name: String, _ network: String? = nil) throws -> String {
            String(
                decoding: try #require(ProcessorProfile.named(name)).encode(trio, network: network).body, as: UTF8.self)
        }
        #expect(
            try sent("stripe").target == """
                /v1/issuing/cards/c1/push_provisioning_details?ios[certificates][]=MPv%2F&\
                ios[certificates][]=MAE%3D&ios[nonce]=b9ef8f31&ios[nonce_signature]=400102
                """)
        #expect(try sent("stripe").method == "GET" && sent("stripe").body.isEmpty)
        #expect(
            try body("tmp")
                == #"{"cardId":"c1","certificate":"MPv/","nonce":"ue+PMQ==","nonceSignature":"QAEC"}"#)
        #expect(
            try answer("tmp")
                == #"{"encryptedData":"+/8B","activationData":"TUJQQUM=","ephemeralPublicKey":"BAI="}"#)
        #expect(try body("google").contains(#""certificateChain":["MPv_","MAE"]"#))
        #expect(try body("galileo").hasPrefix("accountNo=c1&cert1=MPv%2F&cert2=MAE%3D&nonce=b9ef8f31"))
        #expect(try answer("galileo").contains(#""activation_data":"MBPAC""#))
        #expect(try answer("enfuce", "visa").contains(#""encryptedPassData":"+/8B""#))
        #expect(try answer("enfuce", "mastercard").contains(#""encryptedPassData":"fbff01""#))
        #expect(try answer("treezor").hasPrefix(#"{"issuerInitiatedDigitizationData":"{\"encryptedPassData\""#))
        #expect(try sent("wise").headers.contains(ProfileHeader("x-tw-twcard-card-token", "c1")))
        #expect(try body("thredd").contains(#"-----BEGIN CERTIFICATE-----\nMPv/\n-----END"#))
        #expect(try body("marqeta").contains(#""device_type":"MOBILE_PHONE""#))
        #expect(try answer("lithic").hasPrefix(#"{"provisioning_payload":{"encryptedData""#))
        #expect(try body("highnote").contains(#""variables":{"input":{"paymentCardId":"c1""#))
    }

    @Test func `what is wrong with a request is said with a hint`() throws {
        let profile = try #require(ProcessorProfile.named("plain"))
        func error(_ body: String) -> ProvisioningError? {
            let request = ProfileRequest(method: "POST", target: profile.path, body: Array(body.utf8))
            return #expect(throws: ProvisioningError.self) { try profile.decode(request) }
        }
        #expect(error("{}")?.reason == "The request lacks certificates")
        #expect(
            error(#"{"certificates":["MAE="],"nonceSignature":"QAEC"}"#)?.reason == "The request lacks the text nonce")
        let hex = error(#"{"certificates":["MAE="],"nonce":"b9ef8f3","nonceSignature":"QAEC"}"#)
        #expect(hex?.code == .invalidRequest && hex?.reason == "nonce is not written in base64")
        #expect(error(#"{"certificates":["30fbff01aa"],"nonce":"ue+PMQ=="}"#)?.hint == "it looks like hex")
        #expect(error(#"{"certificates":[1]}"#)?.code == .invalidRequest)
        #expect(error("[")?.code == .invalidJSON)
        let elsewhere = ProfileRequest(method: "POST", target: "/other", body: [])
        #expect(throws: ProvisioningError.self) { try profile.decode(elsewhere) }
        #expect(!profile.matches(method: "GET", target: profile.path))
    }

    @Test func `an answer of another form is kept as it is, with a fault`() throws {
        let profile = try #require(ProcessorProfile.named("plain"))
        let trio = try Fixture.trio(identity.makeRequest(), identity)
        var hexed = profile
        hexed.response.encryptedPassData.encoding = .hex
        hexed.response.ephemeralPublicKey.encoding = .hex
        let received = try profile.decodeAnswer(hexed.encode(trio).body)
        #expect(received.faults.count == 2 && received.faults[0].contains("looks like hex"))
        #expect(EnvelopeDiagnosis.open(received.trio, for: identity).diagnosis == "still-hex")
        let other = try #require(ProcessorProfile.named("marqeta")).encode(trio)
        let error = #expect(throws: ProvisioningError.self) { try profile.decodeAnswer(other.body) }
        #expect(error?.hint == "the answer has the names of the profile marqeta")
        let refusal = profile.refusal(status: 422, code: "chain", text: "no")
        #expect(refusal.status == 422 && String(decoding: refusal.body, as: UTF8.self).contains("chain"))
    }

    @Test(
        arguments: [
            ("[]", "The profile is an array, not an object", nil),
            ("{}", "name is missing", nil),
            (#"{"name":"Acme","path":"/x"}"#, "name has lower-case letters, digits and hyphens only", nil),
            (#"{"name":"a","path":"x"}"#, "path begins with / and has no blanks", "write /cards/{card}"),
            (#"{"name":"a","path":"/x","nonces":{}}"#, "nonces is not a member that is known", "known are"),
            (
                #"{"name":"a","path":"/x","nonce":{"encoding":"b64"}}"#, "nonce.encoding is not one of its values",
                "write one of base64, base64url, hex"
            ),
            (#"{"name":"a","path":"/x","nonce":{"encoding":"pem"}}"#, "nonce and nonceSignature are bytes", nil),
            (#"{"name":"a","path":"/x","response":{"x":1}}"#, "response.x is not a member that is known", nil),
            (#"{"name":"a","path":"/x","card":{}}"#, "card has either name or header", nil),
            (#"{"name":"a","path":"/{card}","card":{"name":"c"}}"#, "The card's reference stands in the path", nil),
            (#"{"name":"a","path":"/x","method":"GET"}"#, "A GET request has no body", "query"),
            (#"{"name":"a","path":"/x","constants":{"a":1}}"#, "constants has a value that is not a string", nil),
            (#"{"name":"a","path":"/x","certificates":{"names":["a","b"]}}"#, "certificates has several names", nil),
            (#"{"name":"a","name":"b","path":"/x"}"#, "A member stands twice in one object", nil),
        ] as [(String, String, String?)])
    func `a wrong file is refused with the member and a hint`(file: String, reason: String, hint: String?) {
        let error = #expect(throws: ProvisioningError.self) { try ProcessorProfile(file: Array(file.utf8)) }
        #expect(error?.reason.contains(reason) == true, "\(error?.description ?? "")")
        if let hint { #expect(error?.hint?.contains(hint) == true) }
    }

    @Test func `a user's profile works like those of the table`() throws {
        let file = """
            {"name": "acme", "method": "PUT", "path": "/v2/{card}/wallet", "body": "form",
             "headers": {"x-version": "3"},
             "certificates": {"names": ["leaf", "sub"], "form": "fields", "encoding": "hex"},
             "nonce": {"name": "n", "encoding": "hexUpper"}, "nonceSignature": {"name": "s", "encoding": "hex"},
             "device": {"name": "d", "phone": "P", "watch": "W"}, "constants": {"x": "y"},
             "response": {"nested": "data.inner", "encryptedPassData": {"name": "e"},
              "networks": {"Visa": {"encoding": "base64url"}}, "constants": {"state": "ok"}}}
            """
        let profile = try ProcessorProfile(file: Array(file.utf8))
        #expect(try ProcessorProfile(file: Array(profile.file().utf8)) == profile)
        let request = identity.makeRequest()
        let sent = profile.encode(request, card: "7")
        #expect(sent.method == "PUT" && sent.target == "/v2/7/wallet")
        #expect(try profile.decode(sent) == IncomingRequest(card: "7", request: request))
        let trio = try Fixture.trio(request, identity)
        #expect(try profile.decodeAnswer(profile.encode(trio, network: "VISA").body, network: "visa").trio == trio)
    }

    @Test func `never traps on any file, request or answer`() throws {
        var random = SeededRandom(seed: 5)
        let trio = try Fixture.trio(identity.makeRequest(), identity)
        for profile in ProcessorProfile.builtIn {
            let (file, sent) = (Array(profile.file().utf8), profile.encode(identity.makeRequest(), card: "c"))
            let answer = profile.encode(trio).body
            for _ in 0..<60 {
                _ = try? ProcessorProfile(file: random.mutate(file))
                _ = try? profile.decodeAnswer(random.mutate(answer))
                var changed = sent
                changed.body = random.mutate(sent.body)
                changed.target = String(decoding: random.mutate(Array(sent.target.utf8)), as: UTF8.self)
                _ = try? profile.decode(changed)
            }
        }
    }
}
