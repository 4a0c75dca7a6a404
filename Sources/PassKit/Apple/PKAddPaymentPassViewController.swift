// SPDX-License-Identifier: Apache-2.0

internal import InAppProvisioning

/// The sheet that adds a card. Present it; the current ``ProvisioningWallet`` plays the user and the phone behind it.
@available(iOS 9.0, macCatalyst 13.1, visionOS 1.0, *)
@preconcurrency @MainActor
open class PKAddPaymentPassViewController: UIViewController {
    /// Who gets the issuer's answer, and is told the end.
    open weak var delegate: (any PKAddPaymentPassViewControllerDelegate)?
    /// The card as the sheet shows it.
    let requestConfiguration: PKAddPaymentPassRequestConfiguration
    let wallet: ProvisioningWallet
    private var flow: AddPassFlow?
    private let ending = FirstValue<AddPassRecord>()

    /// Whether this app can add cards at all on this device.
    public nonisolated class func canAddPaymentPass() -> Bool { ProvisioningWallet.current.canAddPasses }

    /// A sheet for a card; nil without the entitlement.
    public init?(
        requestConfiguration configuration: PKAddPaymentPassRequestConfiguration,
        delegate: (any PKAddPaymentPassViewControllerDelegate)?
    ) {
        wallet = .current
        requestConfiguration = configuration
        self.delegate = delegate
        super.init()
        guard wallet.canAddPasses else {
            wallet.refuseSheet()
            return nil
        }
    }

    /// How it ended. Waits until then; a sheet that was never presented never ends. countertop's own.
    public func ended() async -> AddPassRecord { await ending.value }

    override func wasPresented() {
        guard flow == nil else { return }
        let flow = AddPassFlow(self, wallet: wallet)
        self.flow = flow
        // The task keeps the sheet alive, as the screen does.
        Task { ending.give(await flow.run()) }
    }

    override func wasDismissed() { flow?.sheetWasDismissed() }
    override func wasNotPresented() { wallet.record(.alreadyPresenting, "the presenter presents another controller") }
}
