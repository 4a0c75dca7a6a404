// SPDX-License-Identifier: Apache-2.0

/// The emulated phone as the pages show it. No payload of a pass is in it.
public struct WalletView: Hashable, Sendable {
    /// One pass.
    public struct Pass: Hashable, Sendable {
        /// Its pass type identifier.
        public var passTypeIdentifier: String
        /// Its serial number, where the file has one.
        public var serialNumber: String?
        /// Whether a reader can have it at all (it has `nfc`).
        public var isReadable: Bool

        /// A pass from its parts.
        public init(passTypeIdentifier: String, serialNumber: String? = nil, isReadable: Bool) {
            (self.passTypeIdentifier, self.serialNumber) = (passTypeIdentifier, serialNumber)
            self.isReadable = isReadable
        }
    }

    /// Where it was read from.
    public var file: String
    /// The passes, in the wallet's order.
    public var passes: [Pass]
    /// The pass on screen, by pass type identifier or serial number; nil is any.
    public var chosen: String?
    /// Whether it is locked.
    public var isLocked: Bool
    /// The command, counted from 1 in each tap, that finds the phone gone; nil stays to the end.
    public var leavesFieldAt: Int?
    /// Milliseconds before each answer.
    public var answerDelayMilliseconds: Int
    /// The network of the payment card, if there is one.
    public var paymentNetwork: String?
    /// Whether a payment card is ready to pay.
    public var isPaymentArmed: Bool
    /// How many taps have begun.
    public var tapCount: Int
    /// URLs that readers pushed, oldest first.
    public var receivedURLs: [String]

    /// A view from its parts.
    public init(
        file: String, passes: [Pass], chosen: String? = nil, isLocked: Bool = false, leavesFieldAt: Int? = nil,
        answerDelayMilliseconds: Int = 0, paymentNetwork: String? = nil, isPaymentArmed: Bool = false,
        tapCount: Int = 0, receivedURLs: [String] = []
    ) {
        (self.file, self.passes, self.chosen, self.isLocked) = (file, passes, chosen, isLocked)
        (self.leavesFieldAt, self.answerDelayMilliseconds) = (leavesFieldAt, answerDelayMilliseconds)
        (self.paymentNetwork, self.isPaymentArmed) = (paymentNetwork, isPaymentArmed)
        (self.tapCount, self.receivedURLs) = (tapCount, receivedURLs)
    }
}

/// A change to the emulated phone; nil leaves a thing as it is.
public struct WalletChange: Hashable, Sendable {
    /// A value that may be taken away.
    public enum Setting<Value: Hashable & Sendable>: Hashable, Sendable {
        /// This value.
        case to(Value)
        /// None.
        case none
    }

    /// Locks, or unlocks with authentication.
    public var isLocked: Bool?
    /// Chooses the pass on screen.
    public var chosen: Setting<String>?
    /// The command that finds the phone gone, from 1.
    public var leavesFieldAt: Setting<Int>?
    /// Milliseconds before each answer, 0 to 600,000.
    public var answerDelayMilliseconds: Int?
    /// Makes a payment card ready to pay, or not.
    public var isPaymentArmed: Bool?
    /// Reads the phone's file again first; everything is as it stands there then.
    public var reloads = false

    /// No change.
    public init() {}
}
