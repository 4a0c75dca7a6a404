// SPDX-License-Identifier: Apache-2.0

/// What can be said about the cards an extension offers.
enum EntryChecks {
    /// Pixels of card art, and the most bytes of its file (Thales, Push Provisioning Extensions, FAQ).
    static let artSize = (width: 1536, height: 969, bytes: 4 << 20)

    static func check(
        _ entries: [PKIssuerProvisioningExtensionPassEntry], for device: WalletDevice, on wallet: ProvisioningWallet
    ) {
        var seen: Set<String> = []
        for entry in entries {
            if !seen.insert(entry.identifier).inserted { wallet.record(.entryUnique, device.rawValue) }
            let missing = self.missing(in: entry)
            if !missing.isEmpty {
                wallet.record(.entryComplete, "\(entry.title): no \(missing.joined(separator: ", "))")
            }
            if let fault = fault(of: entry.art) { wallet.record(.entryArt, "\(entry.title): \(fault)") }
            if isThere(entry, on: device, of: wallet) {
                wallet.record(.listsAgree, "\(entry.title): \(device.rawValue)")
            }
        }
    }

    private static func missing(in entry: PKIssuerProvisioningExtensionPassEntry) -> [String] {
        let configuration = (entry as? PKIssuerProvisioningExtensionPaymentPassEntry)?.addRequestConfiguration
        let parts: [(String, Bool)] = [
            ("identifier", entry.identifier.isEmpty), ("title", entry.title.isEmpty),
            ("name", configuration?.cardholderName?.isEmpty ?? true),
            ("suffix", configuration?.primaryAccountSuffix?.isEmpty ?? true),
            ("network", configuration?.paymentNetwork == nil),
        ]
        return parts.filter(\.1).map(\.0)
    }

    private static func fault(of art: CGImage) -> String? {
        if art.data.count >= artSize.bytes { return "\(art.data.count) bytes" }
        guard art.width != 0 else { return nil }
        if art.width != artSize.width || art.height != artSize.height { return "\(art.width) × \(art.height)" }
        return art.hasAlpha == true ? "transparent" : nil
    }

    private static func isThere(
        _ entry: PKIssuerProvisioningExtensionPassEntry, on device: WalletDevice, of wallet: ProvisioningWallet
    ) -> Bool {
        let configuration = (entry as? PKIssuerProvisioningExtensionPaymentPassEntry)?.addRequestConfiguration
        return wallet.passes(on: device).contains { pass in
            if let account = configuration?.primaryAccountIdentifier { return pass.primaryAccountIdentifier == account }
            return pass.primaryAccountNumberSuffix == configuration?.primaryAccountSuffix
        }
    }

    /// Two lists made one after the other name the same cards in the same way.
    static func compare(
        _ first: [PKIssuerProvisioningExtensionPassEntry], _ second: [PKIssuerProvisioningExtensionPassEntry],
        on wallet: ProvisioningWallet
    ) {
        let before = Set(first.map(\.identifier))
        let after = Set(second.map(\.identifier))
        guard before != after else { return }
        let gone = before.subtracting(after).count
        wallet.record(.entryStable, "\(gone) of \(before.count) identifiers were gone in the second call")
    }
}
