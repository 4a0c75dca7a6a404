// SPDX-License-Identifier: Apache-2.0

import AppleVAS
import ISO7816
import WalletCrypto

/// Answers to SELECT and to GET VAS DATA; what was read never has more bytes than there were.
@Sendable func fuzzVASAnswer(_ bytes: [UInt8]) {
    let selection = VASSelection(data: bytes)
    precondition(selection.data == bytes, "the answer's bytes are lost")
    _ = (selection.oddities.map(\.description), selection.isApple)
    guard let response = try? ResponseAPDU(bytes) else { return }
    for urlOnly in [false, true] {
        let merchant = VASMerchant(passTypeIdentifier: "pass.com.example.club", urlOnly: urlOnly)
        let entry = VASEntry(merchant: merchant, response: response)
        precondition((entry.cryptogram?.count ?? 0) <= bytes.count, "more bytes than there were")
        _ = (entry.oddities.map(\.description), entry.status.description)
    }
}

/// Pass data, as it is and with the key id of a key that is there, so that it reaches the cryptography.
@Sendable func fuzzVASCryptogram(_ bytes: [UInt8]) {
    guard let ring = fuzzRing, let id = ring.keyIDs(for: "pass.com.example.club").first else { return }
    for cryptogram in [bytes, id.bytes + bytes.dropFirst(4)] {
        guard case .failure(let failure) = ring.decrypt(cryptogram, passTypeIdentifier: "pass.com.example.club")
        else { continue }
        precondition(failure.cryptogram == cryptogram, "the undecryptable bytes are lost")
        precondition(failure.code != .internalFailure, "a payload's fault is reported as ours")
    }
}

private let fuzzRing: VASKeyRing? = {
    guard let key = try? P256PrivateKey(scalar: [UInt8](repeating: 0x11, count: 32)) else { return nil }
    var ring = VASKeyRing()
    ring.add(key, passTypeIdentifier: "pass.com.example.club")
    return ring
}()
