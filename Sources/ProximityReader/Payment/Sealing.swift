// SPDX-License-Identifier: Apache-2.0

internal import EMVContactless
internal import Foundation
internal import WalletCrypto

/// Seals one session's reads: for the provider, bound to reader and merchant.
struct Sealing: Sendable {
    let envelope: PaymentEnvelope

    /// What was read, sealed. The card's data are overwritten, whatever comes of it.
    func seal(_ read: EMVReadResult, transactionID: String, at date: Date) throws(CryptoError) -> SealedRead {
        defer { read.data.erase() }
        return try envelope.seal(read, transactionID: transactionID, at: date)
    }
}

extension PaymentSetup {
    /// What sessions on this reader read with.
    func configuration(for reader: ReaderChoice) -> EMVConfiguration { configuration }

    /// The key to seal to, and whether somebody can open it.
    func sealingKey() throws(CryptoError) -> ProviderKey {
        if let provider { return provider }
        // Its private half is forgotten here.
        return try ProviderKey(pem: P256PrivateKey.generate().publicKey.pem(), id: "nobody")
    }
}
