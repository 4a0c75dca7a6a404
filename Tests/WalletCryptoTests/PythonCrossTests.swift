// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import ISO7816
import TestSupport
import Testing
import WalletCrypto

/// The same results as python-cryptography, in both directions.
@Suite(.enabled(if: Outside.python != nil, "COUNTERTOP_PYTHON is not set"))
struct PythonCrossTests {
    private struct Agreement: Codable {
        var scalar, peer, secret: String
    }

    /// Keys enough that X with leading zero bytes are among them; three more are searched for.
    @Test func `ECDH gives the same secrets, leading zeros included`() throws {
        let script = """
            import random
            from cryptography.hazmat.primitives.asymmetric import ec
            made = []
            def pair(d):
                key = ec.derive_private_key(d, ec.SECP256R1())
                return key, key.public_key().public_numbers()
            fixed = ec.derive_private_key(data[0], ec.SECP256R1())
            number = random.Random(data[1])
            short = 0
            for i in range(4000):
                d = number.randrange(1, 2**255)
                key, public = pair(d)
                secret = key.exchange(ec.ECDH(), fixed.public_key())
                edge = secret[0] == 0 or public.x < 2**248
                if i < 100 or edge:
                    made.append({"scalar": "%064x" % data[0], "peer": "%064x" % public.x, "secret": secret.hex()})
                short += edge
            assert short > 8
            print(json.dumps(made))
            """
        let agreements = try Outside.python(script, [0x1234_5678, 42], as: [Agreement].self)
        #expect(agreements.contains { $0.secret.hasPrefix("00") })
        #expect(agreements.contains { $0.peer.hasPrefix("00") })
        for agreement in agreements {
            let key = try P256PrivateKey(scalar: Hex.bytes(agreement.scalar))
            #expect(Hex.string(try key.sharedSecret(withX: Hex.bytes(agreement.peer))) == agreement.secret)
        }
    }

    private struct Sealed: Codable {
        var z, info, iv, aad, text: String
        var count = 32
        var x963, concat, hkdf, ciphertext: String
    }

    @Test func `derivations and AES-GCM give the same bytes`() throws {
        var random = SeededRandom(seed: 11)
        var cases: [Sealed] = []
        for index in 0..<300 {
            let z = random.bytes(32)
            let info = random.bytes(Int.random(in: 0..<100, using: &random))
            let (secret, keyCount) = (SecretBytes(copying: z), [16, 24, 32][index % 3])
            let key = try X963KDF.sha256(sharedSecret: secret, sharedInfo: info, count: keyCount)
            let iv = random.bytes(index % 2 == 0 ? 12 : 16)
            let aad = random.bytes(Int.random(in: 0..<40, using: &random))
            let text = random.bytes(Int.random(in: 0..<100, using: &random))
            let sealed = try AESGCM.seal(text, key: key, iv: iv, aad: aad)
            cases.append(
                Sealed(
                    z: Hex.string(z), info: Hex.string(info), iv: Hex.string(iv), aad: Hex.string(aad),
                    text: Hex.string(text), count: keyCount, x963: Hex.string(key),
                    concat: Hex.string(try ConcatKDF.sha256(sharedSecret: secret, otherInfo: info, count: 77)),
                    hkdf: Hex.string(try HKDF.sha256(inputKey: secret, salt: iv, info: info, count: 77)),
                    ciphertext: Hex.string(sealed.ciphertext + sealed.tag)))
        }
        let script = """
            from cryptography.hazmat.primitives import hashes
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM
            from cryptography.hazmat.primitives.kdf.concatkdf import ConcatKDFHash
            from cryptography.hazmat.primitives.kdf.hkdf import HKDF
            from cryptography.hazmat.primitives.kdf.x963kdf import X963KDF
            wrong = []
            for number, case in enumerate(data):
                b = {name: bytes.fromhex(value) for name, value in case.items() if name != "count"}
                sha = hashes.SHA256()
                ok = X963KDF(sha, case["count"], b["info"]).derive(b["z"]) == b["x963"]
                ok &= ConcatKDFHash(sha, 77, b["info"]).derive(b["z"]) == b["concat"]
                ok &= HKDF(sha, 77, b["iv"], b["info"]).derive(b["z"]) == b["hkdf"]
                ok &= AESGCM(b["x963"]).encrypt(b["iv"], b["text"], b["aad"]) == b["ciphertext"]
                if not ok: wrong.append(number)
            print(json.dumps(wrong))
            """
        #expect(try Outside.python(script, cases, as: [Int].self) == [])
    }

    private struct Signed: Codable {
        var pem, publicPEM, message, signature: String
    }

    @Test func `ES256 signatures are taken both ways`() throws {
        var ours: [Signed] = []
        for index in 0..<30 {
            let key = try P256PrivateKey.generate()
            let message = RandomBytes.generate(index * 7)
            let pem = index % 2 == 0 ? key.sec1PEM().text : key.pkcs8PEM().text
            let signature = Hex.string(try key.signES256(message))
            ours.append(
                Signed(pem: pem, publicPEM: key.publicKey.pem(), message: Hex.string(message), signature: signature))
        }
        let script = """
            from cryptography.hazmat.primitives import hashes, serialization
            from cryptography.hazmat.primitives.asymmetric import ec, utils
            back = []
            for case in data:
                key = serialization.load_pem_private_key(case["pem"].encode(), None)
                public = serialization.load_pem_public_key(case["publicPEM"].encode())
                assert key.public_key().public_numbers() == public.public_numbers()
                message, signature = bytes.fromhex(case["message"]), bytes.fromhex(case["signature"])
                r, s = (int.from_bytes(part, "big") for part in (signature[:32], signature[32:]))
                public.verify(utils.encode_dss_signature(r, s), message, ec.ECDSA(hashes.SHA256()))
                r, s = utils.decode_dss_signature(key.sign(message, ec.ECDSA(hashes.SHA256())))
                case["signature"] = "%064x%064x" % (r, s)
                back.append(case)
            print(json.dumps(back))
            """
        for entry in try Outside.python(script, ours, as: [Signed].self) {
            let key = try P256PublicKey(pem: entry.publicPEM)
            #expect(key.isValidES256(try Hex.bytes(entry.signature), for: try Hex.bytes(entry.message)))
        }
    }

    private struct Operation: Codable {
        var modulus, exponent, data, result: String
    }

    @Test func `RSA recovers what Python's numbers give`() throws {
        let script = """
            import random
            from cryptography.hazmat.primitives.asymmetric import rsa
            number, made = random.Random(data[0]), []
            for bits in (1024, 1152, 1408, 1984):
                for e in (3, 65537):
                    n = rsa.generate_private_key(e, bits).public_key().public_numbers().n
                    m = number.randrange(0, n)
                    h = lambda v: "%0*x" % (bits // 4, v)
                    made.append({"modulus": h(n), "exponent": "%06x" % e, "data": h(m), "result": h(pow(m, e, n))})
            print(json.dumps(made))
            """
        for entry in try Outside.python(script, [5], as: [Operation].self) {
            let recovered = try RSA.recover(
                Hex.bytes(entry.data), modulus: Hex.bytes(entry.modulus), exponent: Hex.bytes(entry.exponent))
            #expect(Hex.string(recovered) == entry.result)
        }
    }
}
