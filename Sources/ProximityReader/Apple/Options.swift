// SPDX-License-Identifier: Apache-2.0

@available(iOS 15.4, macCatalyst 17.0, *)
extension PaymentCardReader {
    /// How a reader behaves. Given to its initialiser, and fixed from then on.
    public struct Options: Sendable {
        /// Both flags off.
        @available(iOS 18.0, *)
        public init() {
            merchants = []
        }

        /// Options with a default list of loyalty merchants.
        @available(*, deprecated, message: "Put the merchants in VASRequest instead.")
        public init(vasMerchants: [VASRequest.Merchant] = []) {
            merchants = vasMerchants
        }

        /// The merchants of a read whose request names none.
        @available(*, deprecated, message: "Put the merchants in VASRequest instead.")
        public var vasMerchants: [VASRequest.Merchant] {
            get { merchants }
            set { merchants = newValue }
        }

        /// Whether the result comes back before the sheet is gone. Off by default.
        @available(iOS 16.4, *)
        public var returnReadResultImmediately = false

        /// Whether a payment read that failed after the card was read gives a result instead of an error. Off by
        /// default; a loyalty read does not look at it.
        @available(iOS 16.4, *)
        public var includeErrorInReadResult = false

        /// What ``vasMerchants`` keeps, for use without the deprecation.
        var merchants: [VASRequest.Merchant]
    }

    /// The provider's token: which merchant reads, and until when. Nothing is checked before it is used.
    public struct Token: RawRepresentable, Hashable, Sendable {
        /// The token as the provider gave it.
        public let rawValue: String

        /// Takes any string.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}
