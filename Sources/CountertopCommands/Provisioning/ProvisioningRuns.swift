// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import InAppProvisioning
internal import PassKit

/// More sound requests than one: times, keys, and mistakes that only some keys show.
extension ProvisioningRun {
    /// The report with what the other runs brought. The first violation of a check counts.
    func repeated(_ report: ConformanceReport, _ traffic: Traffic, _ talk: Talk) async -> ConformanceReport {
        guard traffic.wasAnswered, let exchange = traffic.exchange, let authority = try? ProvisioningTestAuthority()
        else {
            talk.say("no more runs: the back end did not answer the first")
            return report
        }
        var (times, keys): (AnswerTimes, Set<[UInt8]>) = (AnswerTimes(), Set([key(exchange)].compactMap { $0 }))
        times.add(exchange.seconds)
        var (violations, mistakes): ([ConformanceResult], [EnvelopeMistake]) = ([], report.mistakes)
        for number in 2...count {
            guard !Task.isCancelled, let flow = try? await flow(authority, keys) else { break }
            if let seconds = flow.seconds { times.add(seconds) }
            let one = ConformanceChecker.report(on: flow)
            // Whether one answer was fast is said by the times of all.
            for result in one.results where [.fail, .warn].contains(result.verdict) && result.id != "R-fast" {
                guard !violations.contains(where: { $0.id == result.id }) else { continue }
                violations.append(
                    ConformanceResult(result.check, result.verdict, "run \(number): \(result.evidence)"))
            }
            mistakes += one.mistakes.filter { !mistakes.contains($0) }
            if let key = flow.received.flatMap({ key(BackEnd.Exchange(outcome: .answered($0), seconds: 0)) }) {
                keys.insert(key)
            }
        }
        let all = times.result(limit: backEnd.limit / .seconds(1))
        talk.say("\(count) runs: \(all.evidence)")
        let known = Set(report.results.filter { [.fail, .warn].contains($0.verdict) }.map(\.id))
        return ConformanceReport(
            [all] + violations.filter { !known.contains($0.id) } + report.results, mistakes: mistakes)
    }

    /// One more request and its answer.
    private func flow(
        _ authority: ProvisioningTestAuthority, _ keys: Set<[UInt8]>
    ) async throws -> RecordedFlow {
        let identity = try authority.makeIdentity(at: Date())
        var flow = RecordedFlow(identity: identity, request: identity.makeRequest(), date: Date())
        flow.sheet = RecordedFlow.Sheet(
            cardholderName: card.name, suffix: card.suffix, network: card.network?.rawValue)
        (flow.profile, flow.card, flow.isUnmasked, flow.earlierKeys) = (profile, card.details, isUnmasked, keys)
        flow.limit = backEnd.limit / .seconds(1)
        let message = profile.encode(flow.request, card: card.reference, device: device)
        let exchange = await backEnd.send(message)
        (flow.sent, flow.seconds) = (message, exchange.seconds)
        switch exchange.outcome {
        case .answered(let response): flow.received = response
        case .noAnswer(let reason): if !exchange.isLate { flow.transportFailure = reason }
        }
        return flow
    }
}
