// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// One card on its way: sheet, challenge, delegate, deadline, opening, pass, end.
@MainActor
final class AddPassFlow {
    private let controller: PKAddPaymentPassViewController
    private let configuration: PKAddPaymentPassRequestConfiguration
    private let wallet: ProvisioningWallet
    private let setup: ProvisioningWallet.Setup
    private let began: Int
    private var call: HandlerCall<PKAddPaymentPassRequest>?
    private var record = AddPassRecord(outcome: .unsupported, device: .phone, findings: [])

    init(_ controller: PKAddPaymentPassViewController, wallet: ProvisioningWallet) {
        (self.controller, self.wallet) = (controller, wallet)
        (configuration, setup) = (controller.requestConfiguration, wallet.setup)
        began = wallet.findings.count
    }

    /// The app dismissed the sheet.
    func sheetWasDismissed() {
        guard let call, !call.isOver else { return }
        wallet.record(.failureReported, "the sheet was dismissed while Wallet waited for the handler")
    }

    /// The flow from the presented sheet to the delegate's last call.
    func run() async -> AddPassRecord {
        var pass: PKPaymentPass?
        do throws(Over) {
            pass = try await addCard()
            (record.outcome, record.pass) = (.added, pass?.record)
        } catch { record.outcome = error.outcome }
        if let error = record.outcome.passKitError {
            controller.delegate?.addPaymentPassViewController(controller, didFinishAdding: nil, error: error.error)
        } else if let pass {
            controller.delegate?.addPaymentPassViewController(controller, didFinishAdding: pass, error: nil)
        }
        record.findings = Array(wallet.findings.dropFirst(began))
        wallet.record(record)
        return record
    }

    private struct Over: Error { var outcome: AddPassRecord.Outcome }

    private func addCard() async throws(Over) -> PKPaymentPass {
        for finding in Preflight.findings(of: configuration, on: wallet) { wallet.record(finding) }
        record.device = DeviceChoice.device(for: configuration, on: wallet)
        try interrupt(at: .sheet)
        guard configuration.encryptionScheme == .ECC_V2 else {
            wallet.record(.scheme)
            throw Over(outcome: .unsupported)
        }
        guard let challenge = try? setup.broker.challenge(certificates: setup.certificateCount) else {
            throw Over(outcome: .unsupported)
        }
        let request = try await ask(challenge)
        let card = try judge(request, challenge)
        try interrupt(at: .terms)
        return wallet.add(
            card, to: record.device, account: configuration.primaryAccountIdentifier,
            description: configuration.localizedDescription)
    }

    private func interrupt(at moment: ProvisioningWallet.Moment) throws(Over) {
        if setup.user.killsApp == moment { throw Over(outcome: .appKilled) }
        if setup.user.cancels == moment { throw Over(outcome: .userCancelled) }
    }

    /// Asks the app, and waits.
    private func ask(_ challenge: ProvisioningChallenge) async throws(Over) -> PKAddPaymentPassRequest {
        guard let delegate = controller.delegate else {
            wallet.record(.delegate)
            throw Over(outcome: .unsupported)
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
            do throws(Over) { try interrupt(at: .waiting) } catch {
                call.stop()
                throw error
            }
        }
        guard case .answered(let request, let elapsed) = await call.end() else { throw Over(outcome: .timedOut) }
        record.answeredAfter = elapsed
        if elapsed >= setup.deadlines.slow { wallet.record(.fast, "after \(elapsed.text)") }
        return request
    }

    private func judge(_ request: PKAddPaymentPassRequest, _ challenge: ProvisioningChallenge) throws(Over)
        -> ProvisionedCard
    {
        guard let answer = ProvisioningAnswer(request.parts, configuration) else {
            wallet.record(.notEmpty, request.description)
            throw Over(outcome: .noRequest)
        }
        let verdict = challenge.judge(answer)
        for finding in verdict.findings { wallet.record(finding) }
        guard let card = verdict.card else { throw Over(outcome: .refused) }
        guard !wallet.holds(card, on: record.device) else {
            wallet.record(.deviceLacksCard, "the card is on the \(record.device.rawValue) already")
            throw Over(outcome: .refused)
        }
        return card
    }
}

extension ProvisioningAnswer {
    /// The parts of a request with what the sheet said; nil when a part is missing or empty.
    init?(_ parts: PKAddPaymentPassRequest.Parts, _ configuration: PKAddPaymentPassRequestConfiguration) {
        guard let data = parts.encryptedPassData, let key = parts.ephemeralPublicKey, !data.isEmpty, !key.isEmpty,
            let activation = parts.activationData, !activation.isEmpty
        else { return nil }
        self.init(
            encryptedPassData: [UInt8](data), activationData: [UInt8](activation), ephemeralPublicKey: [UInt8](key),
            cardholderName: configuration.cardholderName, suffix: configuration.primaryAccountSuffix)
    }
}
