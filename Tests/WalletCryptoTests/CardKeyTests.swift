// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import ISO7816
import TestSupport
import Testing
import WalletCrypto

private func secret(_ text: String) throws -> SecretBytes { SecretBytes(copying: try Hex.bytes(text)) }

struct CardKeyTests {
    @Test func `triple DES with two keys`() throws {
        // NIST SP 800-20's keying option 2 with K1 = K3, computed with OpenSSL's command; single DES is K1 = K2.
        let single = try secret("0123456789ABCDEF0123456789ABCDEF")
        #expect(try Hex.string(TripleDES.encrypt(Hex.bytes("4E6F772069732074"), key: single)) == "3fa40e8a984d4815")
        let key = try secret("0123456789ABCDEFFEDCBA9876543210")
        let text = try Hex.bytes("00112233445566778899AABBCCDDEEFF")
        #expect(try TripleDES.decrypt(TripleDES.encrypt(text, key: key), key: key) == text)
        #expect(try TripleDES.decryptCBC(TripleDES.encryptCBC(text, key: key), key: key) == text)
        let (block, chained) = (try TripleDES.encrypt(text, key: key), try TripleDES.encryptCBC(text, key: key))
        #expect(block.prefix(8) == chained.prefix(8) && block.suffix(8) != chained.suffix(8))
        #expect(try TripleDES.encrypt([], key: key).isEmpty)
    }

    @Test func `what triple DES refuses`() throws {
        let key = try secret("0123456789ABCDEFFEDCBA9876543210")
        for (text, iv, key) in [
            ([1, 2, 3], [UInt8](repeating: 0, count: 8), key), ([UInt8](repeating: 0, count: 8), [1, 2], key),
            ([UInt8](repeating: 0, count: 8), [UInt8](repeating: 0, count: 8), try secret("00112233")),
        ] {
            #expect(throws: CryptoError.self) { try TripleDES.encryptCBC(text, key: key, iv: iv) }
        }
        #expect(throws: CryptoError.self) { try RetailMAC.authenticate([1], key: SecretBytes(copying: [1, 2])) }
    }

    @Test(.enabled(if: Vectors.folder != nil, "COUNTERTOP_VECTORS is not set"))
    func `retail MAC vectors`() throws {
        struct File: Decodable {
            struct Row: Decodable {
                var key, ascii, mac: String
                var padding: Int
            }
            struct Fixture: Decodable {
                struct Derived: Decodable { var sessionKey, arqcMethod2Padding: String }
                var cdol1: String
                var derived: Derived
            }
            var retailMAC: [Row]
            var proxmark3HostFixture: Fixture
        }
        let path = (Vectors.folder ?? "") + "/emv/cryptogram/cvc3-and-mac.json"
        let file = try JSONDecoder().decode(File.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        for row in file.retailMAC {
            let padding = try #require(RetailMAC.Padding(rawValue: row.padding))
            let mac = try RetailMAC.authenticate(Array(row.ascii.utf8), key: secret(row.key), padding: padding)
            #expect(Hex.encode(mac) == row.mac)
        }
        let fixture = file.proxmark3HostFixture
        let mac = try RetailMAC.authenticate(
            Hex.bytes(fixture.cdol1), key: secret(fixture.derived.sessionKey), padding: .method2)
        #expect(Hex.encode(mac) == fixture.derived.arqcMethod2Padding)
    }

    @Test(arguments: [(512, 3), (1024, 3), (1152, 65537), (1408, 3)] as [(Int, UInt)])
    func `an RSA key signs what its public half recovers`(bits: Int, exponent: UInt) throws {
        let key = try RSAPrivateKey.generate(bits: bits, exponent: exponent)
        #expect(key.modulus.count == bits / 8 && key.publicExponent == (exponent == 3 ? [3] : [1, 0, 1]))
        let again = try RSAPrivateKey(
            modulus: key.modulus, privateExponent: key.privateExponent().array, publicExponent: key.publicExponent)
        for _ in 0..<5 {
            let block = [0x6A] + RandomBytes.generate(bits / 8 - 2) + [0xBC]
            let reduced = block.lexicographicallyPrecedes(key.modulus) ? block : [0] + block.dropFirst()
            let signature = try key.sign(rawBlock: reduced)
            #expect(try again.sign(rawBlock: reduced) == signature)
            #expect(try RSA.recover(signature, modulus: key.modulus, exponent: key.publicExponent) == reduced)
        }
        let other = try RSAPrivateKey.generate(bits: bits, exponent: exponent)
        #expect(throws: CryptoError.self) {
            try RSAPrivateKey(
                modulus: other.modulus, privateExponent: key.privateExponent().array,
                publicExponent: key.publicExponent)
        }
    }

