// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import ISO7816
import TestSupport
import Testing

@testable import WalletCrypto

/// Messages against an implementation written in Python on python-cryptography's primitives, in both directions.
@Suite(.enabled(if: Outside.python != nil, "COUNTERTOP_PYTHON is not set"))
struct JWECrossTests {
    private struct Message: Codable {
        var scalar, apu, apv, text, jwe: String
        var extra = ""
    }

    private struct Wrapped: Codable {
        var wrapping, key, wrapped: String
    }

    /// The other side: RFC 7516 and RFC 7518 in forty lines.
    private static let script = """
        import base64, os, random
        from cryptography.hazmat.primitives import hashes, keywrap
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        from cryptography.hazmat.primitives.kdf.concatkdf import ConcatKDFHash
        def b64(b): return base64.urlsafe_b64encode(b).rstrip(b"=").decode()
        def un64(t): return base64.urlsafe_b64decode(t + "=" * (-len(t) % 4))
        def info(header):
            u, v = un64(header.get("apu", "")), un64(header.get("apv", ""))
            size = lambda b: len(b).to_bytes(4, "big") + b
            return size(header["alg"].encode()) + size(u) + size(v) + (256).to_bytes(4, "big")
        def public(jwk):
            x, y = (int.from_bytes(un64(jwk[n]), "big") for n in "xy")
            return ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()
        def kek(private, other, header):
            secret = private.exchange(ec.ECDH(), other)
            return ConcatKDFHash(hashes.SHA256(), 32, info(header)).derive(secret)
        def open_jwe(text, private):
            parts = text.split(".")
            header = json.loads(un64(parts[0]))
            assert header["alg"] == "ECDH-ES+A256KW" and header["enc"] == "A256GCM"
            wrapped, iv, body, tag = map(un64, parts[1:])
            key = keywrap.aes_key_unwrap(kek(private, public(header["epk"]), header), wrapped)
            return header, AESGCM(key).decrypt(iv, body + tag, parts[0].encode())
        def seal_jwe(text, to, header, indent):
            ephemeral = ec.generate_private_key(ec.SECP256R1())
            numbers = ephemeral.public_key().public_numbers()
            coordinate = lambda n: b64(n.to_bytes(32, "big"))
            header["epk"] = {"y": coordinate(numbers.y), "crv": "P-256", "kty": "EC", "x": coordinate(numbers.x)}
            header.update(alg="ECDH-ES+A256KW", enc="A256GCM")
            first = b64(json.dumps(header, indent=indent).encode())
            key, iv = os.urandom(32), os.urandom(12)
            sealed = AESGCM(key).encrypt(iv, text, first.encode())
            wrapped = keywrap.aes_key_wrap(kek(ephemeral, to, header), key)
            return ".".join([first, b64(wrapped), b64(iv), b64(sealed[:-16]), b64(sealed[-16:])])

        """

    @Test func `ours opens there, theirs opens here`() throws {
        var random = SeededRandom(seed: 71)
        var messages: [Message] = []
        for index in 0..<400 {
            let scalar = [1] + random.bytes(31)
            let key = try P256PrivateKey(scalar: scalar)
            var parameters = JWE.Parameters()
            parameters.partyU = random.bytes(index % 40)
            parameters.partyV = random.bytes(index % 33)
            let extra = String(decoding: random.bytes(index % 30), as: UTF8.self)
            parameters.more = [JOSEMember("x-\(index)", .string(extra))]
            let text = random.bytes(Int.random(in: 0..<400, using: &random))
            messages.append(
                Message(
                    scalar: Hex.string(scalar), apu: Base64URL.encode(parameters.partyU),
                    apv: Base64URL.encode(parameters.partyV), text: Hex.string(text),
                    jwe: try JWE.seal(SecretBytes(copying: text), to: key.publicKey, parameters: parameters),
                    extra: extra))
        }
        let script =
            Self.script + """
                back = []
                for number, case in enumerate(data):
                    private = ec.derive_private_key(int(case["scalar"], 16), ec.SECP256R1())
                    header, text = open_jwe(case["jwe"], private)
                    assert text.hex() == case["text"] and header["x-%d" % number] == case["extra"]
                    assert header.get("apu", "") == case["apu"] and header.get("apv", "") == case["apv"]
                    again = {"apv": case["apv"], "apu": case["apu"], "n": [number, 0.5, None, {"é": "\\\\"}]}
                    case["jwe"] = seal_jwe(text, private.public_key(), again, [None, 2, 1][number % 3])
                    back.append(case)
                print(json.dumps(back))
                """
        let back = try Outside.python(script, messages, as: [Message].self)
        #expect(back.count == messages.count)
        for (index, message) in back.enumerated() {
            let opened = try JWE.open(message.jwe, with: P256PrivateKey(scalar: Hex.bytes(message.scalar)))
            #expect(Hex.string(opened.plaintext) == message.text)
            let list: [JOSEValue] = [
                .integer(index), .number("0.5"), .null, .object([JOSEMember("é", .string("\\"))]),
            ]
            #expect(opened.header["n"] == .array(list))
        }
    }

    @Test func `key wrap gives what Python gives`() throws {
        let script = """
            import os
            from cryptography.hazmat.primitives import keywrap
            made = []
            for number in range(300):
                wrapping, key = os.urandom([16, 24, 32][number % 3]), os.urandom(16 + 8 * (number % 13))
                wrapped = keywrap.aes_key_wrap(wrapping, key)
                made.append({"wrapping": wrapping.hex(), "key": key.hex(), "wrapped": wrapped.hex()})
            print(json.dumps(made))
            """
        for entry in try Outside.python(script, [0], as: [Wrapped].self) {
            let wrapping = SecretBytes(copying: try Hex.bytes(entry.wrapping))
            let key = SecretBytes(copying: try Hex.bytes(entry.key))
            #expect(Hex.string(try AESKeyWrap.wrap(key, with: wrapping)) == entry.wrapped)
            #expect(try AESKeyWrap.unwrap(Hex.bytes(entry.wrapped), with: wrapping) == key)
        }
    }
}
