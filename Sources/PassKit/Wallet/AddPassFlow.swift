// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import InAppProvisioning

/// One card on its way: sheet, challenge, delegate, deadline, opening, pass, end.
@MainActor
final class AddPassFlow {
    private let controller: PKAddPaymentPassViewController
    private let configuration: PKAddPaymentPassRequestConfiguration
    private let wallet: ProvisioningWallet
    private let setup: ProvisioningWallet.Setup
    private var call: HandlerCall<PKAddPaymentPassRequest>?
    private var judgement: CardJudgement
    private var answeredAfter: Duration?

    init(_ controller: PKAddPaymentPassViewController, wallet: ProvisioningWallet) {
        (self.controller, self.wallet) = (controller, wallet)
        (configuration, setup) = (controller.requestConfiguration, wallet.setup)
        judgement = CardJudgement(configuration, on: wallet, for: nil)
    }

    /// The app dismissed the sheet.
    func sheetWasDismissed() {
        guard let call, !call.isOver else { return }
        wallet.record(.failureReported, "the sheet was dismissed while Wallet waited for the handler")
    }

    /// The flow from the presented sheet to the delegate's last call.
    func run() async -> AddPassRecord {
        var (pass, outcome): (PKPaymentPass?, AddPassRecord.Outcome) = (nil, .added)
        do throws(FlowOver) { pass = try await addCard() } catch { outcome = error.outcome }
        if let error = outcome.passKitError {
            controller.delegate?.addPaymentPassViewController(controller, didFinishAdding: nil, error: error.error)
        } else if let pass {
            controller.delegate?.addPaymentPassViewController(controller, didFinishAdding: pass, error: nil)
        }
        let (findings, report) = judgement.findings(wasAsked: call != nil)
        let record = AddPassRecord(
            outcome: outcome, device: judgement.device, pass: pass?.record, answeredAfter: answeredAfter,
            findings: findings, report: report)
        wallet.record(record)
        return record
    }

    private func addCard() async throws(FlowOver) -> PKPaymentPass {
        try interrupt(at: .sheet)
        let challenge = try judgement.challenge()
        let request = try await ask(challenge)
        let card = try judgement.judge(request)
        try interrupt(at: .terms)
        return wallet.add(
            card, to: judgement.device, account: configuration.primaryAccountIdentifier,
            description: configuration.localizedDescription)
    }

    private func interrupt(at moment: ProvisioningWallet.Moment) throws(FlowOver) {
        if setup.user.killsApp == moment { throw FlowOver(outcome: .appKilled) }
        if setup.user.cancels == moment { throw FlowOver(outcome: .userCancelled) }
    }

    /// Asks the app, and waits.
    private func ask(_ challenge: WalletRequest) async throws(FlowOver) -> PKAddPaymentPassRequest {
        guard let delegate = controller.delegate else {
            wallet.record(.delegate, "it is gone")
            throw FlowOver(outcome: .unsupported)
        }
        let call = HandlerCall<PKAddPaymentPassRequest>(
            limit: setup.deadlines.request,
            checks: .init(inTime: .inTime, once: .once, late: .notLate, afterStop: .notAfterCancel),
            time: setup.time, record: { [wallet] in wallet.record($0) })
        self.call = call
        delegate.addPaymentPassViewController(
            controller, generateRequestWithCertificateChain: challenge.certificates.map { Data($0) },
            nonce: Data(challenge.nonce), nonceSignature: Data(challenge.nonceSignature),
            completionHandler: { call.answer($0) })
        if !call.isOver {
            do throws(FlowOver) { try interrupt(at: .waiting) } catch {
                call.stop()
                throw error
            }
        }
        guard case .answered(let request, let elapsed) = await call.end() else { throw FlowOver(outcome: .timedOut) }
        answeredAfter = elapsed
        if elapsed > setup.deadlines.slow { wallet.record(.fast, "after \(elapsed.text)") }
        return request
    }
}
