// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WalletCrypto

@testable import InAppProvisioning

/// A back end in process, sound or with one hole.
@Suite struct ProbeTests {
    private final class BackEnd {
        let profile: ProcessorProfile
        var chain: IssuerChain
        var seen: Set<[UInt8]> = []
        var remembersNonces = true

        init(_ profile: ProcessorProfile, _ authority: ProvisioningTestAuthority) {
            self.profile = profile
            chain = IssuerChain(roots: [authority.root], intermediates: [authority.intermediate])
        }

        func answer(_ message: ProfileRequest) -> ProfileResponse {
            do {
                let incoming = try profile.decode(message)
                let request = incoming.request
                let key = try chain.validate(request.certificates, at: Fixture.date).acceptedKey()
                guard request.nonce.count <= 64, !remembersNonces || seen.insert(request.nonce).inserted else {
                    return profile.refusal(status: 409, code: "nonce", text: "no")
                }
                let text = CardPayload.clear(try Fixture.card()).json(
                    nonce: request.nonce, nonceSignature: request.nonceSignature)
                let sealed = try ECCv2.seal(text.bytes, to: key)
                return profile.encode(ProvisioningTrio(sealed, activationData: [1]))
            } catch { return profile.refusal(status: 400, code: "no", text: "no") }
        }
    }

    private func run(
        _ profile: ProcessorProfile, _ change: (BackEnd) -> Void = { _ in }
    ) throws -> [String: ConformanceVerdict] {
        let authority = try Fixture.authority()
        let backEnd = BackEnd(profile, authority)
        change(backEnd)
        let first = try Fixture.identity().makeRequest()
        #expect(backEnd.answer(profile.encode(first, card: "c")).status == 200)
        var verdicts: [String: ConformanceVerdict] = [:]
        for probe in ConformanceProbe.all {
            let message = try probe.request(
                profile, card: "c", authority: authority, at: Fixture.date, first: first)
            guard let message else { continue }
            verdicts[probe.id] = probe.result(.answered(backEnd.answer(message)), profile).verdict
        }
        return verdicts
    }

    @Test(arguments: ProcessorProfile.builtIn) func `a sound back end passes all`(profile: ProcessorProfile) throws {
        let verdicts = try run(profile)
        #expect(verdicts.values.allSatisfy { $0 == .pass }, "\(profile.name): \(verdicts.filter { $0.value != .pass })")
        #expect(verdicts["N-goes-on"] == .pass && verdicts["C-wrong-root"] == .pass)
    }

    @Test func `each hole is found by its probe`() throws {
        let profile = try #require(ProcessorProfile.named("plain"))
        func holes(_ change: (BackEnd) -> Void) throws -> [String] {
            try run(profile, change).filter { $0.value != .pass }.map(\.key)
        }
        let stranger = try ProvisioningTestAuthority(label: "a stranger")
        #expect(try holes { $0.chain.roots.append(stranger.root) } == ["C-wrong-root"])
        #expect(try holes { $0.chain.ignoresDates = true } == ["C-expired"])
        #expect(try holes { $0.remembersNonces = false } == ["N-replayed-nonce"])
    }

    @Test func `no answer and 5xx are no refusals`() throws {
        let profile = try #require(ProcessorProfile.named("plain"))
        let probe = try #require(ConformanceProbe.all.first { $0.id == "N-deep-json" })
        #expect(probe.result(.noAnswer("the connection was dropped"), profile).verdict == .fail)
        #expect(probe.result(.answered(ProfileResponse(status: 500, body: [])), profile).verdict == .fail)
        #expect(probe.result(.answered(ProfileResponse(status: 413, body: [])), profile).verdict == .pass)
        let last = try #require(ConformanceProbe.all.last)
        #expect(last.id == "N-goes-on" && last.result(.noAnswer("gone"), profile).verdict == .fail)
    }
}
