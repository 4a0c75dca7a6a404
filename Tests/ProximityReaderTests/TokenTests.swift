// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WalletCrypto

@testable import ProximityReader

@Suite("Reader tokens")
struct TokenTests {
    let key: P256PrivateKey
    let now = Date(timeIntervalSince1970: 1_767_268_800)

    init() throws { key = try P256PrivateKey.generate() }

    private func verify(_ text: String, at date: Date? = nil) -> String {
        do throws(PaymentCardReaderError) {
            let token = PaymentCardReader.Token(rawValue: text)
            return try ReaderToken(verifying: token, with: key.publicKey, at: date ?? now).merchantID
        } catch {
            return error.errorName
        }
    }

    private func sign(_ header: String, _ claims: String) throws -> String {
        let input = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(claims.utf8))
        return input + "." + Base64URL.encode(try key.signES256(Array(input.utf8)))
    }

    private let es256 = #"{"alg":"ES256","typ":"JWT"}"#

    @Test("What is minted verifies, claim by claim")
    func roundTrip() throws {
        let token = ReaderToken(
            issuer: "tests", merchantID: "m", issuedAt: now, expires: now.addingTimeInterval(60), mayRelink: true)
        let signed = try token.signed(with: key)
        #expect(try ReaderToken(verifying: signed, with: key.publicKey, at: now) == token)
        #expect(signed.rawValue.split(separator: ".").count == 3 && !signed.rawValue.contains("="))
    }

    @Test("Bad tokens give Apple's errors")
    func bad() throws {
        let claims = #"{"merchantId":"m","exp":1767268900}"#
        #expect(verify(try sign(es256, claims)) == "m")
        #expect(verify("") == "emptyReaderToken")
        for text in [" ", "x", "a.b", "a.b.c.d", "..", "\u{1F600}.a.b", String(repeating: "a", count: 20_000)] {
            #expect(verify(text) == "invalidReaderToken")
        }
        #expect(verify(try sign(#"{"alg":"none"}"#, claims)) == "invalidReaderToken")
        #expect(verify(try sign(#"{"alg":"HS256"}"#, claims)) == "invalidReaderToken")
        #expect(verify(try sign(#"{"alg":"es256"}"#, claims)) == "invalidReaderToken")
        #expect(verify(try sign(#"{"typ":"JWT"}"#, claims)) == "invalidReaderToken")
        #expect(verify(try sign(#"{"alg":"ES256","crit":["x"]}"#, claims)) == "invalidReaderToken")
        #expect(verify(try sign(es256, #"{"merchantId":"m"}"#)) == "invalidReaderToken")
        #expect(verify(try sign(es256, "[]")) == "invalidReaderToken")
        #expect(verify(try sign(es256, #"{"exp":1767268900}"#)) == "invalidMerchant")
        #expect(verify(try sign(es256, #"{"merchantId":" ","exp":1767268900}"#)) == "invalidMerchant")
        #expect(verify(try sign(es256, #"{"merchantId":"m","exp":1767268800}"#)) == "tokenExpired")
        #expect(
            verify(try sign(es256, #"{"merchantId":"m","exp":1767268900,"nbf":1767268801}"#)) == "invalidReaderToken")
    }

    @Test("alg none without a signature, and a signature of another key")
    func signatures() throws {
        let claims = #"{"merchantId":"m","exp":1767268900}"#
        let none = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8)) + "." + Base64URL.encode(Array(claims.utf8)) + "."
        #expect(verify(none) == "invalidReaderToken")
        let other = try ReaderToken(merchantID: "m", expires: now.addingTimeInterval(60))
            .signed(with: P256PrivateKey.generate())
        #expect(verify(other.rawValue) == "invalidReaderToken")
        // HMAC with the public key as its secret, the classic confusion of algorithms.
        let good = try sign(es256, claims)
        let parts = good.split(separator: ".")
        #expect(verify("\(parts[0]).\(parts[1])") == "invalidReaderToken")
        #expect(verify(good + "=") == "invalidReaderToken")
        #expect(verify(good + "A") == "invalidReaderToken")
    }

    @Test("Changing any character of a token makes it invalid")
    func tampering() throws {
        let good = Array(try sign(es256, #"{"merchantId":"m","exp":1767268900}"#).utf8)
        for index in good.indices {
            var bad = good
            bad[index] = bad[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let text = String(decoding: bad, as: UTF8.self)
            #expect(verify(text) == "invalidReaderToken", "character \(index)")
        }
    }

    @Test("Random text never traps")
    func random() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            let bytes = (0..<Int.random(in: 0...90, using: &generator)).map { _ in
                UInt8.random(in: 0x20...0x7E, using: &generator)
            }
            let name = verify(String(decoding: bytes, as: UTF8.self))
            #expect(name == "invalidReaderToken" || name == "emptyReaderToken")
        }
    }

    @Test("The development key is made once, for its owner alone, by however many at a time")
    func developmentKey() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("state-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = DevelopmentTokenKey.path(environment: ["XDG_STATE_HOME": folder])
        #expect(path == folder + "/countertop/token-key.pem")
        let keys = try await withThrowingTaskGroup(of: P256PublicKey.self) { group in
            for _ in 0..<16 { group.addTask { try DevelopmentTokenKey.load(path: path).publicKey } }
            return try await group.reduce(into: Set<P256PublicKey>()) { $0.insert($1) }
        }
        #expect(keys.count == 1)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/countertop") == ["token-key.pem"])
        #expect(DevelopmentTokenKey.path(environment: ["HOME": "/h"]) == "/h/.local/state/countertop/token-key.pem")
        #expect(DevelopmentTokenKey.path(environment: ["HOME": "/h", "XDG_STATE_HOME": "rel"]).hasPrefix("/h/"))
    }

    @Test("A key file that cannot be used says so")
    func keyFiles() throws {
        #expect(throws: CryptoError.self) { try TokenKeySource.file("/nonexistent/key.pem").load() }
        #expect(throws: CryptoError.self) { try DevelopmentTokenKey.load(path: "/proc/nonexistent/key.pem") }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("key-\(UUID().uuidString).pem").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        try Data(key.publicKey.pem().utf8).write(to: URL(fileURLWithPath: file))
        #expect(try TokenKeySource.file(file).load() == key.publicKey)
    }
}
