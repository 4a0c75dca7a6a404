// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import InAppProvisioning
internal import PassKit

/// The app that is played: it asks the back end for the sealed card, and passes on what comes.
@MainActor
final class ProvisioningApp: NSObject, PKAddPaymentPassViewControllerDelegate {
    private let backEnd: BackEnd
    private let traffic: Traffic
    private let card: ProvisionedCardChoice
    private let device: ProvisioningDevice
    private let talk: Talk

    init(_ backEnd: BackEnd, _ traffic: Traffic, card: ProvisionedCardChoice, device: ProvisioningDevice, talk: Talk) {
        (self.backEnd, self.traffic, self.card, self.device, self.talk) = (backEnd, traffic, card, device, talk)
        super.init()
    }

    func addPaymentPassViewController(
        _ controller: PKAddPaymentPassViewController, generateRequestWithCertificateChain certificates: [Data],
        nonce: Data, nonceSignature: Data
    ) async -> PKAddPaymentPassRequest {
        let asked = WalletRequest(
            certificates: certificates.map { [UInt8]($0) }, nonce: [UInt8](nonce),
            nonceSignature: [UInt8](nonceSignature))
        let profile = traffic.profile
        let message = profile.encode(asked, card: card.reference, device: device)
        traffic.note(Traffic.Sent(request: asked, message: message))
        talk.say(
            "Wallet hands over \(certificates.count) certificates, \(nonce.count) bytes of nonce, "
                + "\(nonceSignature.count) bytes of signature")
        talk.say("asking \(backEnd.issuer.text): \(profile.method) \(profile.path) (\(profile.title))")
        let exchange = await backEnd.send(message)
        traffic.note(exchange)
        let request = PKAddPaymentPassRequest()
        guard case .answered(let response) = exchange.outcome else {
            if case .noAnswer(let reason) = exchange.outcome { talk.say("no answer: \(reason)") }
            return request
        }
        talk.say("the back end answers with status \(response.status)")
        guard (200..<300).contains(response.status),
            let answer = try? profile.decodeAnswer(response.body, network: card.network?.rawValue)
        else { return request }
        request.encryptedPassData = Data(answer.trio.encryptedPassData)
        request.activationData = Data(answer.trio.activationData)
        request.ephemeralPublicKey = Data(answer.trio.ephemeralPublicKey)
        return request
    }

    func addPaymentPassViewController(
        _ controller: PKAddPaymentPassViewController, didFinishAdding pass: PKPaymentPass?, error: (any Error)?
    ) {
        if let pass {
            talk.say("pass added: ending \(pass.primaryAccountNumberSuffix), on the \(device.rawValue)")
        } else {
            talk.say("Could Not Add Card" + ((error as NSError?).map { " (code \($0.code))" } ?? ""))
        }
        controller.dismiss(animated: true)
    }
}
