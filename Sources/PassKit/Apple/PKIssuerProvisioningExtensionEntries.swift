// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What an issuer's Wallet extension has to offer.
@available(iOS 14.0, macCatalyst 14.0, visionOS 1.0, *)
open class PKIssuerProvisioningExtensionStatus: NSObject {
    /// Whether the user must authenticate in the issuer's own screen first.
    open var requiresAuthentication = false
    /// Whether there are cards for this device.
    open var passEntriesAvailable = false
    /// Whether there are cards for a paired watch.
    open var remotePassEntriesAvailable = false

    /// A status that offers nothing.
    public override init() { super.init() }
}

/// A card that can be added, as Wallet lists it.
@available(iOS 14.0, macCatalyst 14.0, visionOS 1.0, *)
open class PKIssuerProvisioningExtensionPassEntry: NSObject, @unchecked Sendable {
    /// The issuer's own name of the card. Stable: the same card has the same one in every call.
    public let identifier: String
    /// The name to show.
    public let title: String
    /// The picture to show: 1536 × 969, square corners, opaque.
    public let art: CGImage

    init(identifier: String, title: String, art: CGImage) {
        (self.identifier, self.title, self.art) = (identifier, title, art)
        super.init()
    }
}

/// A payment card that can be added.
@available(iOS 14.0, macCatalyst 14.0, visionOS 1.0, *)
open class PKIssuerProvisioningExtensionPaymentPassEntry: PKIssuerProvisioningExtensionPassEntry, @unchecked Sendable {
    /// What Wallet shows, and how the issuer will seal the card.
    public let addRequestConfiguration: PKAddPaymentPassRequestConfiguration

    /// A card to offer; nil without an identifier or title.
    public init?(
        identifier: String, title: String, art: CGImage, addRequestConfiguration: PKAddPaymentPassRequestConfiguration
    ) {
        guard !identifier.isEmpty, !title.isEmpty else { return nil }
        self.addRequestConfiguration = addRequestConfiguration
        super.init(identifier: identifier, title: title, art: art)
    }
}

/// How the user's authentication in the issuer's screen ended.
@available(iOS 14.0, macCatalyst 14.0, visionOS 1.0, *)
public enum PKIssuerProvisioningExtensionAuthorizationResult: Int, Hashable, Sendable, CaseIterable {
    /// Not authenticated.
    case canceled = 0
    /// Authenticated.
    case authorized = 1
}

/// The issuer's screen that authenticates the user: a view controller that calls ``completionHandler`` once.
@available(iOS 14.0, macCatalyst 14.0, visionOS 1.0, *)
@preconcurrency @MainActor
public protocol PKIssuerProvisioningExtensionAuthorizationProviding: NSObjectProtocol {
    /// Set by Wallet; the screen calls it when the user is done.
    var completionHandler: ((PKIssuerProvisioningExtensionAuthorizationResult) -> Void)? { get set }
}
