// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The app's half of adding a card: it gets the issuer's answer, and is told how it ended.
///
/// Implement one of the two forms of the first method. Wallet calls the form with the handler, on the main actor; the
/// form that was left out is made from the other one. A delegate with neither form does not compile with Apple's
/// module; here it answers with an empty request.
@available(iOS 9.0, macCatalyst 13.1, visionOS 1.0, *)
@preconcurrency @MainActor
public protocol PKAddPaymentPassViewControllerDelegate: NSObjectProtocol {
    /// Wallet asks for the sealed card.
    ///
    /// - Parameters:
    ///   - controller: who asks.
    ///   - certificates: X.509 in DER, leaf first.
    ///   - nonce: a one-time value that goes into the sealed card; 4 bytes.
    ///   - nonceSignature: the device's signature, which goes into the sealed card; 81 bytes.
    ///   - handler: takes the issuer's answer, exactly once, within 20 seconds.
    @preconcurrency
    func addPaymentPassViewController(
        _ controller: PKAddPaymentPassViewController,
        generateRequestWithCertificateChain certificates: [Data],
        nonce: Data,
        nonceSignature: Data,
        completionHandler handler: @escaping @Sendable (PKAddPaymentPassRequest) -> Void
    )

    /// Wallet asks for the sealed card; the same as the form with a handler.
    func addPaymentPassViewController(
        _ controller: PKAddPaymentPassViewController,
        generateRequestWithCertificateChain certificates: [Data],
        nonce: Data,
        nonceSignature: Data
    ) async -> PKAddPaymentPassRequest

    /// It is over: with a pass, or with an error of ``PKPassKitErrorDomain`` and a code of ``PKAddPaymentPassError``.
    func addPaymentPassViewController(
        _ controller: PKAddPaymentPassViewController, didFinishAdding pass: PKPaymentPass?, error: (any Error)?)
}

/// Marks calls that one form makes to the other, so that a delegate with neither does not go round in circles.
enum BridgedCall {
    @TaskLocal static var isRunning = false
}

@available(iOS 9.0, macCatalyst 13.1, visionOS 1.0, *)
extension PKAddPaymentPassViewControllerDelegate {
    /// The form with a handler, made from the async one.
    public func addPaymentPassViewController(
        _ controller: PKAddPaymentPassViewController,
        generateRequestWithCertificateChain certificates: [Data],
        nonce: Data,
        nonceSignature: Data,
        completionHandler handler: @escaping @Sendable (PKAddPaymentPassRequest) -> Void
    ) {
        Task { @MainActor in
            let request = await BridgedCall.$isRunning.withValue(true) {
                await self.addPaymentPassViewController(
                    controller, generateRequestWithCertificateChain: certificates, nonce: nonce,
                    nonceSignature: nonceSignature)
            }
            handler(request)
        }
    }

    /// The async form, made from the one with a handler.
    public func addPaymentPassViewController(
        _ controller: PKAddPaymentPassViewController,
        generateRequestWithCertificateChain certificates: [Data],
        nonce: Data,
        nonceSignature: Data
    ) async -> PKAddPaymentPassRequest {
        guard !BridgedCall.isRunning else { return PKAddPaymentPassRequest() }
        let answer = FirstValue<PKAddPaymentPassRequest>()
        addPaymentPassViewController(
            controller, generateRequestWithCertificateChain: certificates, nonce: nonce,
            nonceSignature: nonceSignature, completionHandler: { answer.give($0) })
        return await answer.value
    }
}
