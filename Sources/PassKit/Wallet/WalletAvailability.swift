// SPDX-License-Identifier: Apache-2.0

public import InAppProvisioning

/// Tries an app's own "can this card be added?" on wallets in every state.
public enum WalletAvailability {
    /// A state of a wallet, and the right answer.
    public struct Case: Hashable, Sendable, CustomStringConvertible {
        /// Whether the app has the entitlement.
        public var isEntitled: Bool
        /// Whether a watch is paired.
        public var hasWatch: Bool
        /// Whether the card is on the phone.
        public var isOnPhone: Bool
        /// Whether the card is on the watch.
        public var isOnWatch: Bool

        /// Entitled, and some present device lacks the card (PKPassLibrary.h).
        public var canAdd: Bool { isEntitled && (!isOnPhone || hasWatch && !isOnWatch) }

        /// The state in words.
        public var description: String {
            let places = [isOnPhone ? "on the phone" : nil, isOnWatch ? "on the watch" : nil].compactMap { $0 }
            return (isEntitled ? "" : "not entitled, ")
                + (places.isEmpty ? "on no device" : places.joined(separator: " and "))
                + (hasWatch ? ", a watch is paired" : ", no watch is paired")
        }

        /// A wallet in this state, with a card of this account.
        public func wallet(account: String) -> ProvisioningWallet {
            var setup = ProvisioningWallet.Setup()
            setup.hasEntitlement = isEntitled
            if hasWatch { setup.watch = ProvisioningWallet.Watch() }
            if isOnPhone { setup.passes = [WalletPass(primaryAccountIdentifier: account, suffix: "1111")] }
            if isOnWatch {
                setup.watchPasses = [WalletPass(primaryAccountIdentifier: account, suffix: "1111", device: .watch)]
            }
            return ProvisioningWallet(setup)
        }
    }

    /// Every state that there can be.
    public static let cases: [Case] = [true, false].flatMap { isEntitled in
        [(false, false), (true, false), (true, true)].flatMap { hasWatch, isOnWatch in
            [false, true].map { isOnPhone in
                Case(isEntitled: isEntitled, hasWatch: hasWatch, isOnPhone: isOnPhone, isOnWatch: isOnWatch)
            }
        }
    }

    /// The states in which an app's rule is wrong, each as a failure of the check `W-availability`.
    ///
    /// - Parameters:
    ///   - account: the account that is asked for.
    ///   - canAdd: the app's rule. It is asked once for each state, with that wallet as the current one.
    public static func findings(account: String = "account-1", _ canAdd: (String) throws -> Bool) rethrows
        -> [ConformanceResult]
    {
        try cases.compactMap { state in
            let says = try state.wallet(account: account).use { try canAdd(account) }
            guard says != state.canAdd else { return nil }
            return ConformanceResult(violated: .availabilityRule, "says \(says ? "yes" : "no"): \(state)")
        }
    }
}
