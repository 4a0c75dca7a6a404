// SPDX-License-Identifier: Apache-2.0

/// Which device a card is for.
enum DeviceChoice {
    /// The user's choice, else the first present device that lacks a pass of the account. When none lacks it, Wallet
    /// ignores the filter (PKAddPaymentPassRequest.h), and so does this.
    static func device(for configuration: PKAddPaymentPassRequestConfiguration, on wallet: ProvisioningWallet)
        -> WalletDevice
    {
        let present = wallet.presentDevices
        var free = present
        if let account = configuration.primaryAccountIdentifier, !account.isEmpty {
            free = present.filter { device in
                !wallet.passes(on: device).contains { $0.primaryAccountIdentifier == account }
            }
            if free.isEmpty { wallet.record(.deviceLacksCard, "every present device has a pass of this account") }
        } else if let suffix = configuration.primaryAccountSuffix {
            free = present.filter { device in
                !wallet.passes(on: device).contains { $0.primaryAccountNumberSuffix == suffix }
            }
            if free.count < present.count {
                wallet.record(.accountNamed, "a pass with these last digits is there, no account is named")
            }
            if free.isEmpty { wallet.record(.deviceLacksCard, "every present device has a pass with these digits") }
        }
        if let wanted = wallet.setup.user.device, present.contains(wanted) { return wanted }
        return free.first ?? .phone
    }
}
