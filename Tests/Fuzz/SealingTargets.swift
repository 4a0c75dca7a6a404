// SPDX-License-Identifier: Apache-2.0

import EMVContactless
import WalletCrypto

/// Sealed messages: the text as it is, as Base64, and as the header of a message whose other parts have right lengths.
@Sendable func fuzzJWE(_ bytes: [UInt8]) {
    guard let fuzzProviderKey else { return }
    let text = String(decoding: bytes, as: UTF8.self)
    let filler = [40, 12, 9, 16].map { Base64URL.encode([UInt8](repeating: 1, count: $0)) }
    let message = ([Base64URL.encode(bytes)] + filler).joined(separator: ".")
    for text in [text, message] {
        do throws(CryptoError) {
            _ = try ProviderSide.open(text, with: fuzzProviderKey)
        } catch {
            precondition(error.code != .internalFailure, "a message's fault is reported as ours")
        }
        guard let header = try? JWE.header(of: text) else { continue }
        let again = ([Base64URL.encode(Array(header.text.utf8))] + filler).joined(separator: ".")
        precondition((try? JWE.header(of: again)) == header, "a header does not survive writing and reading")
    }
    if let decoded = Base64URL.decode(text) {
        precondition(Base64URL.encode(decoded) == text, "a value has two texts")
    }
}

/// The provider key of the fuzz target: the number 2. The corpus is sealed to it.
private let fuzzProviderKey = try? P256PrivateKey(scalar: [UInt8](repeating: 0, count: 31) + [2])