    @Test func `what RSA keys refuse, and that they are not printed`() throws {
        for (bits, exponent) in [(504, 3), (1025, 3), (1024, 5), (8192, 3), (-8, 3)] as [(Int, UInt)] {
            #expect(throws: CryptoError.self) { try RSAPrivateKey.generate(bits: bits, exponent: exponent) }
        }
        let key = try RSAPrivateKey.generate(bits: 512)
        #expect(throws: CryptoError.self) { try key.sign(rawBlock: [1, 2, 3]) }
        #expect(throws: CryptoError.self) { try key.sign(rawBlock: [UInt8](repeating: 255, count: 64)) }
        for modulus in [[], [UInt8](repeating: 0, count: 64), [UInt8](repeating: 2, count: 64)] as [[UInt8]] {
            #expect(throws: CryptoError.self) {
                try RSAPrivateKey(modulus: modulus, privateExponent: [3], publicExponent: [3])
            }
        }
        var text = "\(key) \(String(reflecting: key))"
        dump(key, to: &text)
        #expect(text.contains("512 bits") && !text.contains("modulus"))
    }
}

@Suite(.enabled(if: Outside.python != nil, "COUNTERTOP_PYTHON is not set"))
struct CardKeyCrossTests {
    private struct Case: Codable {
        var key, text, ecb, cbc, mac1, mac2: String
    }

    @Test func `triple DES and retail MAC give what Python gives`() throws {
        var random = SeededRandom(seed: 33)
        var cases: [Case] = []
        for index in 0..<200 {
            let (key, text) = (random.bytes(16), random.bytes(index))
            let blocks = Array(text.prefix(index / 8 * 8))
            let secret = SecretBytes(copying: key)
            cases.append(
                Case(
                    key: Hex.string(key), text: Hex.string(text),
                    ecb: Hex.string(try TripleDES.encrypt(blocks, key: secret)),
                    cbc: Hex.string(try TripleDES.encryptCBC(blocks, key: secret)),
                    mac1: Hex.string(try RetailMAC.authenticate(text, key: secret, padding: .method1)),
                    mac2: Hex.string(try RetailMAC.authenticate(text, key: secret, padding: .method2))))
        }
        let script = """
            import warnings
            warnings.simplefilter("ignore")
            from cryptography.hazmat.primitives.ciphers import Cipher, modes
            try:
                from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
            except ImportError:
                from cryptography.hazmat.primitives.ciphers.algorithms import TripleDES
            def run(key, mode, text):
                worker = Cipher(TripleDES(key), mode).encryptor()
                return worker.update(text) + worker.finalize()
            def single(key, block):
                return run(key * 3, modes.ECB(), block)
            def undo(key, block):
                worker = Cipher(TripleDES(key * 3), modes.ECB()).decryptor()
                return worker.update(block) + worker.finalize()
            def mac(key, text, pad):
                text = text + b"\\x80" if pad == 2 else text
                text += bytes(-len(text) % 8) if text else bytes(8)
                state = bytes(8)
                for at in range(0, len(text), 8):
                    state = single(key[:8], bytes(a ^ b for a, b in zip(state, text[at:at + 8])))
                return single(key[:8], undo(key[8:], state))
            wrong = []
            for number, case in enumerate(data):
                b = {name: bytes.fromhex(value) for name, value in case.items()}
                whole = b["text"][:len(b["text"]) // 8 * 8]
                key = b["key"] + b["key"][:8]
                ok = run(key, modes.ECB(), whole) == b["ecb"] and run(key, modes.CBC(bytes(8)), whole) == b["cbc"]
                ok = ok and mac(b["key"], b["text"], 1) == b["mac1"] and mac(b["key"], b["text"], 2) == b["mac2"]
                if not ok: wrong.append(number)
            print(json.dumps(wrong))
            """
        #expect(try Outside.python(script, cases, as: [Int].self) == [])
    }
}
