// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An issuer's Wallet extension: subclass it, and override one form of each method.
///
/// Wallet calls the forms with a handler, from a thread of the extension's own. The form that was not overridden is
/// made from the other one; with neither, the extension offers nothing.
@available(iOS 14.0, macCatalyst 14.0, visionOS 1.0, *)
open class PKIssuerProvisioningExtensionHandler: NSObject, @unchecked Sendable {
    /// A handler that offers nothing.
    public override init() { super.init() }

    /// What there is to add, to be answered within 100 ms.
    @preconcurrency
    open func status(completion: @escaping @Sendable (PKIssuerProvisioningExtensionStatus) -> Void) {
        bridge({ await self.statusBox() }, to: { completion($0.status) })
    }

    /// What there is to add, to be answered within 100 ms.
    open func status() async -> PKIssuerProvisioningExtensionStatus {
        guard !BridgedCall.isRunning else { return PKIssuerProvisioningExtensionStatus() }
        let answer = FirstValue<StatusBox>()
        status { answer.give(StatusBox(status: $0)) }
        return await answer.value.status
    }

    /// The cards for this device, to be answered within 20 s.
    @preconcurrency
    open func passEntries(completion: @escaping @Sendable ([PKIssuerProvisioningExtensionPassEntry]) -> Void) {
        bridge({ await self.passEntries() }, to: completion)
    }

    /// The cards for this device, to be answered within 20 s.
    open func passEntries() async -> [PKIssuerProvisioningExtensionPassEntry] {
        guard !BridgedCall.isRunning else { return [] }
        let answer = FirstValue<[PKIssuerProvisioningExtensionPassEntry]>()
        passEntries { answer.give($0) }
        return await answer.value
    }

    /// The cards for a paired watch, to be answered within 20 s.
    @preconcurrency
    open func remotePassEntries(completion: @escaping @Sendable ([PKIssuerProvisioningExtensionPassEntry]) -> Void) {
        bridge({ await self.remotePassEntries() }, to: completion)
    }

    /// The cards for a paired watch, to be answered within 20 s.
    open func remotePassEntries() async -> [PKIssuerProvisioningExtensionPassEntry] {
        guard !BridgedCall.isRunning else { return [] }
        let answer = FirstValue<[PKIssuerProvisioningExtensionPassEntry]>()
        remotePassEntries { answer.give($0) }
        return await answer.value
    }

    /// The sealed card that the user chose, to be answered within 20 s; nil is a failure.
    ///
    /// - Parameters:
    ///   - identifier: the ``PKIssuerProvisioningExtensionPassEntry/identifier`` of the chosen card.
    ///   - configuration: the entry's configuration.
    ///   - certificates: X.509 in DER, leaf first.
    ///   - nonce: a one-time value that goes into the sealed card.
    ///   - nonceSignature: the device's signature, which goes into the sealed card.
    ///   - completion: takes the issuer's answer, exactly once.
    @preconcurrency
    open func generateAddPaymentPassRequestForPassEntryWithIdentifier(
        _ identifier: String,
        configuration: PKAddPaymentPassRequestConfiguration,
        certificateChain certificates: [Data],
        nonce: Data,
        nonceSignature: Data,
        completionHandler completion: @escaping @Sendable (PKAddPaymentPassRequest?) -> Void
    ) {
        let chosen = ConfigurationBox(configuration: configuration)
        bridge(
            {
                await self.generateAddPaymentPassRequestForPassEntryWithIdentifier(
                    identifier, configuration: chosen.configuration, certificateChain: certificates, nonce: nonce,
                    nonceSignature: nonceSignature)
            }, to: completion)
    }

    /// The sealed card that the user chose, to be answered within 20 s; nil is a failure.
    open func generateAddPaymentPassRequestForPassEntryWithIdentifier(
        _ identifier: String,
        configuration: PKAddPaymentPassRequestConfiguration,
        certificateChain certificates: [Data],
        nonce: Data,
        nonceSignature: Data
    ) async -> PKAddPaymentPassRequest? {
        guard !BridgedCall.isRunning else { return nil }
        let answer = FirstValue<PKAddPaymentPassRequest?>()
        generateAddPaymentPassRequestForPassEntryWithIdentifier(
            identifier, configuration: configuration, certificateChain: certificates, nonce: nonce,
            nonceSignature: nonceSignature, completionHandler: { answer.give($0) })
        return await answer.value
    }

    private func statusBox() async -> StatusBox { StatusBox(status: await status()) }

    /// Calls the async form and hands its value on, marked so that a handler with neither form ends.
    private func bridge<Value: Sendable>(
        _ form: @escaping @Sendable () async -> Value, to completion: @escaping @Sendable (Value) -> Void
    ) {
        Task { completion(await BridgedCall.$isRunning.withValue(true) { await form() }) }
    }
}

/// A status on its way from the extension's thread to Wallet's; the extension is done with it.
struct StatusBox: @unchecked Sendable {
    let status: PKIssuerProvisioningExtensionStatus
}

/// A configuration on its way to the extension's task.
struct ConfigurationBox: @unchecked Sendable {
    let configuration: PKAddPaymentPassRequestConfiguration
}
