// SPDX-License-Identifier: Apache-2.0

import Foundation
import LoyaltyFeed
import Testing
import WalletCrypto

@Suite struct WebhookSignatureTests {
    static let now = Date(timeIntervalSince1970: 1_614_265_330)

    /// The example that the reference libraries of Standard Webhooks share.
    static let example = (
        secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", body: Array(#"{"test": 2432232314}"#.utf8),
        fields: [
            "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330",
            "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        ]
    )

    @Test func `the reference's example verifies`() throws {
        let verifier = WebhookVerifier(keys: [try WebhookVerificationKey(Self.example.secret)])
        let id = try verifier.verify(body: Self.example.body, at: Self.now) { Self.example.fields[$0] }
        #expect(id == "msg_p5jXN8AQM9LWM0D4loKWxJek")
    }

    @Test func `and nothing near it`() throws {
        let verifier = WebhookVerifier(keys: [try WebhookVerificationKey(Self.example.secret)])
        let changes: [(String, String?, WebhookRejection.Code)] = [
            ("webhook-id", "msg_other", .signature), ("webhook-id", nil, .headerField),
            ("webhook-id", "", .headerField),
            ("webhook-id", "a.b", .headerField),
            ("webhook-timestamp", "1614265331", .signature), ("webhook-timestamp", "soon", .headerField),
            ("webhook-timestamp", "9223372036854775807", .signature), ("webhook-timestamp", nil, .headerField),
            ("webhook-signature", "v1,h0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", .signature),
            ("webhook-signature", "v1a,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", .signature),
            ("webhook-signature", "v1", .signature), ("webhook-signature", ",,, ,", .signature),
            ("webhook-signature", "v1,", .signature), ("webhook-signature", nil, .headerField),
        ]
        for (name, value, code) in changes {
            var fields = Self.example.fields
            fields[name] = value
            let error = #expect(throws: WebhookRejection.self) {
                try verifier.verify(body: Self.example.body, at: Self.now) { fields[$0] }
            }
            #expect(error?.code == code, "\(name) \(value ?? "missing")")
        }
        #expect(throws: WebhookRejection.self) {
            try verifier.verify(body: Self.example.body + [0x20], at: Self.now) { Self.example.fields[$0] }
        }
        for offset in [-301.0, 301, 1e18, -1e18] {
            let error = #expect(throws: WebhookRejection.self) {
                try verifier.verify(body: Self.example.body, at: Self.now.addingTimeInterval(offset)) {
                    Self.example.fields[$0]
                }
            }
            #expect(error?.code == .timestamp)
        }
    }

    @Test func `several secrets sign at once, each of them verifies, and no other`() throws {
        let seed = Base64.encode([UInt8](repeating: 3, count: 32))
        let secrets = try WebhookSecret.all(
            in: Array("# the new one\nwhsk_\(seed)\n\n  \(Self.example.secret)  \r\n\(testSecret)".utf8))
        #expect(secrets.count == 3)
        let event = sampleEvent()
        let fields = try WebhookSignature.fields(
            id: event.event.id, at: Self.now, body: event.body, secrets: secrets)
        #expect(fields.map(\.name) == ["webhook-id", "webhook-timestamp", "webhook-signature"])
        #expect(fields[2].value.split(separator: " ").map { $0.prefix { $0 != "," } } == ["v1a", "v1", "v1"])
        func isGood(_ key: WebhookVerificationKey) -> Bool {
            let verifier = WebhookVerifier(keys: [key])
            return
                (try? verifier.verify(body: event.body, at: Self.now) { name in
                    fields.first { $0.name == name }?.value
                }) == event.event.id.description
        }
        #expect(secrets.map(\.verification).allSatisfy(isGood))
        let publicKey = try Ed25519PrivateKey(seed: SecretBytes(copying: [UInt8](repeating: 3, count: 32))).publicKey
        #expect(isGood(try WebhookVerificationKey("whpk_" + Base64.encode(publicKey.bytes))))
        #expect(!isGood(try WebhookVerificationKey("whsec_" + Base64.encode([UInt8](repeating: 9, count: 24)))))
        #expect(!isGood(try WebhookVerificationKey("whsk_" + Base64.encode([UInt8](repeating: 9, count: 32)))))
    }

    @Test func `secrets of the wrong length or kind are refused, and never repeated`() throws {
        let pair = [UInt8](repeating: 3, count: 32) + [UInt8](repeating: 4, count: 32)
        for text in [
            "whsec_" + Base64.encode([UInt8](repeating: 7, count: 23)),
            "whsec_" + Base64.encode([UInt8](repeating: 7, count: 65)), "whsec_", "whsec_!!!!", "",
            "whsk_" + Base64.encode([UInt8](repeating: 7, count: 31)), "whsk_" + Base64.encode(pair), "BwcHBwcHBw",
        ] {
            let error = #expect(throws: CryptoError.self) { try WebhookSecret(text) }
            #expect(error?.description.contains("BwcH") == false)
        }
        let seed = [UInt8](repeating: 3, count: 32)
        let whole = seed + (try Ed25519PrivateKey(seed: SecretBytes(copying: seed)).publicKey.bytes)
        #expect(throws: Never.self) { try WebhookSecret("whsk_" + Base64.encode(whole)) }
        for count in [24, 64] {
            #expect(throws: Never.self) {
                try WebhookSecret("whsec_" + Base64.encode([UInt8](repeating: 7, count: count)))
            }
        }
        #expect(throws: CryptoError.self) { try WebhookSecret("whpk_" + Base64.encode(seed)) }
    }

    @Test func `nothing prints a secret`() throws {
        let secret = try WebhookSecret(testSecret)
        var text = "\(secret) \(secret.verification) \(String(reflecting: secret))"
        dump(secret, to: &text)
        dump(secret.verification, to: &text)
        #expect(!text.contains("AAEC") && !text.contains("0, 1, 2"))
    }
}
