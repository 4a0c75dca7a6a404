// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A request to read loyalty passes from Wallet.
@available(iOS 15.4, macCatalyst 17.0, *)
public class VASRequest: @unchecked Sendable {
    /// A request for the passes of some merchants.
    ///
    /// Nothing is checked here; a read throws ``PaymentCardReaderSession/ReadError/invalidVASMerchants(_:)`` or
    /// ``PaymentCardReaderSession/ReadError/invalidVASRequestParameters(_:)``. The limits are in the article Choices.
    /// - Parameters:
    ///   - vasMerchants: asked for in this order, in one tap.
    ///   - localizedVASType: the programme's name on the sheet, 22 characters at most.
    public init(vasMerchants: [Merchant] = [], localizedVASType: String = "") {
        self.vasMerchants = vasMerchants
        self.localizedVASType = localizedVASType
    }

    /// The merchants, in the order in which the phone is asked.
    public final let vasMerchants: [Merchant]

    /// The programme's name on the sheet.
    public final let localizedVASType: String

    /// The language of the customer's side of the sheet; nil is the system's.
    ///
    /// As on iOS, not guarded: set it before the request is shared between tasks.
    @available(iOS 17.0, *)
    public var userInterfaceLanguage: Locale.Language?

    /// A loyalty programme: one pass type identifier.
    public struct Merchant: Identifiable, Sendable {
        /// A programme.
        /// - Parameters:
        ///   - id: the pass type identifier, such as `pass.com.example.loyalty`.
        ///   - url: sent to the phone when it holds no such pass; https, and short enough for
        ///     one command (190 characters or so).
        ///   - localizedName: the pass's name after a good read; the identifier when nil.
        @available(iOS 16.4, *)
        public init(id: String, url: URL? = nil, localizedName: String? = nil) {
            self.init(id, url, urlOnly: false, localizedName)
        }

        /// A programme, perhaps one whose URL alone is sent.
        @available(*, deprecated, message: "Not supported. Use init(id:url:localizedName:).")
        public init(id: String, url: URL? = nil, shouldSendURLOnly: Bool = false, localizedName: String? = nil) {
            self.init(id, url, urlOnly: shouldSendURLOnly, localizedName)
        }

        private init(_ id: String, _ url: URL?, urlOnly: Bool, _ localizedName: String?) {
            self.id = id
            self.url = url
            self.urlOnly = urlOnly
            self.localizedName = localizedName ?? id
        }

        /// The pass type identifier.
        public let id: String

        /// The sign-up link, sent to the phone when it holds no such pass.
        public let url: URL?

        /// Whether only the URL is sent and no pass is asked for.
        @available(*, deprecated, message: "Not supported.")
        public var shouldSendURLOnly: Bool { urlOnly }

        /// The pass's name, shown after a good read.
        public var localizedName: String

        /// What ``shouldSendURLOnly`` tells, for use without the deprecation.
        let urlOnly: Bool
    }
}
