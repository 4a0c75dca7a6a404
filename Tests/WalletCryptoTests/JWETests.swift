// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import ISO7816
import TestSupport
import Testing

@testable import WalletCrypto

struct JWETests {
    private static let plain = SecretBytes(copying: Array("what is sealed".utf8))

    private func parts(_ text: String) -> [String] {
        text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    /// RFC 7518, appendix C: Alice's ephemeral key, Bob's key, the derived key of 128 bits.
    @Test func `the derivation of RFC 7518`() throws {
        let alice = try P256PrivateKey(
            scalar: try #require(Base64URL.decode("0_NxaRPUMQoAJt50Gz8YiTr8gRTwyEaCumd-MToTmIo")))
        let bob = try P256PrivateKey(
            scalar: try #require(Base64URL.decode("VEmDZpDXXK8p8N0Cndsxs924q6nS1RXFASRl6BfUqdw")))
        for secret in [try alice.sharedSecret(with: bob.publicKey), try bob.sharedSecret(with: alice.publicKey)] {
            let key = try JWE.derive(
                secret, algorithm: "A128GCM", partyU: Array("Alice".utf8), partyV: Array("Bob".utf8), count: 16)
            #expect(Base64URL.encode(key.array) == "VqqN6vgjbSBcIijNcacQGg")
        }
    }

    /// What they are for: one id for one key.
    @Test func `thumbprints do not depend on how a key was given`() throws {
        let key = try P256PrivateKey.generate().publicKey
        #expect(try P256PublicKey(pem: key.pem()).thumbprint == key.thumbprint)
        #expect(Base64URL.decode(key.thumbprint)?.count == 32)
    }

    @Test func `what is sealed opens, with its header`() throws {
        let key = try P256PrivateKey.generate()
        var parameters = JWE.Parameters()
        (parameters.type, parameters.contentType, parameters.keyID) = ("t", "c", "k")
        (parameters.partyU, parameters.partyV) = ([1, 2, 3], [4])
        parameters.more = [
            JOSEMember("txn", .string("quote \" slash / back \\ new\nline é 🧀")), JOSEMember("iat", .integer(-5)),
            JOSEMember("list", .array([.bool(true), .null, .number("1.5e3"), .object([])])),
        ]
        for count in [0, 1, 15, 16, 17, 1000] {
            let secret = SecretBytes(copying: RandomBytes.generate(count))
            let text = try JWE.seal(secret, to: key.publicKey, parameters: parameters)
            let opened = try JWE.open(text, with: key)
            #expect(opened.plaintext == secret && opened.header["iat"]?.integer == -5)
            #expect(opened.header["txn"]?.string == "quote \" slash / back \\ new\nline é 🧀")
            #expect(opened.header["list"] == parameters.more[2].value && opened.header["kid"]?.string == "k")
            #expect(try JWE.header(of: text) == opened.header)
        }
    }

    @Test func `every changed character is noticed`() throws {
        let key = try P256PrivateKey.generate()
        let text = try JWE.seal(Self.plain, to: key.publicKey)
        let bytes = Array(text.utf8)
        for index in bytes.indices {
            for replacement in [UInt8(ascii: "A"), UInt8(ascii: "b"), UInt8(ascii: "."), UInt8(ascii: "=")] {
                guard bytes[index] != replacement else { continue }
                var changed = bytes
                changed[index] = replacement
                let error = #expect(throws: CryptoError.self) {
                    try JWE.open(String(decoding: changed, as: UTF8.self), with: key)
                }
                #expect(error?.code != .internalFailure)
            }
        }
        for count in 0..<bytes.count {
            #expect(throws: CryptoError.self) { try JWE.open(String(text.prefix(count)), with: key) }
        }
    }

    @Test func `another receiver, sender, key, tag`() throws {
        let key = try P256PrivateKey.generate()
        var parameters = JWE.Parameters()
        (parameters.partyU, parameters.partyV) = (Array("reader".utf8), Array("merchant".utf8))
        let text = try JWE.seal(Self.plain, to: key.publicKey, parameters: parameters)
        let header = String(decoding: try #require(Base64URL.decode(parts(text)[0])), as: UTF8.self)
        for (old, new) in [("bWVyY2hhbnQ", "b3RoZXI"), ("cmVhZGVy", "b3RoZXI"), ("A256GCM\"", "A256GCM\",\"x\":1")] {
            let changed = header.replacingOccurrences(of: old, with: new)
            #expect(changed != header)
            let moved = ([Base64URL.encode(Array(changed.utf8))] + parts(text).dropFirst()).joined(separator: ".")
            #expect(code { try JWE.open(moved, with: key) } == .authenticationFailed)
        }
        #expect(code { try JWE.open(text, with: .generate()) } == .authenticationFailed)
        var tag = try #require(Base64URL.decode(parts(text)[4]))
        tag[15] ^= 1
        let last = (parts(text).dropLast() + [Base64URL.encode(tag)]).joined(separator: ".")
        #expect(code { try JWE.open(last, with: key) } == .authenticationFailed)
    }

    private func code(_ body: () throws -> Any) -> CryptoError.Code? {
        do {
            _ = try body()
            return nil
        } catch { return (error as? CryptoError)?.code }
    }

    /// A header with the parts of a message whose lengths are right.
    private func message(_ header: String, key: Int = 40, iv: Int = 12, tag: Int = 16) -> String {
        ([Array(header.utf8)] + [key, iv, 5, tag].map { [UInt8](repeating: 1, count: $0) })
            .map { Base64URL.encode($0) }.joined(separator: ".")
    }

    @Test func `messages of other kinds are refused with a reason`() throws {
        let key = try P256PrivateKey.generate()
        let epk = JOSEValue.object(key.publicKey.jwkMembers).text
        let start = #"{"alg":"ECDH-ES+A256KW","enc":"A256GCM","epk":"#
        let good = start + epk + "}"
        #expect(code { try JWE.open(message(good), with: key) } == .authenticationFailed)
        func swapped(_ old: String, _ new: String) -> String { good.replacingOccurrences(of: old, with: new) }
        func adding(_ member: String) -> String { good.dropLast() + "," + member + "}" }
        let bad: [String] = [
            "", "{}", "[]", "null", "{", good + " x", good + "}", "\u{FEFF}" + good, swapped("A256KW", "A128KW"),
            swapped("A256GCM", "A128GCM"), swapped("EC\"", "OKP\""), swapped("P-256", "P-384"), start + "null}",
            start + "\"\"}", adding(#""crit":["exp"]"#), adding(#""zip":"DEF""#), adding(#""alg":"ECDH-ES+A256KW""#),
            adding(#""apu":5"#), adding(#""apv":"=""#), swapped(#""kty""#, #""d":"AA","kty""#),
            swapped(Base64URL.encode(key.publicKey.x), "AAAA"),
        ]
        for header in bad { #expect(code { try JWE.open(message(header), with: key) } == .invalidMessage, "\(header)") }
        for (count, iv, tag) in [(39, 12, 16), (48, 12, 16), (40, 11, 16), (40, 16, 16), (40, 12, 15), (40, 12, 0)] {
            #expect(code { try JWE.open(message(good, key: count, iv: iv, tag: tag), with: key) } == .invalidMessage)
        }
        let off = good.replacingOccurrences(
            of: Base64URL.encode(key.publicKey.y), with: Base64URL.encode([UInt8](repeating: 1, count: 32)))
        #expect(code { try JWE.open(message(off), with: key) } == .invalidPoint)
        #expect(code { try JWE.open(message(good) + ".", with: key) } == .invalidMessage)
        #expect(code { try JWE.open(String(repeating: "A", count: 1 << 20 + 1), with: key) } == .invalidMessage)
    }

    @Test func `names that are JWE's own cannot be given twice`() throws {
        let key = try P256PrivateKey.generate()
        for names in [["alg"], ["kid"], ["epk"], ["crit"], ["a", "a"]] {
            var parameters = JWE.Parameters()
            parameters.more = names.map { JOSEMember($0, .null) }
            #expect(code { try JWE.seal(Self.plain, to: key.publicKey, parameters: parameters) } == .invalidParameter)
        }
        let short = JWE.Secrets(contentKey: .random(16), iv: RandomBytes.generate(12), ephemeral: try .generate())
        #expect(code { try JWE.seal(Self.plain, to: key.publicKey, secrets: short) } == .invalidParameter)
    }

    @Test func `never traps`() throws {
        let key = try P256PrivateKey.generate()
        let text = Array(try JWE.seal(Self.plain, to: key.publicKey).utf8)
        let header = try #require(Base64URL.decode(parts(String(decoding: text, as: UTF8.self))[0]))
        var random = SeededRandom(seed: 9)
        for count in 0..<800 {
            _ = try? JWE.open(String(decoding: random.mutate(text), as: UTF8.self), with: key)
            _ = try? JWE.open(message(String(decoding: random.mutate(header), as: UTF8.self)), with: key)
            _ = JOSEReader.read(random.bytes(count % 100))
            _ = Base64URL.decode(String(decoding: random.bytes(count % 50), as: UTF8.self))
            if let value = JOSEReader.read(random.mutate(header)) {
                #expect(JOSEReader.read(Array(value.text.utf8)) == value)
            }
        }
        #expect(JOSEReader.read([UInt8](repeating: UInt8(ascii: "["), count: 100_000)) == nil)
    }
}

struct JOSETextTests {
    @Test(arguments: [
        "1.", "-", "01", "1e", ".5", "+1", "tru", "nul", "\"", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"",
        "\"\\ud800\\u0041\"",
        "\"\n\"", "[1,]", "[1 2]", "{\"a\":1,}", "{\"a\" 1}", "{1:2}", "{\"a\":1,\"a\":2}", "[", "{", "\"\\", "",
    ])
    func `no JSON`(_ text: String) { #expect(JOSEReader.read(Array(text.utf8)) == nil) }

    @Test func `JSON values`() {
        let text =
            " { \"a\\u00e9\\ud83e\\uddc0\" : [ 1 , -2.5E+3, true,false , null,\"\\/\\b\\f\\n\\r\\t\" ] ,\"n\":12345678901234567890}\r\n"
        let value = JOSEReader.read(Array(text.utf8))
        let list: [JOSEValue] = [
            .integer(1), .number("-2.5E+3"), .bool(true), .bool(false), .null, .string("/\u{8}\u{c}\n\r\t"),
        ]
        #expect(value?["aé🧀"] == .array(list) && value?["n"] == .number("12345678901234567890"))
        #expect(value?["b"] == nil && JOSEValue.null["a"] == nil && JOSEValue.null.string == nil)
        #expect(JOSEReader.read([0x22, 0xFF, 0x22]) == nil, "not UTF-8")
    }

    @Test func `Base64URL is one text for each value`() {
        let pairs: [(String, [UInt8])] = [
            ("", []), ("AA", [0]), ("AAA", [0, 0]), ("AAAA", [0, 0, 0]), ("-_8", [0xFB, 0xFF]),
        ]
        for (text, bytes) in pairs {
            #expect(Base64URL.decode(text) == bytes && Base64URL.encode(bytes) == text)
        }
        for text in ["A", "AB", "AAB", "AA=", "A A", "AAAAA", "+/8", "é"] { #expect(Base64URL.decode(text) == nil) }
        for count in 0..<100 {
            let bytes = RandomBytes.generate(count)
            #expect(
                Base64.encode(bytes) == Data(bytes).base64EncodedString()
                    && Base64.decode(Base64.encode(bytes)) == bytes)
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }

    @Test func `key wrap of RFC 3394, 4`() throws {
        let key = SecretBytes(copying: try Hex.bytes("00112233445566778899AABBCCDDEEFF"))
        for (count, expected) in [
            (16, "1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5"),
            (24, "96778b25ae6ca435f92b5b97c050aed2468ab8a17ad84e5d"),
            (32, "64e8c3f9ce0f5ba263e9777905818a2a93c8191e7d6e8ae7"),
        ] {
            let wrapping = SecretBytes(copying: (0..<UInt8(count)).map { $0 })
            #expect(Hex.string(try AESKeyWrap.wrap(key, with: wrapping)) == expected)
            #expect(try AESKeyWrap.unwrap(Hex.bytes(expected), with: wrapping) == key)
        }
    }

    @Test func `what key wrap refuses`() throws {
        let key = SecretBytes.random(32)
        for count in [0, 8, 15, 20, 5000] {
            #expect(throws: CryptoError.self) { try AESKeyWrap.wrap(.random(count), with: key) }
            #expect(throws: CryptoError.self) { try AESKeyWrap.unwrap(RandomBytes.generate(count), with: key) }
        }
        #expect(throws: CryptoError.self) { try AESKeyWrap.wrap(key, with: .random(20)) }
        for _ in 0..<50 {
            let error = #expect(throws: CryptoError.self) {
                try AESKeyWrap.unwrap(RandomBytes.generate(40), with: key)
            }
            #expect(error?.code == .authenticationFailed)
        }
    }
}
