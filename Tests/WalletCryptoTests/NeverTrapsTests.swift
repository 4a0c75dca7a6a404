// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import Testing
import WalletCrypto

/// Whatever the bytes, a parser gives a value or an error. Seeds are fixed, so a failure repeats.
struct NeverTrapsTests {
    func tryAll(_ bytes: [UInt8]) {
        _ = try? P256PrivateKey(reading: bytes)
        _ = try? P256PrivateKey(scalar: bytes)
        _ = try? P256PublicKey(x963: bytes)
        _ = try? P256PublicKey(xOnly: bytes)
        _ = try? P256PublicKey(subjectPublicKeyInfo: bytes)
        _ = try? P256PublicKey(pem: String(decoding: bytes, as: UTF8.self))
        _ = try? X509Certificate(reading: bytes)
        _ = try? CMS.verifyDetached(signature: bytes, content: [1], roots: [])
        _ = try? RSA.recover(bytes, modulus: bytes.reversed(), exponent: bytes.prefix(3))
        _ = try? AESGCM.open(ciphertext: bytes, tag: bytes.prefix(16), key: SecretBytes(copying: bytes), iv: bytes)
    }

    @Test func `random bytes of every length`() {
        var random = SeededRandom(seed: 1)
        for count in 0..<300 { tryAll(random.bytes(count)) }
        for _ in 0..<1000 {
            // Bytes that begin like DER get further.
            let body = random.bytes(Int.random(in: 0..<80, using: &random))
            tryAll([0x30, UInt8(body.count)] + body)
            tryAll([0x30, UInt8(body.count + 3), 2, 1, 1] + body)
        }
    }

    @Test func `mutated keys in each form`() throws {
        var random = SeededRandom(seed: 2)
        let key = try P256PrivateKey(scalar: [UInt8](repeating: 5, count: 32))
        let forms = [
            key.sec1PEM().array, key.pkcs8PEM().array, try PrivateKeyFormTests.der(key.sec1PEM()),
            try PrivateKeyFormTests.der(key.pkcs8PEM()), key.publicKey.subjectPublicKeyInfo(),
            key.publicKey.uncompressed, key.publicKey.compressed, Array(key.publicKey.pem().utf8),
        ]
        for form in forms {
            for _ in 0..<250 { tryAll(random.mutate(form)) }
        }
    }

    @Test func `mutated certificates and signatures never verify as something else`() throws {
        var random = SeededRandom(seed: 3)
        let authority = try TestAuthority()
        let content: [UInt8] = [1, 2, 3]
        let signature = try CMS.signDetached(
            content, key: authority.signerKey, certificate: authority.signer, intermediates: [authority.intermediate])
        for _ in 0..<600 {
            tryAll(random.mutate(authority.signer.der))
            let mutated = random.mutate(signature)
            let result = try? CMS.verifyDetached(signature: mutated, content: content, roots: [authority.root])
            // A change outside what is signed may pass, but then the signer is still the signer.
            if let signer = result?.signers.first, signer.trust == .trusted {
                #expect(signer.certificate.publicKey == authority.signer.publicKey)
            }
        }
    }
}
