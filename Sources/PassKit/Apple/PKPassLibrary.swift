// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The passes of a ``ProvisioningWallet``, as an app may see them.
///
/// A library belongs to the wallet that is current when it is made. Apple: not thread-safe, one thread per library.
@available(iOS 6.0, macCatalyst 13.1, visionOS 1.0, watchOS 3.0, *)
open class PKPassLibrary: NSObject {
    let wallet: ProvisioningWallet

    /// The library of the current wallet.
    public override init() {
        wallet = .current
        super.init()
        wallet.libraryCame()
    }

    deinit { wallet.libraryWent() }

    /// Whether there is a library; always here.
    open class func isPassLibraryAvailable() -> Bool { ProvisioningWallet.current.setup.device != .withoutWallet }

    /// The passes on this device that the app may see.
    open func passes() -> [PKPass] { wallet.visiblePasses(onWatch: false) }

    /// The passes of a type on this device that the app may see.
    @available(iOS 8.0, *)
    open func passes(of passType: PKPassType) -> [PKPass] { passType == .barcode ? [] : passes() }

    /// One pass on this device.
    open func pass(withPassTypeIdentifier identifier: String, serialNumber: String) -> PKPass? {
        passes().first { $0.passTypeIdentifier == identifier && $0.serialNumber == serialNumber }
    }

    /// The passes on paired devices that the app may see.
    @available(iOS 13.4, *)
    open var remoteSecureElementPasses: [PKSecureElementPass] { wallet.visiblePasses(onWatch: true) }

    /// The older name of ``remoteSecureElementPasses``.
    @available(iOS, introduced: 9.0, deprecated: 13.4, renamed: "remoteSecureElementPasses")
    @available(*, deprecated, renamed: "remoteSecureElementPasses")
    open func remotePaymentPasses() -> [PKPaymentPass] { wallet.visiblePasses(onWatch: true) }

    /// Whether a present device lacks a pass of this account. False without the entitlement.
    @available(iOS 13.4, *)
    open func canAddSecureElementPass(primaryAccountIdentifier: String) -> Bool {
        wallet.canAdd(primaryAccountIdentifier, needsEntitlement: true)
    }

    /// Whether this device or an attached one supports adding and lacks a pass of this account.
    @available(iOS, introduced: 9.0, deprecated: 13.4, message: "Use canAddSecureElementPass")
    @available(*, deprecated, message: "Use canAddSecureElementPass(primaryAccountIdentifier:)")
    open func canAddPaymentPass(withPrimaryAccountIdentifier primaryAccountIdentifier: String) -> Bool {
        wallet.canAdd(primaryAccountIdentifier, needsEntitlement: false)
    }

    /// Whether passes can be activated by their issuer's app.
    @available(iOS 13.4, *)
    open var isSecureElementPassActivationAvailable: Bool { wallet.setup.canActivate }

    /// The older name of ``isSecureElementPassActivationAvailable``.
    @available(iOS, introduced: 9.0, deprecated: 13.4)
    @available(*, deprecated, renamed: "isSecureElementPassActivationAvailable")
    open func isPaymentPassActivationAvailable() -> Bool { isSecureElementPassActivationAvailable }

    /// Activates a pass that requires it.
    ///
    /// - Parameters:
    ///   - secureElementPass: a pass in the state `requiresActivation`.
    ///   - activationData: the network's one-time password, as in a request.
    ///   - completion: told whether it worked, on no particular thread.
    @available(iOS 13.4, *)
    @preconcurrency
    open func activate(
        _ secureElementPass: PKSecureElementPass, activationData: Data,
        completion: (@Sendable (Bool, (any Error)?) -> Void)? = nil
    ) {
        let error = wallet.activate(secureElementPass, with: activationData)
        completion?(error == nil, error)
    }

    /// Activates a pass that requires it.
    ///
    /// - Returns: true.
    /// - Throws: an error of ``PKPassKitErrorDomain``.
    @available(iOS 13.4, *)
    @discardableResult
    open func activate(_ secureElementPass: PKSecureElementPass, activationData: Data) async throws -> Bool {
        if let error = wallet.activate(secureElementPass, with: activationData) { throw error }
        return true
    }

    /// Shows a pass; the emulated Wallet notes which.
    @available(iOS 13.4, *)
    open func present(_ secureElementPass: PKSecureElementPass) {
        wallet.note(.presentedPass(secureElementPass.serialNumber))
    }

    /// Opens Wallet's own way to add a card; the emulated Wallet notes it.
    @available(iOS 8.3, *)
    open func openPaymentSetup() { wallet.note(.openedPaymentSetup) }

    /// Whether the pass is in the library, even where the app may not see it.
    open func containsPass(_ pass: PKPass) -> Bool { wallet.contains(pass) }

    /// Removes a pass, if the app may.
    open func removePass(_ pass: PKPass) { wallet.remove(pass) }

    /// Has the secure element sign data. Nobody knows the format in public: the signature is a stand-in.
    @available(iOS 13.4, *)
    @preconcurrency
    open func sign(
        _ signData: Data, using secureElementPass: PKSecureElementPass,
        completion: @escaping @Sendable (_ signedData: Data?, _ signature: Data?, _ error: (any Error)?) -> Void
    ) {
        guard wallet.contains(secureElementPass) else { return completion(nil, nil, PKPassKitError(.notEntitledError)) }
        completion(signData, wallet.signature(of: signData), nil)
    }
}

/// The names of the library's notifications. They are posted only while a library lives.
@available(iOS 6.0, macCatalyst 13.1, visionOS 1.0, watchOS 3.0, *)
public struct PKPassLibraryNotificationName: RawRepresentable, Hashable, Sendable {
    /// The notification's name.
    public let rawValue: String
    /// A name.
    public init(rawValue: String) { self.rawValue = rawValue }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// A pass on this device was added, changed or removed.
    public static let PKPassLibraryDidChange = PKPassLibraryNotificationName(
        rawValue: "PKPassLibraryDidChangeNotification")
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// A pass on a paired device was added, changed or removed.
    @available(iOS 9.0, *)
    public static let PKPassLibraryRemotePaymentPassesDidChange = PKPassLibraryNotificationName(
        rawValue: "PKPassLibraryRemotePaymentPassesDidChangeNotification")
}
