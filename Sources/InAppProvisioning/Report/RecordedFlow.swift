// SPDX-License-Identifier: Apache-2.0

public import WalletCrypto

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What one attempt to add a card left behind. What is nil was not looked at. Never printed.
public struct RecordedFlow: Sendable, Concealed {
    /// What the sheet said of the card.
    public struct Sheet: Hashable, Sendable, Concealed {
        /// The cardholder's name.
        public var cardholderName: String?
        /// The last digits.
        public var suffix: String?
        /// The network.
        public var network: String?
        /// Further texts of the sheet.
        public var otherTexts: [String]

        /// What a sheet said.
        public init(cardholderName: String?, suffix: String?, network: String?, otherTexts: [String] = []) {
            (self.cardholderName, self.suffix, self.network) = (cardholderName, suffix, network)
            self.otherTexts = otherTexts
        }
    }

    /// What the app did with the handler. Times are seconds since it was given out.
    public struct Handler: Hashable, Sendable {
        /// When it was called, each time.
        public var calls: [Double]
        /// When the flow was over for another reason, such as the user.
        public var cancelled: Double?
        /// The limit.
        public var limit: Double

        /// What an app did.
        public init(calls: [Double], cancelled: Double? = nil, limit: Double = 20) {
            (self.calls, self.cancelled, self.limit) = (calls, cancelled, limit)
        }
    }

    /// A text that was seen, such as a log.
    public struct Text: Hashable, Sendable, Concealed {
        /// What it is, such as `the app's log`.
        public var name: String
        /// The text.
        public var text: String

        /// A text.
        public init(name: String, text: String) { (self.name, self.text) = (name, text) }
    }

    /// The device's identity.
    public var identity: WalletIdentity
    /// What was handed to the app.
    public var request: WalletRequest
    /// When.
    public var date: Date
    /// The scheme that was asked for.
    public var scheme = EncryptionScheme.eccV2
    /// The profile of the back end.
    public var profile: ProcessorProfile?
    /// What the sheet said.
    public var sheet: Sheet?
    /// The card that should come.
    public var card: CardDetails?
    /// The request on its way to the back end.
    public var sent: ProfileRequest?
    /// The back end's answer.
    public var received: ProfileResponse?
    /// Why there was no answer, without data.
    public var transportFailure: String?
    /// Seconds from request to answer.
    public var seconds: Double?
    /// Seconds that the back end has.
    public var limit = 20.0
    /// The blobs as the app gave them; nil to take them from the back end's answer.
    public var trio: ProvisioningTrio?
    /// What the app did with the handler.
    public var handler: Handler?
    /// Nonces of earlier flows.
    public var earlierNonces: Set<[UInt8]> = []
    /// Ephemeral keys of earlier answers.
    public var earlierKeys: Set<[UInt8]> = []
    /// Test keys of networks.
    public var activationKeys = ActivationKeys()
    /// Logs and the like.
    public var texts: [Text] = []
    /// Results of probes and of the emulated Wallet.
    public var observed: [ConformanceResult] = []
    /// Names of checks that were looked at: without a result among ``observed`` they pass.
    public var lookedAt: Set<String> = []
    /// Whether evidence may show card numbers.
    public var isUnmasked = false

    /// A flow of which nothing is known but what was handed out.
    public init(identity: WalletIdentity, request: WalletRequest, date: Date) {
        (self.identity, self.request, self.date) = (identity, request, date)
    }
}
