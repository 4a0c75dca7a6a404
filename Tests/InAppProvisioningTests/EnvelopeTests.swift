// SPDX-License-Identifier: Apache-2.0

import CardTesting
import ISO7816
import Testing
import WalletCrypto

@testable import InAppProvisioning

@Suite struct EnvelopeTests {
    @Test func `what is sealed opens, with a fresh key each time`() throws {
        let key = try P256PrivateKey.generate()
        let (one, two) = (try ECCv2.seal([1, 2, 3], to: key.publicKey), try ECCv2.seal([1, 2, 3], to: key.publicKey))
        #expect(one.ephemeralPublicKey != two.ephemeralPublicKey)
        #expect(one.encryptedPassData != two.encryptedPassData)
        #expect(one.ephemeralPublicKey.count == 65 && one.encryptedPassData.count == 3 + 16)
        #expect(try ECCv2.open(one, with: key).bytes == [1, 2, 3])
        #expect(try ECCv2.open(try ECCv2.seal([], to: key.publicKey), with: key).count == 0)
    }

    @Test func `each changed bit is noticed`() throws {
        let key = try P256PrivateKey.generate()
        let sealed = try ECCv2.seal(Array("0123456789".utf8), to: key.publicKey)
        for index in sealed.encryptedPassData.indices {
            var changed = sealed
            changed.encryptedPassData[index] ^= 0x10
            #expect(throws: ProvisioningError.self) { try ECCv2.open(changed, with: key) }
        }
        for count in 0..<sealed.encryptedPassData.count {
            var changed = sealed
            changed.encryptedPassData = Array(sealed.encryptedPassData.prefix(count))
            let error = #expect(throws: ProvisioningError.self) { try ECCv2.open(changed, with: key) }
            #expect(error?.code == (count < 16 ? .invalidEnvelope : .authenticationFailed))
        }
    }

    @Test func `a key in another form is refused with its length`() throws {
        let key = try P256PrivateKey.generate()
        var sealed = try ECCv2.seal([1], to: key.publicKey)
        let point = sealed.ephemeralPublicKey
        for wrong in [[], Array(point.dropFirst()), [0x06] + point.dropFirst(), point.dropLast() + [point[64] ^ 1]] {
            sealed.ephemeralPublicKey = Array(wrong)
            let error = #expect(throws: ProvisioningError.self) { try ECCv2.open(sealed, with: key) }
            #expect(error?.code == .invalidEnvelope)
        }
    }

    @Test func `RSA_V2 is refused with a reason`() {
        let error = #expect(throws: ProvisioningError.self) { try EncryptionScheme.rsaV2.requireSupported() }
        #expect(error?.code == .unsupportedScheme)
        #expect(error?.reason.contains("not specified in public") == true)
        #expect(throws: ProvisioningError.self) { try EncryptionScheme(rawValue: "EV_ECC_v1").requireSupported() }
        #expect(throws: Never.self) { try EncryptionScheme.eccV2.requireSupported() }
    }

    @Test func `nothing prints what it holds`() throws {
        let identity = try Fixture.identity()
        let request = identity.makeRequest()
        let trio = try Fixture.trio(request, identity)
        let payload = try OpenedPayload(json: try ECCv2.open(trio.sealed, with: identity.leafKey))
        let profile = try #require(ProcessorProfile.named("plain"))
        var flow = RecordedFlow(identity: identity, request: request, date: Fixture.date)
        (flow.card, flow.trio) = (try Fixture.card(), trio)
        let values: [Any] = [
            identity, request, trio, trio.sealed, payload, payload.card, try Fixture.card(), flow,
            profile.encode(request, card: "c"), profile.encode(trio), EnvelopeDiagnosis.open(trio, for: identity),
            JSONValue.string(Fixture.panText), ActivationFormat(trio.activationData),
            ReceivedAnswer(trio: trio, faults: []), IncomingRequest(card: "c", request: request),
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            let printed = "\(value) \(String(reflecting: value)) \(dumped)"
            #expect(printed.contains("concealed"))
            #expect(!printed.contains(Fixture.panText) && printed.utf8.count < 300, "\(type(of: value))")
        }
    }
}
