// SPDX-License-Identifier: Apache-2.0

public import struct Foundation.Date

/// What a store-and-forward session says of itself.
@available(iOS 18.4, *)
public struct StoreAndForwardStatus: Hashable, Sendable {
    /// How many reads the store holds, those of earlier sessions and of a batch with them.
    public let readCount: Int
    /// Until when the session takes reads.
    public let expiration: Date

    /// What a session makes; apps cannot.
    package init(readCount: Int, expiration: Date) {
        (self.readCount, self.expiration) = (readCount, expiration)
    }
}

/// Stored reads on their way to the payment provider, signed by the device.
///
/// What is signed, byte by byte, is in the article Choices, under Batches.
@available(iOS 18.4, *)
public struct StoreAndForwardBatch: Sendable, Encodable, Identifiable {
    /// The batch's identifier, which a deletion token names.
    public let id: String
    /// How many reads it holds.
    public let count: Int
    /// Base64 of the 64 bytes of an ES256 signature by the leaf certificate's key, over the reads' signatures.
    public let signature: String
    /// The certificates between the leaf and the root, the leaf's issuer first: Base64 of DER.
    public let intermediateCertificate: [String]
    /// The device's certificate: Base64 of DER.
    public let leafCertificate: String
    /// The reads, oldest first.
    public let payments: [StoredPaymentCardReadResult]

    /// What the store makes; apps cannot.
    package init(
        id: String, signature: String, intermediateCertificate: [String], leafCertificate: String,
        payments: [StoredPaymentCardReadResult]
    ) {
        (self.id, self.signature, self.payments) = (id, signature, payments)
        (self.intermediateCertificate, self.leafCertificate) = (intermediateCertificate, leafCertificate)
        count = payments.count
    }

    /// One stored read.
    public struct StoredPaymentCardReadResult: Sendable, Encodable, Identifiable {
        /// The identifier that its result had.
        public let id: String
        /// As in its result: Base64, sealed for the provider.
        public let paymentCardData: String
        /// As in its result: Base64 of TLV.
        public let generalCardData: String
        /// Base64 of the 64 bytes of an ES256 signature by the leaf certificate's key.
        public let signature: String

        /// What the store makes; apps cannot.
        package init(id: String, paymentCardData: String, generalCardData: String, signature: String) {
            (self.id, self.signature) = (id, signature)
            (self.paymentCardData, self.generalCardData) = (paymentCardData, generalCardData)
        }
    }
}

/// The provider's word that it has a batch. Nothing is checked before it is used.
@available(iOS 18.4, *)
public struct StoreAndForwardBatchDeletionToken: RawRepresentable, Hashable, Sendable {
    /// The token as the provider gave it.
    public let rawValue: String

    /// Takes any string.
    public init(rawValue: String) { self.rawValue = rawValue }
}
