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
    /// How many sound requests are sent, the flow's own among them.
    var count = 1
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
        var report = await explained(record.report, traffic, talk)
        if count > 1 { report = await repeated(report, traffic, talk) }
        if hasProbes { report = await probed(report, traffic, talk) }
        if Task.isCancelled { throw ToolError.interrupted }
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
}
