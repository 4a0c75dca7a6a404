// SPDX-License-Identifier: Apache-2.0

import Foundation
import ISO7816
import TestSupport
import Testing
import WalletCrypto

@Suite struct Ed25519Tests {
    /// RFC 8032, 7.1: seed, public key, message, signature.
    static let examples = [
        [
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595b"
                + "be24655141438e7a100b",
        ],
        [
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb430"
                + "2aeeb00d291612bb0c00",
        ],
        [
            "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716e"
                + "d28dc027beceea1ec40a",
        ],
    ].hidden

    @Test(arguments: examples) func `signatures of the standard's examples`(_ example: Hidden<[String]>) throws {
        let values = try example.value.map { try Hex.decode($0) }
        let key = try Ed25519PrivateKey(seed: SecretBytes(copying: values[0]))
        #expect(key.publicKey.bytes == values[1])
        #expect(try key.sign(values[2]) == values[3])
        #expect(key.publicKey.isValid(values[3], for: values[2]))
    }

    @Test func `a changed byte anywhere is no signature`() throws {
        let key = try Ed25519PrivateKey.generate()
        let message = Array("a tap".utf8)
        let signature = try key.sign(message)
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 1
            #expect(!key.publicKey.isValid(changed, for: message))
        }
        #expect(!key.publicKey.isValid(signature, for: message + [0]))
        #expect(!key.publicKey.isValid([], for: message))
        #expect(!key.publicKey.isValid(signature + [0], for: message))
    }

    @Test func `keys of other lengths are refused`() throws {
        for count in [0, 31, 33, 64] {
            #expect(throws: CryptoError.self) { try Ed25519PrivateKey(seed: SecretBytes.random(count)) }
            #expect(throws: CryptoError.self) { try Ed25519PublicKey([UInt8](repeating: 1, count: count)) }
        }
    }

    @Test func `a private key prints nothing`() throws {
        let key = try Ed25519PrivateKey(seed: SecretBytes(copying: [UInt8](repeating: 0x41, count: 32)))
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped] {
            #expect(!text.contains("AAAA") && !text.contains("65"))
        }
    }

    struct Exchange: Codable {
        var seed: String
        var message: String
        var signature: String
    }

    @Test(.enabled(if: Outside.python != nil, "COUNTERTOP_PYTHON is not set"))
    func `python-cryptography accepts ours, and we accept its`() throws {
        let ours = try (0..<8).map { number -> Exchange in
            let seed = RandomBytes.generate(32)
            let key = try Ed25519PrivateKey(seed: SecretBytes(copying: seed))
            let message = RandomBytes.generate(number * 37)
            return Exchange(
                seed: Hex.encode(seed), message: Hex.encode(message), signature: Hex.encode(try key.sign(message)))
        }
        let script = """
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
            result = []
            for entry in data:
                key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(entry["seed"]))
                message = bytes.fromhex(entry["message"])
                key.public_key().verify(bytes.fromhex(entry["signature"]), message)
                other = message + b"!"
                result.append({"seed": entry["seed"], "message": other.hex(), "signature": key.sign(other).hex()})
            print(json.dumps(result))
            """
        let theirs = try Outside.python(script, ours, as: [Exchange].self)
        #expect(theirs.count == ours.count)
        for entry in theirs {
            let key = try Ed25519PrivateKey(seed: SecretBytes(copying: try Hex.decode(entry.seed)))
            #expect(key.publicKey.isValid(try Hex.decode(entry.signature), for: try Hex.decode(entry.message)))
        }
    }
}
