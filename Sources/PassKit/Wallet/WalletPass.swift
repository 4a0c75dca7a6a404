// SPDX-License-Identifier: Apache-2.0

/// Where a pass is, or is added to.
public enum WalletDevice: String, Hashable, Sendable, CaseIterable {
    /// The phone that runs the app.
    case phone
    /// The watch paired with it.
    case watch
}

/// A payment card that is in a ``ProvisioningWallet``, on one device.
public struct WalletPass: Hashable, Sendable {
    /// Which account it is; the same on every device of the user.
    public var primaryAccountIdentifier: String
    /// The last digits of the number on the card.
    public var primaryAccountNumberSuffix: String
    /// Which account of this device it is; another one on each device.
    public var deviceAccountIdentifier: String
    /// The last digits of the device's own number.
    public var deviceAccountNumberSuffix: String
    /// How far the pass is.
    public var activation = PKSecureElementPass.PassActivationState.activated
    /// Which pass of its type it is.
    public var serialNumber: String
    /// Which type of pass it is.
    public var passTypeIdentifier = "paymentpass.com.example.emulated"
    /// Who issued it.
    public var organizationName = "Emulated Issuer"
    /// The description to show.
    public var localizedDescription = "Payment Card"
    /// Whether the issuer's app may see the pass: its metadata at the network (PNO) list the app.
    public var isAssociated = true
    /// When the pass shows up, in the wallet's uptime.
    var visibleFrom = Duration.zero
    /// Which card it is, as the wallet tells cards apart; nil for passes that were there from the start.
    var fingerprint: String?

    /// A pass with identifiers made up from its account and device.
    public init(primaryAccountIdentifier: String, suffix: String, device: WalletDevice = .phone) {
        self.primaryAccountIdentifier = primaryAccountIdentifier
        primaryAccountNumberSuffix = suffix
        deviceAccountIdentifier = "\(device.rawValue)-\(primaryAccountIdentifier)"
        deviceAccountNumberSuffix = suffix
        serialNumber = deviceAccountIdentifier
    }
}
