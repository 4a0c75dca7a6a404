// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WalletCrypto

@testable import InAppProvisioning

/// A back end in process, sound or with one hole.
@Suite struct ProbeTests {
    final class BackEnd {
        let profile: ProcessorProfile
        var chain: IssuerChain
        var seen: Set<[UInt8]> = []
        var remembersNonces = true
        /// What it does wrong: an answer in place of the right one.
        var bug: (ProfileRequest, Asked?) -> ProfileResponse? = { _, _ in nil }

        init(_ profile: ProcessorProfile, _ authority: ProvisioningTestAuthority) {
            self.profile = profile
            chain = IssuerChain(roots: [authority.root], intermediates: [authority.intermediate])
        }

        /// A request that can be read, and what is wrong with its chain.
        struct Asked {
            var request: WalletRequest
            var chain: ChainReport

            /// Whether these are all the reasons to refuse the chain.
            func isWrong(_ codes: ChainFinding.Code...) -> Bool {
                chain.findings.filter(\.isFatal).map(\.code) == codes
            }
            func has(_ code: ChainFinding.Code) -> Bool { chain.findings.contains { $0.code == code } }
            var leafKeyCount: Int { chain.leaf?.subjectPublicKeyInfo.count ?? 0 }
        }

        /// A sealed card for nobody in particular.
        func anything() -> ProfileResponse {
            profile.encode(
                ProvisioningTrio(encryptedPassData: [1], activationData: [2], ephemeralPublicKey: [3]))
        }

        func answer(_ message: ProfileRequest) -> ProfileResponse {
            let asked = (try? profile.decode(message).request).map {
                Asked(request: $0, chain: chain.validate($0.certificates, at: Fixture.date))
            }
            if let wrong = bug(message, asked) { return wrong }
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
        _ profile: ProcessorProfile, _ change: (BackEnd) throws -> Void = { _ in }
    ) throws -> [String: ConformanceVerdict] {
        let authority = try Fixture.authority()
        let backEnd = BackEnd(profile, authority)
        try change(backEnd)
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

    struct Hole: Sendable, CustomTestStringConvertible {
        var id: String
        var make: @Sendable (BackEnd) throws -> Void
        var testDescription: String { id }

        init(_ id: String, _ make: @escaping @Sendable (BackEnd) throws -> Void) { (self.id, self.make) = (id, make) }

        /// It crashes when that comes.
        static func crash(
            _ id: String, _ when: @escaping @Sendable (ProfileRequest, BackEnd.Asked?) -> Bool
        ) -> Hole {
            Hole(id) { $0.bug = { when($0, $1) ? ProfileResponse(status: 500, body: []) : nil } }
        }

        /// It answers as if nothing were wrong.
        static func careless(_ id: String, _ when: @escaping @Sendable (BackEnd.Asked) -> Bool) -> Hole {
            Hole(id) { backEnd in
                backEnd.bug = { [unowned backEnd] in $1.map(when) == true ? backEnd.anything() : nil }
            }
        }
    }

    /// One hole for each probe.
    static let holes: [Hole] = [
        .crash("C-three-certificates") { $1?.request.certificates.count == 3 },
        .crash("C-order") { $1?.has(.swapped) == true },
        Hole("C-wrong-root") { $0.chain.roots.append(try ProvisioningTestAuthority(label: "a stranger").root) },
        .careless("C-no-marker") { $0.isWrong(.noMarker) },
        Hole("C-expired") { $0.chain.ignoresDates = true },
        .careless("C-rsa-leaf") { $0.isWrong(.notP256) && $0.leafKeyCount > 200 },
        .careless("C-p384-leaf") { $0.isWrong(.notP256) && $0.leafKeyCount < 200 },
        Hole("N-replayed-nonce") { $0.remembersNonces = false },
        .crash("N-broken-certificate") { $1?.has(.unreadable) == true },
        .crash("N-huge-nonce") { message, _ in message.body.count > 1_000_000 },
        .crash("N-deep-json") { message, _ in message.body.starts(with: "[[[".utf8) },
        .crash("N-not-utf8") { message, _ in message.body.contains(0xFF) },
        Hole("N-goes-on") { backEnd in
            var isDead = false
            backEnd.bug = { message, _ in
                defer { isDead = isDead || message.body.contains(0xFF) }
                return isDead ? ProfileResponse(status: 503, body: []) : nil
            }
        },
    ]

    @Test(arguments: holes) func `each hole is found by its probe and by no other`(hole: Hole) throws {
        let profile = try #require(ProcessorProfile.named("plain"))
        #expect(try run(profile, hole.make).filter { $0.value != .pass }.map(\.key) == [hole.id])
    }

    @Test func `every probe has a hole that it finds`() {
        #expect(Set(Self.holes.map(\.id)) == Set(ConformanceProbe.all.map(\.id)))
    }

    /// Back ends that refuse what is usual.
    static let refusals: [Hole] = [
        .crash("C-critical-marker") { $1?.has(.markerNotCritical) == false },
        .crash("C-two-certificates") { $1?.request.certificates.count == 2 },
    ]

    @Test(arguments: refusals) func `why a sound request is refused`(refusal: Hole) throws {
        let (profile, authority) = (try #require(ProcessorProfile.named("plain")), try Fixture.authority())
        let backEnd = BackEnd(profile, authority)
        let first = try Fixture.identity().makeRequest()
        for probe in ConformanceProbe.explanations {
            let message = try #require(
                try probe.request(profile, card: "c", authority: authority, at: Fixture.date, first: first))
            #expect(probe.result(.noAnswer("gone"), profile).verdict == .notVerifiable)
            try refusal.make(backEnd)
            let found = probe.result(.answered(backEnd.answer(message)), profile)
            #expect(found.verdict == (probe.id == refusal.id ? .fail : .notVerifiable))
        }
    }

    @Test func `two answers to one request have one key`() throws {
        let profile = try #require(ProcessorProfile.named("plain"))
        func answer(_ key: UInt8) -> ConformanceProbe.Outcome {
            .answered(
                profile.encode(
                    ProvisioningTrio(encryptedPassData: [1], activationData: [2], ephemeralPublicKey: [key])))
        }
        let refused = ConformanceProbe.Outcome.answered(profile.refusal(status: 409, code: "no", text: "no"))
        for (outcomes, verdict) in [
            ([answer(1), refused], ConformanceVerdict.pass), ([refused, answer(1)], .pass),
            ([answer(1), answer(1)], .pass), ([answer(1), answer(2)], .warn), ([refused, refused], .notVerifiable),
            ([.noAnswer("gone"), .noAnswer("gone")], .notVerifiable), ([], .notVerifiable),
        ] {
            let result = ConformanceProbe.result(of: outcomes, profile)
            #expect(result.id == "N-duplicate" && result.verdict == verdict, "\(result.evidence)")
        }
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
