// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import WalletCrypto

/// A key, and a phone whose pass is sealed for it, as files of one folder.
struct TestPhone {
    static let passType = "pass.com.example.club"

    let folder: TemporaryFolder
    let keyFile: String
    let message: String
    private let publicKey: String

    init(message: String = "MEMBER-1234") throws {
        folder = try TemporaryFolder()
        let key = try P256PrivateKey.generate()
        let pem = key.pkcs8PEM().withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        keyFile = try folder.write("pass.pem", pem)
        publicKey = Data(key.publicKey.subjectPublicKeyInfo()).base64EncodedString()
        self.message = message
    }

    /// Writes the phone's file, with more state as JSON members.
    func file(_ name: String = "phone.json", state: [String: Any] = [:]) throws -> String {
        let pass: [String: Any] = [
            "passTypeIdentifier": Self.passType, "nfc": ["message": message, "encryptionPublicKey": publicKey],
        ]
        let phone = state.merging(["passes": [pass]]) { $1 }
        let json = try JSONSerialization.data(withJSONObject: phone)
        return try folder.write(name, String(decoding: json, as: UTF8.self))
    }

    /// What every reading command is given.
    var readArguments: [String] { ["--pass", Self.passType, "--key", keyFile, "--json"] }
}
