// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WalletCrypto

@testable import InAppProvisioning

/// A sound flow whose parts can be changed one by one: the mutant issuer.
struct Bench {
    static let visaKey = SecretBytes(copying: [UInt8](1...16))
    static let rsa = Result { try RSAPrivateKey.generate(bits: 2048, exponent: 65537) }

    var payload: [(name: String, value: JSONValue)]
    var plaintext: ([UInt8]) -> [UInt8] = { $0 }
    var activation: [UInt8]
    var seal: (_ text: [UInt8], _ identity: WalletIdentity) throws -> SealedPass = {
        try ECCv2.seal($0, to: $1.leafKey.publicKey)
    }
    var trio: (inout ProvisioningTrio) -> Void = { _ in }
    var answer: (inout ProfileResponse) -> Void = { _ in }
    var sent: (inout ProfileRequest) -> Void = { _ in }
    var flow: RecordedFlow
    let profile: ProcessorProfile

    init(profile name: String = "plain", shape: ProvisioningTestAuthority.Shape = .init()) throws {
        let authority = try Fixture.authority()
        let identity = try authority.makeIdentity(shape, at: Fixture.date)
        let request = identity.makeRequest()
        flow = RecordedFlow(identity: identity, request: request, date: Fixture.date)
        flow.card = try Fixture.card()
        flow.sheet = .init(cardholderName: "ALEX DOE", suffix: "9839", network: "visa")
        flow.seconds = 0.4
        flow.handler = .init(calls: [1.5])
        flow.texts = [.init(name: "the app's log", text: "provisioning began, 200 OK")]
        flow.activationKeys.visa = Self.visaKey
        flow.activationKeys.mastercardModulus = try Self.rsa.get().modulus
        payload = [
            ("primaryAccountNumber", .string(Fixture.panText)), ("expiration", .string("12/31")),
            ("name", .string("ALEX DOE")), ("nonce", .string(BlobEncoding.hex.encode(request.nonce))),
            ("nonceSignature", .string(BlobEncoding.hex.encode(request.nonceSignature))),
        ]
        activation = try Self.block([
            ("nonce", BlobEncoding.hex.encode(request.nonce)), ("authcode", "A1B2C3"),
        ])
        profile = try #require(ProcessorProfile.named(name))
    }

    static func block(_ fields: [(String, String)], key: SecretBytes = visaKey) throws -> [UInt8] {
        Array(
            try VisaBlock(.activation, fields.map { (name: $0.0, value: $0.1) }, keySet: "1.1", key: key).text.utf8)
    }

    static func value(_ pan: String = Fixture.panText, seconds: TimeInterval = 600) throws -> [UInt8] {
        try AuthenticationValue(
            version: 3, card: try Fixture.card(pan), validUntil: Fixture.date.addingTimeInterval(seconds),
            key: try rsa.get()
        ).json()
    }

    mutating func set(_ name: String, _ value: JSONValue?) {
        payload.removeAll { $0.name == name }
        if let value { payload.append((name, value)) }
    }

    func report() throws -> ConformanceReport {
        var flow = flow
        flow.profile = profile
        let text = plaintext(JSONValue.object(payload.map { .init($0.name, $0.value) }).utf8)
        var blobs = ProvisioningTrio(try seal(text, flow.identity), activationData: activation)
        trio(&blobs)
        if flow.sent == nil { flow.sent = profile.encode(flow.request, card: "card-1") }
        if var request = flow.sent {
            sent(&request)
            flow.sent = request
        }
        if flow.received == nil { flow.received = profile.encode(blobs, network: "visa") }
        if var response = flow.received {
            answer(&response)
            flow.received = response
        }
        return ConformanceChecker.report(on: flow)
    }
}
