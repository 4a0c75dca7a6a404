// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import WalletCrypto

/// What a PIN token says: that the issuer wants a PIN for this transaction, and the provider may be told it.
///
/// A JWT signed with ES256 by the token key, with the header `"typ":"countertop-pin+jwt"` and the claims
/// `transactionId`, `iss`, `iat` and `exp`. On iOS the token is the payment provider's, and opaque.
@available(iOS 16.0, *)
public struct PINCaptureToken: Hashable, Sendable {
    /// The identifier of the earlier result.
    public var transactionID: String
    /// Who made it.
    public var issuer: String
    /// When it was made, to the second.
    public var issuedAt: Date
    /// From when on it is of no use, to the second.
    public var expires: Date

    /// A token's content.
    public init(transactionID: String, issuer: String = "countertop", issuedAt: Date = Date(), expires: Date) {
        (self.transactionID, self.issuer) = (transactionID, issuer)
        (self.issuedAt, self.expires) = (issuedAt, expires)
    }

    private struct Claims: Codable {
        var transactionId: String
        var iss: String?
        var iat: Double?
        var exp: Double
    }

    /// The signed token.
    public func signed(with key: P256PrivateKey) throws(CryptoError) -> PaymentCardReaderSession.PINToken {
        let claims = Claims(
            transactionId: transactionID, iss: issuer, iat: issuedAt.timeIntervalSince1970.rounded(.down),
            exp: expires.timeIntervalSince1970.rounded(.down))
        return PaymentCardReaderSession.PINToken(rawValue: try SignedClaims.pin.sign(claims, with: key))
    }

    /// Reads a token and checks its signature and its time.
    ///
    /// - Parameters:
    ///   - token: the token as an app has it.
    ///   - key: the public key of whoever mints tokens.
    ///   - date: now; `exp` is compared with it, without a margin.
    /// - Throws: `pinTokenInvalid`, also for one whose time is over.
    public init(
        verifying token: PaymentCardReaderSession.PINToken, with key: P256PublicKey, at date: Date
    ) throws(PaymentCardReaderSession.ReadError) {
        guard let claims = try? SignedClaims.pin.verify(token.rawValue, as: Claims.self, with: key),
            claims.exp > date.timeIntervalSince1970
        else { throw .pinTokenInvalid }
        self.init(
            transactionID: claims.transactionId, issuer: claims.iss ?? "",
            issuedAt: Date(timeIntervalSince1970: claims.iat ?? 0), expires: Date(timeIntervalSince1970: claims.exp))
    }
}
