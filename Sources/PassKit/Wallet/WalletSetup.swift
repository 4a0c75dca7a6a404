// SPDX-License-Identifier: Apache-2.0

public import EmulatedWallet
public import HostSystem
public import InAppProvisioning
internal import WalletCrypto

extension ProvisioningWallet {
    /// How a wallet begins. All of it has a default: an entitled app on an empty phone without a watch.
    public struct Setup: Sendable {
        /// What the app runs on.
        public var device = Host.phone
        /// Whether a profile or the region forbids adding cards.
        public var isRestricted = false
        /// Whether the app has the entitlement for in-app provisioning.
        public var hasEntitlement = true
        /// Whether the network's metadata (PNO) list the app.
        public var hasAssociation = true
        /// Whether an app may activate passes.
        public var canActivate = true
        /// The paired watch, if there is one.
        public var watch: Watch?
        /// The cards on the phone at the beginning.
        public var passes: [WalletPass] = []
        /// The cards on the watch at the beginning.
        public var watchPasses: [WalletPass] = []
        /// How many certificates an app is given: two (leaf and sub-CA, as processors have it) or three.
        public var certificateCount = 2
        /// How long Wallet waits.
        public var deadlines = WalletDeadlines()
        /// The time.
        public var time = HostTime.system
        /// Who certifies the device's key; nil is the public test authority, whose root issuers must be told to trust.
        public var authority: ProvisioningTestAuthority?
        /// The device's certificates and leaf key, instead of those that the authority makes.
        public var identity: WalletIdentity?
        /// Gives nonces and signatures.
        public var random: @Sendable (Int) -> [UInt8] = { RandomBytes.generate($0) }
        /// Whether the issuer wants to see the user before a new card can be used.
        public var wantsActivation = false
        /// What the user does.
        public var user = User()
        /// Known faults of the platform to play.
        public var quirks: Set<Quirk> = []
        /// The emulated phone that a new card lands in, to be tapped once its owner has authenticated it.
        public var phone: EmulatedPhone?
        /// The same for the watch.
        public var watchPhone: EmulatedPhone?
        /// Adds to what is judged: what the wallet cannot see by itself, such as the traffic between app and back end and
        /// the card that should come. Called when a sealed card is judged, and again for the report.
        public var completes: (@Sendable (inout RecordedFlow) -> Void)?
        /// Told of every card that was added.
        public var cardAdded: (@Sendable (ProvisionedCard, WalletDevice) -> Void)?

        /// The defaults.
        public init() {}
    }

    /// What an app runs on.
    public enum Host: Hashable, Sendable {
        /// A phone.
        case phone
        /// An older tablet: a library, no secure element.
        case withoutSecureElement
        /// Nothing with a Wallet.
        case withoutWallet
    }

    /// A paired watch.
    public struct Watch: Hashable, Sendable {
        /// Its name.
        public var name = "Emulated Watch"
        /// How long a new pass takes to show up in the phone's library.
        public var delay = Duration.zero

        /// A watch.
        public init() {}
    }

    /// What the user does in a sheet.
    public struct User: Hashable, Sendable {
        /// Which device is chosen; nil takes the first that lacks the card.
        public var device: WalletDevice?
        /// When the sheet is cancelled; nil never.
        public var cancels: Moment?
        /// When the app's process ends; nil never.
        public var killsApp: Moment?

        /// A user who adds the card.
        public init() {}
    }

    /// A moment of a flow.
    public enum Moment: String, Hashable, Sendable, CaseIterable {
        /// In the first sheet, before the app is asked for anything.
        case sheet
        /// While Wallet waits for the app's request.
        case waiting
        /// At the terms and conditions, after the request.
        case terms
    }

    /// A known fault of the platform.
    public enum Quirk: String, Hashable, Sendable, CaseIterable {
        /// `canAddSecureElementPass` is false although a paired watch lacks the card (stripe-react-native 1305).
        case ignoresWatch
        /// `canAddPaymentPass()` is false for no reason (the same thread).
        case cannotAdd
    }
}
