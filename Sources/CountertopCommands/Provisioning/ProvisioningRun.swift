// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import InAppProvisioning
internal import PassKit
internal import Synchronization

/// One card through the emulated Wallet, with a back end at the other end.
struct ProvisioningRun: Sendable {
    let backEnd: BackEnd
    let profile: ProcessorProfile
    let card: ProvisionedCardChoice
    let device: ProvisioningDevice
    var hasProbes = false
    var isUnmasked = false

    /// How it went.
    struct Result: Sendable {
        var report: ConformanceReport
        var outcome: AddPassRecord.Outcome
        /// The new card, never printed.
        var card: ProvisionedCard?

        var isOK: Bool { report.isOK && outcome == .added }
    }

    func run(_ talk: Talk) async throws -> Result {
        let traffic = Traffic(profile, card: card.details, limit: backEnd.limit, isUnmasked: isUnmasked)
        let landed = Landed()
        var setup = ProvisioningWallet.Setup()
        // The back end's time is judged by the exchange; the wallet leaves it the time to be late.
        setup.deadlines.request = backEnd.limit + .seconds(5)
        setup.completes = { traffic.complete(&$0) }
        setup.cardAdded = { card, _ in landed.card.withLock { $0 = card } }
        if device == .watch {
            setup.watch = ProvisioningWallet.Watch()
            setup.user.device = .watch
        }
        let record = try await add(ProvisioningWallet(setup), traffic, talk)
        if Task.isCancelled { throw ToolError.interrupted }
        var report = record.report
        if hasProbes { report = await probed(report, traffic, talk) }
        return Result(report: report, outcome: record.outcome, card: landed.card.withLock { $0 })
    }

    private final class Landed: Sendable {
        let card = Mutex<ProvisionedCard?>(nil)
    }

    @MainActor
    private func add(_ wallet: ProvisioningWallet, _ traffic: Traffic, _ talk: Talk) async throws -> AddPassRecord {
        let app = ProvisioningApp(backEnd, traffic, card: card, device: device, talk: talk)
        guard let configuration = PKAddPaymentPassRequestConfiguration(encryptionScheme: .ECC_V2) else {
            throw ToolError(.internalFailure, "there is no sheet for ECC_V2")
        }
        configuration.cardholderName = card.name
        configuration.primaryAccountSuffix = card.suffix
        configuration.paymentNetwork = card.network
        let record = try await wallet.use {
            guard let sheet = PKAddPaymentPassViewController(requestConfiguration: configuration, delegate: app) else {
                throw ToolError(.internalFailure, "the sheet cannot be made")
            }
            UIViewController().present(sheet, animated: true)
            return await sheet.ended()
        }
        // The sheet refers to it weakly.
        withExtendedLifetime(app) {}
        return record
    }

    /// The report with what probes brought: groups C and N, and whether keys are used twice.
    private func probed(_ report: ConformanceReport, _ traffic: Traffic, _ talk: Talk) async -> ConformanceReport {
        guard traffic.wasAnswered, let first = traffic.sent?.request, let authority = try? ProvisioningTestAuthority()
        else {
            talk.say("no probes: the back end did not answer a sound request")
            return report
        }
        var results: [ConformanceResult] = []
        var keys = [key(traffic.exchange)].compactMap { $0 }
        for probe in ConformanceProbe.all {
            guard !Task.isCancelled,
                let request = try? probe.request(
                    profile, card: card.reference, authority: authority, at: Date(), first: first)
            else {
                results.append(ConformanceResult(probe.check, .notVerifiable, "the profile cannot carry it"))
                continue
            }
            let exchange = await backEnd.send(request)
            let result = probe.result(exchange.outcome, profile)
            talk.say(
                "probe \(probe.id): \(result.verdict.rawValue)\(result.evidence.isEmpty ? "" : ", \(result.evidence)")")
            results.append(result)
            if let key = key(exchange) { keys.append(key) }
        }
        if let check = ConformanceCheck.named("E-key-fresh"), Set(keys).count < keys.count {
            results.append(ConformanceResult(check, check.violation, "answers to different requests have one key"))
        }
        return ConformanceReport(results + report.results, mistakes: report.mistakes)
    }

    /// The ephemeral key of an answer.
    private func key(_ exchange: BackEnd.Exchange?) -> [UInt8]? {
        guard case .answered(let response) = exchange?.outcome, (200..<300).contains(response.status) else {
            return nil
        }
        return try? profile.decodeAnswer(response.body, network: card.network?.rawValue).trio.ephemeralPublicKey
    }
}
