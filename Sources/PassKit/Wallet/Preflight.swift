// SPDX-License-Identifier: Apache-2.0

internal import ISO7816

/// What can be said about a configuration before anything is asked.
enum Preflight {
    static func findings(of configuration: PKAddPaymentPassRequestConfiguration, on wallet: ProvisioningWallet)
        -> [WalletFinding]
    {
        var findings: [WalletFinding] = []
        let name = configuration.cardholderName ?? ""
        let suffix = configuration.primaryAccountSuffix ?? ""
        if name.isEmpty, suffix.isEmpty {
            findings.append(WalletFinding(.nameOrSuffix))
        } else if name.isEmpty || suffix.isEmpty {
            findings.append(WalletFinding(.nameAndSuffix, nil, name.isEmpty ? "no name" : "no suffix"))
        }
        if !suffix.isEmpty, !(4...5).contains(suffix.count) || !suffix.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            findings.append(WalletFinding(.suffixDigits, nil, "\(suffix.count) characters"))
        }
        if configuration.paymentNetwork == nil { findings.append(WalletFinding(.network)) }
        let texts = [name, suffix, configuration.localizedDescription, configuration.primaryAccountIdentifier]
        let details = configuration.cardDetails.flatMap { [$0.label, $0.value] }
        if (texts.compactMap { $0 } + details).contains(where: hasCardNumber) {
            findings.append(WalletFinding(.noCardNumber))
        }
        if !wallet.setup.hasAssociation { findings.append(WalletFinding(.association)) }
        return findings
    }

    /// Whether a run of 13 to 19 digits, blanks and hyphens aside, passes the check digit (ISO/IEC 7812-1, annex B).
    static func hasCardNumber(_ text: String) -> Bool {
        var run = ""
        for character in text + "." {
            if character.isASCII, character.isNumber {
                run.append(character)
            } else if character != " ", character != "-" {
                if (13...19).contains(run.count), AccountNumber.isLuhnValid(run) { return true }
                run = ""
            }
        }
        return false
    }
}

/// Which device a card is for.
enum DeviceChoice {
    /// The user's choice, else the first present device that lacks a pass of the account. When none lacks it, Wallet
    /// ignores the filter (PKAddPaymentPassRequest.h), and so does this.
    @MainActor
    static func device(for configuration: PKAddPaymentPassRequestConfiguration, on wallet: ProvisioningWallet)
        -> WalletDevice
    {
        let present = wallet.presentDevices
        var free = present
        if let account = configuration.primaryAccountIdentifier, !account.isEmpty {
            free = present.filter { device in
                !wallet.passes(on: device).contains { $0.primaryAccountIdentifier == account }
            }
            if free.isEmpty {
                let devices = present.map(\.rawValue).joined(separator: " and ")
                wallet.record(.deviceLacksCard, "all that is there, \(devices), has a pass of this account")
            }
        } else if let suffix = configuration.primaryAccountSuffix {
            let taken = present.filter { device in
                wallet.passes(on: device).contains { $0.primaryAccountNumberSuffix == suffix }
            }
            if let first = taken.first {
                wallet.record(.accountNamed, "a pass with these last digits is on the \(first.rawValue)")
            }
            free = present.filter { !taken.contains($0) }
            if free.isEmpty {
                wallet.record(.deviceLacksCard, "every present device has a pass with these last digits")
            }
        }
        if let wanted = wallet.setup.user.device, present.contains(wanted) { return wanted }
        return free.first ?? .phone
    }
}
