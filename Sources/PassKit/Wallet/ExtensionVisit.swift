// SPDX-License-Identifier: Apache-2.0

public import InAppProvisioning

/// What a user does with an issuer's Wallet extension.
public struct ExtensionVisit: Sendable {
    /// The cards that are chosen, by the entries' identifiers; nil chooses each that is offered.
    public var chooses: Set<String>?
    /// Makes the issuer's screen, if the extension has one.
    public var screen: (@MainActor @Sendable () -> any PKIssuerProvisioningExtensionAuthorizationProviding)?
    /// What the user does in the issuer's screen, once it is there: press its button, say.
    public var acts: (@MainActor @Sendable (any PKIssuerProvisioningExtensionAuthorizationProviding) -> Void)?

    /// A visit that takes every card, and has no screen.
    public init() {}
}

/// How a visit to an extension went.
public struct ExtensionRecord: Hashable, Sendable {
    /// A card that was offered.
    public struct Entry: Hashable, Sendable {
        /// The issuer's name of the card.
        public var identifier: String
        /// The name to show.
        public var title: String
        /// The last digits to show.
        public var suffix: String?
        /// The device it was offered for.
        public var device: WalletDevice
    }

    /// How long `status` took; nil when it never answered.
    public var statusAfter: Duration?
    /// Whether Wallet lists the issuer: `status` answered in time, and there is something to add.
    public var isListed = false
    /// Whether the user was let through; nil when the extension did not want to know.
    public var isAuthorized: Bool?
    /// The cards that were offered, in order.
    public var entries: [Entry] = []
    /// The cards that were chosen, in order, and how each one ended.
    public var cards: [AddPassRecord] = []
    /// What was seen until the end. Later calls of handlers are in ``ProvisioningWallet/findings`` only.
    public var findings: [ConformanceResult] = []

    /// Every check, and how it ended.
    public var report = ConformanceReport([])

    /// Findings that are failures.
    public var failures: [ConformanceResult] { findings.filter { $0.verdict == .fail } }
}

extension ProvisioningWallet {
    /// Opens Wallet's list of issuers, where the user meets an extension: `status`, authentication, entries, and a
    /// sealed card for each one chosen.
    ///
    /// The handler is called on threads of its own, as its own process would; its methods may block there.
    public func visit(_ handler: PKIssuerProvisioningExtensionHandler, _ visit: ExtensionVisit = ExtensionVisit())
        async -> ExtensionRecord
    {
        let run = ExtensionRun(handler, visit, wallet: self)
        return await run.run()
    }
}
