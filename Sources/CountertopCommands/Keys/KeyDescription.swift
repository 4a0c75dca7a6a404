// SPDX-License-Identifier: Apache-2.0

internal import AppleVAS
internal import CounterServer
internal import Foundation
internal import ISO7816
internal import WalletCrypto

/// What is public about a key, in the forms that people need.
struct KeyDescription {
    let key: P256PublicKey
    let file: String

    private var keyID: String { VASKey.id(of: key).description }
    private var encryptionPublicKey: String { Data(key.subjectPublicKeyInfo()).base64EncodedString() }

    var json: JSON {
        .object([
            "file": .string(file), "keyId": .string(keyID), "encryptionPublicKey": .string(encryptionPublicKey),
            "x": .string(Hex.encode(key.x)), "compressed": .string(Hex.encode(key.compressed)),
            "uncompressed": .string(Hex.encode(key.uncompressed)), "pem": .string(key.pem()),
        ])
    }

    /// The short form after `key new`.
    var summary: [String] { ["keyId: \(keyID)", "encryptionPublicKey: \(encryptionPublicKey)"] }

    /// All forms.
    var text: [String] {
        let pem = key.pem().split(separator: "\n").map(String.init)
        return summary + ["x: \(Hex.encode(key.x))", "point: \(Hex.encode(key.compressed))"] + pem
    }
}
