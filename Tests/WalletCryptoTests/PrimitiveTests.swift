// SPDX-License-Identifier: Apache-2.0

import ISO7816
import Testing
import WalletCrypto

/// Digests, codes and derivations on the examples of their standards.
struct PrimitiveTests {
    func bytes(_ byte: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }

    @Test func `digests of the standard's examples`() {
        #expect(Hex.string(Digest.sha1(Array("abc".utf8))) == "a9993e364706816aba3e25717850c26c9cd0d89d")
        #expect(
            Hex.string(Digest.sha256(Array("abc".utf8)))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            Hex.string(Digest.sha256([]))
                == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(Digest.sha256("abc".utf8) == Digest.sha256([0, 97, 98, 99][1...]))
    }

    /// RFC 4231, test cases 1 and 2.
    @Test func `HMAC of the standard's examples`() throws {
        let one = try HMACSHA256.authenticate(Array("Hi There".utf8), key: SecretBytes(copying: bytes(0x0B, 20)))
        #expect(Hex.string(one) == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        let key = SecretBytes(copying: "Jefe".utf8)
        let message = Array("what do ya want for nothing?".utf8)
        let two = try HMACSHA256.authenticate(message, key: key)
        #expect(Hex.string(two) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(HMACSHA256.isValid(two, for: message, key: key))
        #expect(!HMACSHA256.isValid(one, for: message, key: key))
        #expect(!HMACSHA256.isValid([], for: message, key: key))
        #expect(try HMACSHA256.authenticate([], key: SecretBytes(copying: [])).count == 32)
    }

    /// RFC 5869, test cases 1 and 3.
    @Test func `HKDF of the standard's examples`() throws {
        let input = SecretBytes(copying: bytes(0x0B, 22))
        let one = try HKDF.sha256(inputKey: input, salt: 0...12, info: 0xF0...0xF9, count: 42)
        #expect(
            Hex.string(one)
                == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
        let three = try HKDF.sha256(inputKey: input, count: 42)
        #expect(
            Hex.string(three)
                == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")
        #expect(try HKDF.sha256(inputKey: input, count: 255 * 32).count == 8160)
        #expect(throws: CryptoError.self) { try HKDF.sha256(inputKey: input, count: 8161) }
        #expect(throws: CryptoError.self) { try HKDF.sha256(inputKey: input, count: 0) }
    }

    @Test func `both counter derivations are the hashes that they say`() throws {
        let z = bytes(7, 32)
        let secret = SecretBytes(copying: z)
        let info = Array("info".utf8)
        let first = Digest.sha256(z + [0, 0, 0, 1] + info)
        let second = Digest.sha256(z + [0, 0, 0, 2] + info)
        for count in [1, 31, 32, 33, 64] {
            let derived = try X963KDF.sha256(sharedSecret: secret, sharedInfo: info, count: count)
            #expect(derived.array == Array((first + second).prefix(count)))
        }
        let concat = try ConcatKDF.sha256(sharedSecret: secret, otherInfo: info, count: 40)
        let expected = Digest.sha256([0, 0, 0, 1] + z + info) + Digest.sha256([0, 0, 0, 2] + z + info)
        #expect(concat.array == Array(expected.prefix(40)))
        for count in [0, -1, 255 * 32 + 1] {
            #expect(throws: CryptoError.self) { try X963KDF.sha256(sharedSecret: secret, sharedInfo: [], count: count) }
        }
    }

