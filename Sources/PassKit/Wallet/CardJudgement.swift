// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HostSystem
internal import InAppProvisioning
internal import WalletCrypto

/// A flow that ends without a pass.
struct FlowOver: Error { var outcome: AddPassRecord.Outcome }

/// One card on its way through a wallet: what was handed out, what came back, what was seen.
struct CardJudgement {
    let wallet: ProvisioningWallet
    let device: WalletDevice
    private let began: Int
    private var flow: RecordedFlow?
    private let scheme: EncryptionScheme
    private let configuration: PKAddPaymentPassRequestConfiguration

    init(
        _ configuration: PKAddPaymentPassRequestConfiguration, on wallet: ProvisioningWallet, for device: WalletDevice?
    ) {
        (self.wallet, self.configuration) = (wallet, configuration)
        began = wallet.findings.count
        scheme = EncryptionScheme(rawValue: configuration.encryptionScheme.rawValue)
        let sheet = RecordedFlow.Sheet(
            cardholderName: configuration.cardholderName, suffix: configuration.primaryAccountSuffix,
            network: configuration.paymentNetwork?.rawValue,
            otherTexts: [configuration.localizedDescription, configuration.primaryAccountIdentifier].compactMap { $0 }
                + configuration.cardDetails.flatMap { [$0.label, $0.value] })
        let setup = wallet.setup
        flow = (try? wallet.identity()).map {
            RecordedFlow(identity: $0, request: $0.makeRequest(random: setup.random), date: setup.time.now())
        }
        flow?.scheme = scheme
        flow?.sheet = sheet
        if !setup.hasAssociation { wallet.record(.association, "the metadata do not list the app") }
        self.device = device ?? DeviceChoice.device(for: configuration, on: wallet)
    }

    /// A fresh challenge, if the scheme has one.
    func challenge() throws(FlowOver) -> WalletRequest {
        guard scheme == .eccV2 else {
            wallet.record(.scheme, scheme.rawValue)
            throw FlowOver(outcome: .unsupported)
        }
        guard let flow else { throw FlowOver(outcome: .unsupported) }
        return flow.request
    }

    /// Opens and judges what an app handed in.
    mutating func judge(_ request: PKAddPaymentPassRequest) throws(FlowOver) -> ProvisionedCard {
        let trio = ProvisioningTrio(request.parts)
        if [trio.encryptedPassData, trio.activationData, trio.ephemeralPublicKey].allSatisfy(\.isEmpty) {
            wallet.record(.notEmpty, "all three are empty: the app gave up")
            throw FlowOver(outcome: .noRequest)
        }
        guard var flow else { throw FlowOver(outcome: .unsupported) }
        (flow.trio, flow.earlierKeys) = (trio, wallet.takeKey(trio.ephemeralPublicKey))
        self.flow = flow
        wallet.setup.completes?(&flow)
        let report = ConformanceChecker.report(on: flow)
        let failed = Set(report.failures.map(\.check.group))
        guard failed.isDisjoint(with: [.envelope, .payload]),
            let text = try? ECCv2.open(trio.sealed, with: flow.identity.leafKey),
            let payload = try? OpenedPayload(json: text)
        else { throw FlowOver(outcome: .refused) }
        var card = ProvisionedCard(payload.card, configuration)
        // Without a good one-time password the network wants the user verified.
        card.requiresActivation = wallet.setup.wantsActivation || failed.contains(.activation)
        guard !wallet.holds(card, on: device) else {
            wallet.record(.deviceLacksCard, "the card is on the \(device.rawValue) already")
            throw FlowOver(outcome: .refused)
        }
        return card
    }

    /// What was seen: the wallet's own violations in their order, then those of the sealed card; and the report.
    func findings(wasAsked: Bool) -> (findings: [ConformanceResult], report: ConformanceReport) {
        let seen = Array(wallet.findings.dropFirst(began))
        let checks = ConformanceCheck.sheetChecks + (wasAsked ? ConformanceCheck.handlerChecks : [])
        guard var flow else { return (seen, ConformanceReport(seen)) }
        flow.observed = seen
        flow.lookedAt = Set(checks.map(\.id))
        wallet.setup.completes?(&flow)
        let report = ConformanceChecker.report(on: flow)
        let own = Set(seen.map(\.id))
        let others = report.results.filter { [.fail, .warn].contains($0.verdict) && !own.contains($0.id) }
        return (seen + others, report)
    }
}

extension ProvisioningTrio {
    init(_ parts: PKAddPaymentPassRequest.Parts) {
        self.init(
            encryptedPassData: [UInt8](parts.encryptedPassData ?? Data()),
            activationData: [UInt8](parts.activationData ?? Data()),
            ephemeralPublicKey: [UInt8](parts.ephemeralPublicKey ?? Data()))
    }
}
