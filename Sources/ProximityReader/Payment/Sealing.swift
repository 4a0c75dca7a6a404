// SPDX-License-Identifier: Apache-2.0

internal import EMVContactless
internal import EmulatedWallet
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
    /// What sessions on a reader read with: where its cards are emulated, their authorities too. The names of vpcd's
    /// readers begin with `Virtual PCD` (vsmartcard, virtualsmartcard/src/vpcd).
    func configuration(for reader: ReaderChoice, named name: String) throws(EMVError) -> EMVConfiguration {
        let isEmulated = reader.isEmulated || name.hasPrefix("Virtual PCD")
        guard trustsEmulatedCards, isEmulated, configuration.authorities.use == .test else {
            return configuration
        }
        var configuration = configuration
        var keys = try AuthorityKeys(json: Data(EmulatedCards.authorityKeysJSON.utf8))
        // The application's own keys win.
        try keys.add(configuration.authorities)
        configuration.authorities = keys
        return configuration
    }

    /// The key to seal to, and whether somebody can open it.
    func sealingKey() throws(CryptoError) -> ProviderKey {
        if let provider { return provider }
        // Its private half is forgotten here.
        return try ProviderKey(pem: P256PrivateKey.generate().publicKey.pem(), id: "nobody")
    }
}