    @Test func `AES-GCM opens what it sealed and nothing else`() throws {
        for keyCount in [16, 24, 32] {
            for (ivCount, length) in [(12, 0), (16, 1), (1, 15), (64, 300)] {
                let key = SecretBytes.random(keyCount)
                let (iv, text, aad) = (RandomBytes.generate(ivCount), RandomBytes.generate(length), [UInt8](0..<9))
                let sealed = try AESGCM.seal(text, key: key, iv: iv, aad: aad)
                #expect(sealed.ciphertext.count == length)
                let opened = try AESGCM.open(
                    ciphertext: sealed.ciphertext[...], tag: sealed.tag[...], key: key, iv: iv, aad: aad)
                #expect(opened == text)
                var tag = sealed.tag
                tag[15] ^= 1
                let error = #expect(throws: CryptoError.self) {
                    try AESGCM.open(ciphertext: sealed.ciphertext, tag: tag, key: key, iv: iv, aad: aad)
                }
                #expect(error?.code == .authenticationFailed)
                let other = #expect(throws: CryptoError.self) {
                    try AESGCM.open(
                        ciphertext: sealed.ciphertext, tag: sealed.tag, key: key, iv: iv, aad: aad.dropLast())
                }
                #expect(other?.code == .authenticationFailed)
            }
        }
    }

    @Test func `AES-GCM refuses wrong lengths`() throws {
        let key = SecretBytes.random(32)
        for iv in [[], bytes(0, 65)] {
            let error = #expect(throws: CryptoError.self) { try AESGCM.seal([1], key: key, iv: iv) }
            #expect(error?.code == .invalidParameter)
        }
        let short = #expect(throws: CryptoError.self) { try AESGCM.seal([1], key: .random(31), iv: bytes(0, 12)) }
        #expect(short?.code == .invalidParameter)
        let tag = #expect(throws: CryptoError.self) {
            try AESGCM.open(ciphertext: [1], tag: bytes(0, 15), key: key, iv: bytes(0, 12))
        }
        #expect(tag?.code == .invalidParameter)
        // 12 and 16 zero bytes are different IVs: the longer one goes through GHASH.
        let (twelve, sixteen) = (
            try AESGCM.seal([1, 2], key: key, iv: bytes(0, 12)), try AESGCM.seal([1, 2], key: key, iv: bytes(0, 16))
        )
        #expect(twelve.tag != sixteen.tag)
    }

    @Test func `ES256 signatures hold for their message and key only`() throws {
        let (key, other) = (try P256PrivateKey.generate(), try P256PrivateKey.generate())
        let message = Array("header.payload".utf8)
        for _ in 0..<20 {
            let signature = try key.signES256(message)
            #expect(signature.count == 64)
            #expect(key.publicKey.isValidES256(signature, for: message))
            #expect(!key.publicKey.isValidES256(signature, for: message + [0]))
            #expect(!other.publicKey.isValidES256(signature, for: message))
            var changed = signature
            changed[Int.random(in: 0..<64)] ^= 0x10
            #expect(!key.publicKey.isValidES256(changed, for: message))
        }
        for bad in [[], bytes(0, 64), bytes(0xFF, 64), bytes(1, 63), bytes(1, 65)] {
            #expect(!key.publicKey.isValidES256(bad, for: message))
        }
        #expect(key.publicKey.isValidES256(try key.signES256([]), for: []))
    }

    @Test func `RSA recovers small numbers by hand and refuses what it cannot take`() throws {
        let modulus = bytes(0xFF, 64)
        // 2^3 mod n and 0^3 mod n.
        #expect(try RSA.recover(bytes(0, 63) + [2], modulus: modulus, exponent: [3]) == bytes(0, 63) + [8])
        #expect(try RSA.recover(bytes(0, 64), modulus: modulus, exponent: [1, 0, 1]) == bytes(0, 64))
        let data = bytes(0, 63) + [2]
        #expect(throws: CryptoError.self) { try RSA.recover(modulus, modulus: modulus, exponent: [3]) }
        #expect(throws: CryptoError.self) { try RSA.recover(data, modulus: bytes(0xFE, 64), exponent: [3]) }
        #expect(throws: CryptoError.self) { try RSA.recover(data, modulus: bytes(0xFF, 63), exponent: [3]) }
        #expect(throws: CryptoError.self) { try RSA.recover(data, modulus: bytes(0xFF, 65), exponent: [3]) }
        #expect(throws: CryptoError.self) { try RSA.recover(data, modulus: modulus, exponent: [0, 0]) }
        #expect(throws: CryptoError.self) { try RSA.recover(data, modulus: modulus, exponent: []) }
        #expect(throws: CryptoError.self) { try RSA.recover([], modulus: [], exponent: [3]) }
    }
}
