// SPDX-License-Identifier: Apache-2.0

/// An app or one of its extensions, as far as its property lists describe it.
public struct AppTarget: Hashable, Sendable {
    /// The folder or bundle, for people.
    public var place: String
    /// `NSExtensionPointIdentifier`; nil for an app.
    public var extensionPoint: String?
    /// Whether its extension names a principal class or a storyboard.
    public var hasPrincipal = false
    /// Whether the entitlement for in-app provisioning is there and true.
    public var mayProvision = false
    /// App groups.
    public var groups: Set<String> = []
    /// Whether there are entitlements at all.
    public var hasEntitlements = false

    /// The entitlement (Apple documentation).
    static let entitlement = "com.apple.developer.payment-pass-provisioning"
    /// The extension points (Thales, Push Provisioning Extensions).
    static let points = (
        handler: "com.apple.PassKit.issuer-provisioning",
        screen: "com.apple.PassKit.issuer-provisioning.authorization"
    )

    /// A target from its `Info.plist` and its entitlements, both as XML.
    /// - Throws: `invalidRequest` when one of them is not a property list in XML.
    public init(place: String, info: [UInt8]?, entitlements: [UInt8]?) throws(ProvisioningError) {
        self.place = place
        if let info, let about = try PropertyListText.read(info, "Info.plist of \(place)").dictionary("NSExtension") {
            extensionPoint = about.text("NSExtensionPointIdentifier")
            let names = ["NSExtensionPrincipalClass", "NSExtensionMainStoryboard"]
            hasPrincipal = names.contains { about.text($0)?.isEmpty == false }
        }
        guard let entitlements else { return }
        let list = try PropertyListText.read(entitlements, "the entitlements of \(place)")
        hasEntitlements = true
        mayProvision = list.flag(Self.entitlement) == true
        groups = Set(list.texts("com.apple.security.application-groups"))
    }
}
