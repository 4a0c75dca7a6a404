// SPDX-License-Identifier: Apache-2.0

import Foundation
import ISO7816
import Testing
import WalletCrypto

/// The cryptography of Wallet's VAS payloads, step by step, on published vectors.
@Suite(.enabled(if: Vectors.folder != nil, "COUNTERTOP_VECTORS is not set"))
struct VectorTests {
    @Test func `each VAS vector gives its secret, its key and its plaintext`() throws {
        let file = try Vectors.load()
        #expect(!file.allVectors.isEmpty)
        for vector in file.allVectors {
            let named = try #require(file.allKeys.first { $0.name == vector.key })
            let key = try P256PrivateKey(scalar: Hex.bytes(named.privateScalar))
            let z = try key.sharedSecret(withX: Hex.bytes(vector.ephemeralX))
            #expect(Hex.string(z) == vector.ecdhZ, "\(vector.id)")
            #expect(try key.sharedSecret(with: P256PublicKey(xOnly: Hex.bytes(vector.ephemeralX))) == z)
            let derived = try X963KDF.sha256(
                sharedSecret: z, sharedInfo: Hex.bytes(vector.kdfSharedInfo), count: 32)
            #expect(Hex.string(derived) == vector.aesKey, "\(vector.id)")
            let plaintext = try AESGCM.open(
                ciphertext: Hex.bytes(vector.ciphertext), tag: Hex.bytes(vector.tag), key: derived,
                iv: Hex.bytes(vector.iv), aad: Hex.bytes(vector.aad))
            #expect(Hex.string(plaintext) == vector.plaintext, "\(vector.id)")
        }
    }

    @Test func `each key has its public forms and its identifier`() throws {
        for named in try Vectors.load().allKeys {
            let key = try P256PrivateKey(scalar: Hex.bytes(named.privateScalar)).publicKey
            #expect(Hex.string(key.uncompressed) == named.publicUncompressed)
            #expect(Hex.string(key.compressed) == named.publicCompressed)
            #expect(Hex.string(Array(Digest.sha256(key.x).prefix(4))) == named.keyId)
            #expect(Data(key.subjectPublicKeyInfo()).base64EncodedString() == named.encryptionPublicKeyPassJson)
        }
    }
}
