// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import ISO7816
import TestSupport
import Testing
import WalletCrypto

@testable import InAppProvisioning

/// 2,000 envelopes against python-cryptography, half in each direction.
@Suite("Against python-cryptography", .enabled(if: Outside.python != nil, "COUNTERTOP_PYTHON is not set"))
struct PythonTests {
    private struct Envelope: Codable {
        var leaf: String?
        var key, data, text: String
        var short = false
    }

    private struct Input: Codable {
        var leaf: String
        var seed = 7
        var envelopes: [Envelope] = []
    }

    private static let derive = """
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        from cryptography.hazmat.primitives.kdf.concatkdf import ConcatKDFHash
        def cipher(secret, point):
            info = b'\\x0did-aes256-GCM' + b'Apple' + point
            return AESGCM(ConcatKDFHash(hashes.SHA256(), 32, info).derive(secret))

        """

    @Test func `ours seals, python opens`() throws {
        let leaf = try P256PrivateKey(scalar: [UInt8](repeating: 0x21, count: 32))
        var random = SeededRandom(seed: 21)
        var input = Input(leaf: Hex.encode([UInt8](repeating: 0x21, count: 32)))
        for _ in 0..<1000 {
            let text = random.bytes(Int.random(in: 0..<700, using: &random))
            let sealed = try ECCv2.seal(text, to: leaf.publicKey)
            input.envelopes.append(
                Envelope(
                    key: Hex.encode(sealed.ephemeralPublicKey), data: Hex.encode(sealed.encryptedPassData),
                    text: Hex.encode(text)))
        }
        // Keys whose coordinates or secret begin with zero bytes, however rare they are.
        var (found, number) = ((x: 0, y: 0, z: 0), UInt32(1))
        while found.x < 2 || found.y < 2 || found.z < 2 {
            number += 1
            let ephemeral = try P256PrivateKey(scalar: Digest.sha256("\(number)".utf8))
            let isShort = (
                ephemeral.publicKey.x[0] == 0, ephemeral.publicKey.y[0] == 0,
                try ephemeral.sharedSecret(with: leaf.publicKey).bytes[0] == 0
            )
            guard isShort.0 || isShort.1 || isShort.2 else { continue }
            found = (
                found.x + (isShort.0 ? 1 : 0), found.y + (isShort.1 ? 1 : 0), found.z + (isShort.2 ? 1 : 0)
            )
            let sealed = try ECCv2.seal([1, 2, 3], to: leaf.publicKey, ephemeral: ephemeral)
            input.envelopes.append(
                Envelope(
                    key: Hex.encode(sealed.ephemeralPublicKey), data: Hex.encode(sealed.encryptedPassData),
                    text: "010203"))
        }
        let script =
            Self.derive + """
                leaf = ec.derive_private_key(int(data['leaf'], 16), ec.SECP256R1())
                opened = []
                for envelope in data['envelopes']:
                    point = bytes.fromhex(envelope['key'])
                    secret = leaf.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point))
                    opened.append(cipher(secret, point).decrypt(bytes(12), bytes.fromhex(envelope['data']), None).hex())
                print(json.dumps(opened))
                """
        let opened = try Outside.python(script, input, as: [String].self)
        #expect(opened == input.envelopes.map { $0.text.lowercased() })
    }

    @Test func `python seals, ours opens`() throws {
        let script =
            Self.derive + """
                import random
                number = random.Random(data['seed'])
                leaf = ec.derive_private_key(int(data['leaf'], 16), ec.SECP256R1())
                made, edges = [], 0
                for i in range(4000):
                    ephemeral = ec.derive_private_key(number.randrange(1, 2**255), ec.SECP256R1())
                    public = ephemeral.public_key().public_numbers()
                    secret = ephemeral.exchange(ec.ECDH(), leaf.public_key())
                    short = secret[0] == 0 or public.x < 2**248 or public.y < 2**248
                    edges += short
                    if i >= 1000 and not short:
                        continue
                    point = b'\\x04' + public.x.to_bytes(32, 'big') + public.y.to_bytes(32, 'big')
                    text = number.randbytes(number.randrange(700))
                    made.append({'key': point.hex(), 'data': cipher(secret, point).encrypt(bytes(12), text, None).hex(),
                                 'text': text.hex(), 'short': short})
                assert edges > 20
                print(json.dumps(made))
                """
        let scalar = [UInt8](repeating: 0x42, count: 32)
        let made = try Outside.python(script, Input(leaf: Hex.encode(scalar)), as: [Envelope].self)
        let leaf = try P256PrivateKey(scalar: scalar)
        #expect(made.count >= 1000 && made.count { $0.short } > 20)
        for envelope in made {
            let sealed = SealedPass(
                encryptedPassData: try Hex.decode(envelope.data), ephemeralPublicKey: try Hex.decode(envelope.key))
            #expect(try ECCv2.open(sealed, with: leaf).hex == envelope.text)
        }
    }
}
