// SPDX-License-Identifier: Apache-2.0

public import EMVContactless
public import ISO7816

public import struct Foundation.Date

/// What one tap was like: for the person at the counter, where Apple's API has only an error case. Holds neither pass
/// data nor card data.
public struct TapReport: Sendable {
    /// How a tap ended.
    public enum Ending: Sendable {
        /// Every merchant was answered.
        case answered
        /// The payment part came to an outcome; ``TapReport/payment`` has it.
        case payment
        /// The phone is locked, or wants its owner to act.
        case notActivated
        /// The card left in the middle.
        case torn(CardChannelError)
        /// The card is no Wallet: it answered this to the SELECT of `OSE.VAS.01`.
        case noWallet(StatusWord)
        /// Another wallet answered, by this name (`AndroidPay`, `SamsungWallet`).
        case otherWallet(String)
        /// The answers were not those of the protocol.
        case malformed(String)
        /// The reader failed.
        case failed(CardChannelError)
    }

    /// When it began, by the counter's clock.
    public var began: Date
    /// The reader's name.
    public var readerName: String
    /// How long it took.
    public var duration = Duration.zero
    /// How long each command took, in order: as many as there were commands.
    public var commandDurations: [Duration] = []
    /// The wallet's own name, when it gave one.
    public var walletName: String?
    /// The four bytes of mobile capabilities (9F23), when given.
    public var capabilities: [UInt8]?
    /// The status word for each merchant that was answered, by pass type identifier.
    public var statusWords: [String: StatusWord] = [:]
    /// How it ended.
    public var ending: Ending
    /// The outcome of the payment part, with its reason in words; nil when the tap did not get there.
    public var payment: EMVOutcome?
    /// The kernel that read the card, as ``PaymentCardReadResult/applicationTypeIdentifier`` has it.
    public var kernel: String?
}
