// SPDX-License-Identifier: Apache-2.0

public import BERTLV
public import Foundation
internal import ISO7816
public import WalletCrypto

/// A read in the form in which it leaves the reader.
public struct SealedRead: Hashable, Sendable {
    /// Base64 of a JWE that the provider alone can open.
    public let paymentCardData: String
    /// Base64 of BER-TLV objects in the clear; no account number, name, expiry or cryptogram among them.
    public let generalCardData: String
}

/// Seals reads to a payment provider.
///
/// An envelope of this package's own, of standard parts: Apple's format is not public, and this is not it. What is
/// sealed is BER-TLV; the reader's and the merchant's ids enter the key derivation, so that what was sealed for one
/// merchant does not open as another's. A value; any thread may use it.
public struct PaymentEnvelope: Sendable {
    /// `typ` of what is sealed.
    public static let type = "emv-read+jwe"
    /// `cty` of what is sealed.
    public static let contentType = "application/vnd.emv-tlv"

    /// Who can open it.
    public let provider: ProviderKey
    /// The reader, `apu`.
    public let readerID: String
    /// The merchant, `apv`.
    public let merchantID: String
    /// What stands in the clear, in this order. Tags outside ``SealedTags/generalAllowed`` are left out all the same.
    public var generalTags: [TLVTag] = SealedTags.general

    /// An envelope for one reader of one merchant.
    public init(provider: ProviderKey, readerID: String, merchantID: String) {
        (self.provider, self.readerID, self.merchantID) = (provider, readerID, merchantID)
    }

    /// Seals a read and overwrites its card data, also when that fails.
    /// - Parameters:
    ///   - transactionID: `txn` in the header, readable by anybody.
    ///   - date: `iat` in the header, whole seconds.
    public func seal(
        _ read: EMVReadResult, transactionID: String, at date: Date
    ) throws(CryptoError) -> SealedRead {
        try seal(read, transactionID: transactionID, at: date, secrets: nil)
    }

    /// The same with fixed secrets, for known answers.
    package func seal(
        _ read: EMVReadResult, transactionID: String, at date: Date, secrets: JWE.Secrets?
    ) throws(CryptoError) -> SealedRead {
        defer { read.data.erase() }
        let isMagStripeMode =
            read.outcome.value == .onlineRequest && read.outcome.reason.code == EMVReason.magStripeMode.code
        let record = read.dataRecord(SealedTags.sealed + (isMagStripeMode ? SealedTags.sealedInMagStripeMode : []))
        let general = Base64.encode(GeneralCardData(read, tags: generalTags).bytes)
        let jwe = try JWE.seal(
            record, to: provider.publicKey, parameters: parameters(transactionID, date), secrets: secrets)
        return SealedRead(paymentCardData: Base64.encode(jwe.utf8), generalCardData: general)
    }

    private func parameters(_ transactionID: String, _ date: Date) -> JWE.Parameters {
        var parameters = JWE.Parameters()
        (parameters.type, parameters.contentType) = (Self.type, Self.contentType)
        parameters.keyID = provider.id
        (parameters.partyU, parameters.partyV) = (Array(readerID.utf8), Array(merchantID.utf8))
        let seconds = Int(exactly: date.timeIntervalSince1970.rounded(.down)) ?? 0
        parameters.more = [JOSEMember("txn", .string(transactionID)), JOSEMember("iat", .integer(seconds))]
        return parameters
    }
}
