// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What kind of pass it is.
@available(iOS 8.0, macCatalyst 13.1, visionOS 1.0, watchOS 3.0, *)
public enum PKPassType: UInt, Hashable, Sendable {
    /// A ticket, coupon, store card and the like.
    case barcode = 0
    /// A pass in the secure element: a payment card, transit card, key.
    case secureElement = 1
    /// Any.
    case any = 0xFFFF_FFFF_FFFF_FFFF

    /// The older name of ``secureElement``.
    @available(iOS, introduced: 8.0, deprecated: 13.4, renamed: "secureElement")
    @available(*, deprecated, renamed: "secureElement")
    public static var payment: PKPassType { .secureElement }
}

/// A pass as the library shows it: a picture of the moment, which does not change.
@available(iOS 6.0, macCatalyst 13.1, visionOS 1.0, watchOS 3.0, *)
open class PKPass: NSObject, @unchecked Sendable {
    let record: WalletPass
    let isOnWatch: Bool
    let device: String

    init(_ record: WalletPass, isOnWatch: Bool, device: String) {
        (self.record, self.isOnWatch, self.device) = (record, isOnWatch, device)
        super.init()
    }

    /// What kind of pass it is.
    @available(iOS 8.0, *)
    open var passType: PKPassType { .secureElement }
    /// The pass as one in the secure element, if it is one.
    @available(iOS 13.4, *)
    open var secureElementPass: PKSecureElementPass? { self as? PKSecureElementPass }
    /// The older name of ``secureElementPass``.
    @available(iOS, introduced: 8.0, deprecated: 13.4, renamed: "secureElementPass")
    @available(*, deprecated, renamed: "secureElementPass")
    open var paymentPass: PKPaymentPass? { self as? PKPaymentPass }
    /// Whether the pass is on a paired device.
    @available(iOS 9.0, *)
    open var isRemotePass: Bool { isOnWatch }
    /// The name of the device the pass is on.
    @available(iOS 9.0, *)
    open var deviceName: String { device }
    /// Together with the pass type identifier, which pass it is.
    open var serialNumber: String { record.serialNumber }
    /// Which type of pass it is.
    open var passTypeIdentifier: String { record.passTypeIdentifier }
    /// Who issued it.
    open var organizationName: String { record.organizationName }
    /// The name to show.
    open var localizedName: String { "Payment Card" }
    /// The description to show.
    open var localizedDescription: String { record.localizedDescription }

    /// Whether it is the same pass, by pass type identifier, serial number and device.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? PKPass else { return false }
        return record.serialNumber == other.record.serialNumber && isOnWatch == other.isOnWatch
            && record.passTypeIdentifier == other.record.passTypeIdentifier
    }

    /// Agrees with ``isEqual(_:)``.
    open override var hash: Int { record.serialNumber.hashValue ^ (isOnWatch ? 1 : 0) }
}

/// A pass in a secure element.
@available(iOS 13.4, macCatalyst 13.4, visionOS 1.0, watchOS 6.2, *)
open class PKSecureElementPass: PKPass, @unchecked Sendable {
    /// How far the pass is.
    public enum PassActivationState: Int, Hashable, Sendable, CaseIterable {
        /// It can be used.
        case activated = 0
        /// The issuer wants to see the user first.
        case requiresActivation = 1
        /// It is being activated.
        case activating = 2
        /// Its issuer or the network stopped it for a time.
        case suspended = 3
        /// It can be used no more.
        case deactivated = 4
    }

    /// Which account it is; the same on every device of the user.
    open var primaryAccountIdentifier: String { record.primaryAccountIdentifier }
    /// The last digits of the number on the card.
    open var primaryAccountNumberSuffix: String { record.primaryAccountNumberSuffix }
    /// Which account of this device it is; another one on each device.
    open var deviceAccountIdentifier: String { record.deviceAccountIdentifier }
    /// The last digits of the device's own number.
    open var deviceAccountNumberSuffix: String { record.deviceAccountNumberSuffix }
    /// How far the pass is.
    open var passActivationState: PassActivationState { record.activation }
    /// Which pass of the device it is, for car keys and the like; nil for payment cards.
    open var devicePassIdentifier: String? { nil }
    /// Which terminal it is paired with, for car keys and the like; nil for payment cards.
    open var pairedTerminalIdentifier: String? { nil }
}

/// How far a payment card is: the older enumeration, with the same numbers.
@available(iOS, introduced: 8.0, deprecated: 13.4)
public enum PKPaymentPassActivationState: UInt, Hashable, Sendable, CaseIterable {
    /// It can be used.
    case activated = 0
    /// The issuer wants to see the user first.
    case requiresActivation = 1
    /// It is being activated.
    case activating = 2
    /// Its issuer or the network stopped it for a time.
    case suspended = 3
    /// It can be used no more.
    case deactivated = 4
}

/// A payment card in Wallet.
@available(iOS 8.0, macCatalyst 13.1, visionOS 1.0, watchOS 3.0, *)
open class PKPaymentPass: PKSecureElementPass, @unchecked Sendable {
    /// The older name of ``PKSecureElementPass/passActivationState-swift.property``.
    @available(iOS, introduced: 8.0, deprecated: 13.4)
    @available(*, deprecated, renamed: "passActivationState")
    open var activationState: PKPaymentPassActivationState {
        PKPaymentPassActivationState(rawValue: UInt(max(0, passActivationState.rawValue))) ?? .activated
    }
}
