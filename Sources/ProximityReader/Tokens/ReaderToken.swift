// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import WalletCrypto

/// What a reader token says: a JWT (RFC 7519) signed with ES256 (RFC 7518, 3.4).
///
/// On iOS the token is the payment provider's, and opaque. Here it has the claims `iss`, `merchantId`, `iat`, `exp` and
/// `relink`; `countertop token` mints it, the counter checks it.
public struct ReaderToken: Hashable, Sendable {
    /// Who made it.
    public var issuer: String
    /// Whose reads it allows; not empty.
    public var merchantID: String
    /// When it was made, to the second.
    public var issuedAt: Date
    /// From when on it is of no use, to the second.
    public var expires: Date
    /// Whether the merchant may accept the terms again with another account.
    public var mayRelink: Bool

    /// A token's content.
    public init(
        issuer: String = "countertop", merchantID: String, issuedAt: Date = Date(), expires: Date,
        mayRelink: Bool = false
    ) {
        self.issuer = issuer
        self.merchantID = merchantID
        self.issuedAt = issuedAt
        self.expires = expires
        self.mayRelink = mayRelink
    }

    private struct Claims: Codable {
        var iss: String?
        var merchantId: String?
        var iat: Double?
        var nbf: Double?
        var exp: Double
        var relink: Bool?
    }

    /// The signed token.
    public func signed(with key: P256PrivateKey) throws(CryptoError) -> PaymentCardReader.Token {
        let claims = Claims(
            iss: issuer, merchantId: merchantID, iat: issuedAt.timeIntervalSince1970.rounded(.down),
            exp: expires.timeIntervalSince1970.rounded(.down), relink: mayRelink ? true : nil)
        return PaymentCardReader.Token(rawValue: try SignedClaims.reader.sign(claims, with: key))
    }

    /// Reads a token and checks its signature and its time.
    ///
    /// - Parameters:
    ///   - token: the token as an app has it.
    ///   - key: the public key of whoever mints tokens.
    ///   - date: now; `exp` and `nbf` are compared with it, without a margin.
    /// - Throws: `emptyReaderToken`, `invalidReaderToken` with the reason, `tokenExpired`, `invalidMerchant`.
    public init(
        verifying token: PaymentCardReader.Token, with key: P256PublicKey, at date: Date
    ) throws(PaymentCardReaderError) {
        guard !token.rawValue.isEmpty else { throw .emptyReaderToken }
        let claims: Claims
        do throws(SignedClaims.Problem) {
            claims = try SignedClaims.reader.verify(token.rawValue, as: Claims.self, with: key)
        } catch {
            throw .invalidReaderToken(error.reason)
        }
        let now = date.timeIntervalSince1970
        if let start = claims.nbf, start > now { throw .invalidReaderToken("it is not valid yet (nbf)") }
        guard claims.exp > now else { throw .tokenExpired }
        guard let merchant = claims.merchantId, !merchant.allSatisfy(\.isWhitespace) else { throw .invalidMerchant }
        self.init(
            issuer: claims.iss ?? "", merchantID: merchant, issuedAt: Date(timeIntervalSince1970: claims.iat ?? 0),
            expires: Date(timeIntervalSince1970: claims.exp), mayRelink: claims.relink ?? false)
    }
}
