// SPDX-License-Identifier: Apache-2.0

internal import WalletCrypto

/// One question to the wallet: "is there a pass of this type?", with what to offer when there is none.
public struct VASMerchant: Hashable, Sendable {
    /// The pass type identifier, `pass.com.example.club`: ASCII, as in the pass.
    public let passTypeIdentifier: String
    /// Where a person without the pass can get it. In a full request the phone shows it as a notification when the
    /// pass is missing; with ``urlOnly`` it is all that is sent.
    public let url: String?
    /// The value of tag 9F2B, or nil to send none. Phones take five bytes of which the first is 01 (kormax/apple-vas
    /// PR #2); what the others do is not public.
    public let filter: [UInt8]?
    /// Sends only ``url``, without asking for a pass (P2 = 00).
    public let urlOnly: Bool
    /// SHA-256 of the pass type identifier without a final NUL: 32 bytes, the value of tag 9F25 (kormax/apple-vas
    /// README, "Merchant ID").
    public let merchantID: [UInt8]

    /// A question; nothing is checked here, see ``problems``.
    public init(passTypeIdentifier: String, url: String? = nil, filter: [UInt8]? = nil, urlOnly: Bool = false) {
        (self.passTypeIdentifier, self.url, self.filter, self.urlOnly) = (passTypeIdentifier, url, filter, urlOnly)
        merchantID = Self.merchantID(for: passTypeIdentifier)
    }

    /// SHA-256 of a pass type identifier: 32 bytes.
    public static func merchantID(for passTypeIdentifier: String) -> [UInt8] {
        Digest.sha256(Array(passTypeIdentifier.utf8))
    }
}
