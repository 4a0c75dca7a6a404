// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import InAppProvisioning
internal import PassKit

/// Requests beside the flow's own: those that explain a refusal, and wrong and repeated ones.
extension ProvisioningRun {
    /// The report, with the reason why a sound chain was refused, if the back end shows it.
    func explained(_ report: ConformanceReport, _ traffic: Traffic, _ talk: Talk) async -> ConformanceReport {
        guard case .answered(let response) = traffic.exchange?.outcome, (400..<500).contains(response.status),
            let first = traffic.sent?.request, let authority = try? ProvisioningTestAuthority()
        else { return report }
        for probe in ConformanceProbe.explanations {
            guard !Task.isCancelled, let result = await send(probe, authority, first), result.verdict == .fail,
                let status = ConformanceCheck.named("R-status")
            else { continue }
            talk.say("\(probe.id): \(result.evidence)")
            let other = ConformanceResult(status, .notVerifiable, "status \(response.status), see \(probe.id)")
            return ConformanceReport([result, other] + report.results, mistakes: report.mistakes)
        }
        return report
    }

    /// The report with what probes brought: groups C and N, and whether keys are used twice.
    func probed(_ report: ConformanceReport, _ traffic: Traffic, _ talk: Talk) async -> ConformanceReport {
        guard traffic.wasAnswered, let first = traffic.sent?.request, let authority = try? ProvisioningTestAuthority()
        else {
            talk.say("no probes: the back end did not answer a sound request")
            return report
        }
        var (results, keys): ([ConformanceResult], [[UInt8]]) = ([], [key(traffic.exchange)].compactMap { $0 })
        func note(_ result: ConformanceResult) {
            let evidence = result.evidence.isEmpty ? "" : ", \(result.evidence)"
            talk.say("probe \(result.id): \(result.verdict.rawValue)\(evidence)")
            results.append(result)
        }
        for probe in ConformanceProbe.all {
            guard !Task.isCancelled else { break }
            // The last one is to see whether all this was survived.
            if probe.id == ConformanceProbe.all.last?.id {
                for result in [await twice(authority, first), await amongSlowClients(authority, first)] { note(result) }
            }
            let result = await send(probe, authority, first) { if let key = key($0) { keys.append(key) } }
            note(result ?? ConformanceResult(probe.check, .notVerifiable, "the profile cannot carry it"))
        }
        if let check = ConformanceCheck.named("E-key-fresh"), Set(keys).count < keys.count {
            results.append(ConformanceResult(check, check.violation, "answers to different requests have one key"))
        }
        return ConformanceReport(results + report.results, mistakes: report.mistakes)
    }

    /// Sends one probe; nil when the profile cannot carry it.
    private func send(
        _ probe: ConformanceProbe, _ authority: ProvisioningTestAuthority, _ first: WalletRequest,
        _ note: (BackEnd.Exchange) -> Void = { _ in }
    ) async -> ConformanceResult? {
        guard let request = message(probe, authority, first) else { return nil }
        let exchange = await backEnd.send(request)
        note(exchange)
        return probe.result(exchange.outcome, profile)
    }

    private func message(
        _ probe: ConformanceProbe, _ authority: ProvisioningTestAuthority, _ first: WalletRequest
    ) -> ProfileRequest? {
        try? probe.request(profile, card: card.reference, authority: authority, at: Date(), first: first)
    }

    private func twice(_ authority: ProvisioningTestAuthority, _ first: WalletRequest) async -> ConformanceResult {
        let probe = ConformanceProbe.duplicate
        guard let request = message(probe, authority, first) else {
            return ConformanceResult(probe.check, .notVerifiable, "the profile cannot carry it")
        }
        async let one = backEnd.send(request)
        async let other = backEnd.send(request)
        return ConformanceProbe.result(of: [await one.outcome, await other.outcome], profile)
    }

    private func amongSlowClients(
        _ authority: ProvisioningTestAuthority, _ first: WalletRequest
    ) async -> ConformanceResult {
        let probe = ConformanceProbe.amongSlowClients
        let clients = await SlowClients(backEnd.issuer)
        let result = await send(probe, authority, first)
        await clients.leave()
        guard clients.count > 0, let result else {
            return ConformanceResult(probe.check, .notVerifiable, "no slow client could connect")
        }
        return ConformanceResult(
            result.check, result.verdict, "\(result.evidence), beside \(clients.count) slow clients")
    }

    /// The ephemeral key of an answer.
    func key(_ exchange: BackEnd.Exchange?) -> [UInt8]? {
        guard case .answered(let response) = exchange?.outcome, (200..<300).contains(response.status) else {
            return nil
        }
        return try? profile.decodeAnswer(response.body, network: card.network?.rawValue).trio.ephemeralPublicKey
    }
}
