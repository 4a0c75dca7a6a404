// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import TestSupport
import Testing
import WalletCrypto

@testable import InAppProvisioning

/// The reference issuer and the report against each other: sound in every profile, wrong in each way it can be.
@Suite struct SealingFaultTests {
    private func flow(
        _ name: String, _ fault: IssuerFault? = nil, earlier: Set<[UInt8]> = []
    ) throws -> (report: ConformanceReport, response: ProfileResponse) {
        let (authority, profile) = (try Fixture.authority(), try #require(ProcessorProfile.named(name)))
        let card = try IssuerCard(id: "card-1", details: try Fixture.card(), network: "visa")
        let chain = IssuerChain(roots: [authority.root], intermediates: [authority.intermediate])
        var settings = IssuerSettings(cards: try IssuerCardFile([card]), chain: chain)
        (settings.fault, settings.now) = (fault, { Fixture.date })
        let identity = try authority.makeIdentity(at: Fixture.date)
        var flow = RecordedFlow(identity: identity, request: identity.makeRequest(), date: Fixture.date)
        (flow.profile, flow.card, flow.earlierKeys) = (profile, try Fixture.card(), earlier)
        flow.sheet = .init(cardholderName: "ALEX DOE", suffix: "9839", network: "visa")
        let sent = profile.encode(flow.request, card: "card-1")
        let answer = ReferenceIssuer(settings).answer(sent)
        (flow.sent, flow.received) = (sent, answer.response)
        let report = ConformanceChecker.report(on: flow)
        SecretsGate.saw("provisioning-report", report.text())
        SecretsGate.saw(
            "provisioning-audit", answer.audit.fields.map { "\($0.name)=\($0.value)" }.joined(separator: " "))
        return (report, answer.response)
    }

    @Test(arguments: ProcessorProfile.builtIn) func `a sound issuer in every profile`(profile: ProcessorProfile) throws
    {
        let report = try flow(profile.name).report
        // Opaque activation data cannot be sent as text.
        guard profile.name != "galileo" else { return }
        #expect(report.isOK && report["J-card"]?.verdict == .pass, "\(report.failures.map(\.id))")
        #expect(report.warnings.map(\.id) == (profile.putsNonceInURL ? ["L-nonce-url"] : []))
    }

    @Test(arguments: SealingFault.all.map(\.id)) func `each mistake is found by one check`(id: String) throws {
        let fault = try IssuerFault("mistake=\(id)")
        var earlier: Set<[UInt8]> = []
        if id == "key-reused" {
            let first = try flow("plain", fault).response
            earlier = [try #require(ProcessorProfile.named("plain")).decodeAnswer(first.body).trio.ephemeralPublicKey]
        }
        let report = try flow("plain", fault, earlier: earlier).report
        let violated = report.failures + report.warnings
        // Nobody can tell the Base64 of opaque bytes from opaque bytes.
        #expect(violated.count == (id == "activation-base64" ? 0 : 1), "\(violated.map(\.id))")
        let isEnvelope = EnvelopeMistake.all.contains { $0.id == id }
        #expect(report.diagnosis == (isEnvelope ? id : nil))
    }

    @Test func `a mistake that is none is refused with the names there are`() {
        let error = #expect(throws: ProvisioningError.self) { try IssuerFault("mistake=none") }
        #expect(error?.hint?.contains("iv-16-bytes") == true)
    }
}
