// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// How the issuer seals a card.
@available(iOS 9.0, macCatalyst 13.1, visionOS 1.0, *)
public struct PKEncryptionScheme: RawRepresentable, Hashable, Sendable {
    /// Apple's name of the scheme.
    public let rawValue: String
    /// A scheme by Apple's name.
    public init(rawValue: String) { self.rawValue = rawValue }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Elliptic curves: ECDH on P-256 and AES-256-GCM. (The raw value is WeChat's mini-program documentation's.)
    public static let ECC_V2 = PKEncryptionScheme(rawValue: "EV_ECC_v2")
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// RSA. Not specified in public; the emulated Wallet refuses it.
    @available(iOS 10.0, *)
    public static let RSA_V2 = PKEncryptionScheme(rawValue: "EV_RSA_v2")
}

/// What is added: a payment card or an access pass.
@available(iOS 12.0, macCatalyst 13.1, visionOS 1.0, *)
public enum PKAddPaymentPassStyle: UInt, Hashable, Sendable, CaseIterable {
    /// A payment card.
    case payment = 0
    /// An access pass.
    case access = 1
}

/// A line of text with its label.
@available(iOS 10.1, macCatalyst 13.1, visionOS 1.0, *)
open class PKLabeledValue: NSObject, @unchecked Sendable {
    /// What the line is about.
    public let label: String
    /// What it says.
    public let value: String

    /// A line by its parts.
    public init(label: String, value: String) {
        (self.label, self.value) = (label, value)
        super.init()
    }
}

/// What Wallet shows about the card before it is added. Display only: no sensitive data belong here.
@available(iOS 9.0, macCatalyst 13.1, visionOS 1.0, *)
open class PKAddPaymentPassRequestConfiguration: NSObject {
    /// How the issuer will seal the card.
    public let encryptionScheme: PKEncryptionScheme
    /// What is added.
    @available(iOS 12.0, *)
    open var style = PKAddPaymentPassStyle.payment
    /// The holder's name. This or the suffix is needed; better both.
    open var cardholderName: String?
    /// The last four or five digits of the number on the card.
    open var primaryAccountSuffix: String?
    /// More lines to show.
    @available(iOS 10.1, *)
    open var cardDetails: [PKLabeledValue] = []
    /// A short description, shown in the sheet.
    open var localizedDescription: String?
    /// Which account it is. Devices that hold a pass of this account are not offered; if that leaves none, all are.
    open var primaryAccountIdentifier: String?
    /// Which network's pictures the introduction shows. Not a restriction.
    open var paymentNetwork: PKPaymentNetwork?
    /// Which products' pictures the introduction shows.
    @available(iOS 12.3, *)
    open var productIdentifiers: Set<String> = []
    /// Whether only devices with a FeliCa secure element will do.
    @available(iOS 10.1, *)
    open var requiresFelicaSecureElement = false

    /// A configuration; nil for a scheme that Apple does not have.
    public init?(encryptionScheme: PKEncryptionScheme) {
        guard [.ECC_V2, .RSA_V2].contains(encryptionScheme) else { return nil }
        self.encryptionScheme = encryptionScheme
        super.init()
    }
}
