// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import WalletCrypto

/// What a batch deletion token says: that the provider has this batch, and its reads may go.
///
/// A JWT signed with ES256 by the token key, with the header `"typ":"countertop-deletion+jwt"` and the claims `batchId`,
/// `iss`, `iat` and `exp`. On iOS the token is the payment provider's, and opaque.
@available(iOS 18.4, *)
public struct DeletionToken: Hashable, Sendable {
    /// The batch's identifier.
    public var batchID: String
    /// Who made it.
    public var issuer: String
    /// When it was made, to the second.
    public var issuedAt: Date
    /// From when on it is of no use, to the second.
    public var expires: Date

    /// A token's content.
    public init(batchID: String, issuer: String = "countertop", issuedAt: Date = Date(), expires: Date) {
        (self.batchID, self.issuer) = (batchID, issuer)
        (self.issuedAt, self.expires) = (issuedAt, expires)
    }

    private struct Claims: Codable {
        var batchId: String
        var iss: String?
        var iat: Double?
        var exp: Double
    }

    /// The signed token.
    public func signed(with key: P256PrivateKey) throws(CryptoError) -> StoreAndForwardBatchDeletionToken {
        let claims = Claims(
            batchId: batchID, iss: issuer, iat: issuedAt.timeIntervalSince1970.rounded(.down),
            exp: expires.timeIntervalSince1970.rounded(.down))
        return StoreAndForwardBatchDeletionToken(rawValue: try SignedClaims.deletion.sign(claims, with: key))
    }

    /// Reads a token and checks its signature and its time.
    ///
    /// - Parameters:
    ///   - token: the token as an app has it.
    ///   - key: the public key of whoever mints tokens.
    ///   - date: now; `exp` is compared with it, without a margin.
    /// - Throws: `storeAndForwardDeletionTokenInvalid`, `storeAndForwardDeletionTokenExpired`.
    public init(
        verifying token: StoreAndForwardBatchDeletionToken, with key: P256PublicKey, at date: Date
    ) throws(PaymentCardReaderStore.StoreError) {
        guard let claims = try? SignedClaims.deletion.verify(token.rawValue, as: Claims.self, with: key),
            !claims.batchId.isEmpty
        else { throw .storeAndForwardDeletionTokenInvalid }
        guard claims.exp > date.timeIntervalSince1970 else { throw .storeAndForwardDeletionTokenExpired }
        self.init(
            batchID: claims.batchId, issuer: claims.iss ?? "",
            issuedAt: Date(timeIntervalSince1970: claims.iat ?? 0), expires: Date(timeIntervalSince1970: claims.exp))
    }
}
