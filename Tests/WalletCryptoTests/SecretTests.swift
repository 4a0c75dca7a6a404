// SPDX-License-Identifier: Apache-2.0

import Foundation
import ISO7816
import Testing
import WalletCrypto

/// Secrets do not print, compare in constant time, and keep their bytes.
struct SecretTests {
    func everyText(_ value: some Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return [
            "\(value)", String(describing: value), String(reflecting: value), dumped,
            String(describing: Mirror(reflecting: value).children.map { "\($0)" }), "\([value])",
            "\(Optional(value) as Any)",
        ]
    }

    @Test func `a secret does not print`() {
        let secret = SecretBytes(copying: Array("hunter2!".utf8))
        for text in everyText(secret) {
            #expect(!text.contains("hunter2"))
            #expect(!text.contains("104"))
        }
        #expect("\(secret)" == "<secret, 8 bytes>")
    }

    @Test func `a private key does not print, alone or in something else`() throws {
        let scalar = [UInt8](repeating: 0xA7, count: 32)
        let key = try P256PrivateKey(scalar: scalar)
        struct Holder { let inner: P256PrivateKey }
        for text in everyText(key) + everyText(Holder(inner: key)) + everyText(["k": key]) {
            #expect(!text.lowercased().contains("a7a7"))
            #expect(!text.contains("167"))
        }
        #expect("\(key)" == "<P-256 private key>")
    }

    @Test func `errors about keys hold nothing of them`() throws {
        let scalar = String(repeating: "deadbeef", count: 9)
        let error = #expect(throws: CryptoError.self) { try P256PrivateKey(reading: Array(scalar.utf8)) }
        #expect(error?.description.contains("deadbeef") == false)
        let pem = "-----BEGIN PRIVATE KEY-----\nMIGHsecretsecretsecret\n-----END PRIVATE KEY-----"
        let second = #expect(throws: CryptoError.self) { try P256PrivateKey(reading: Array(pem.utf8)) }
        #expect(second?.description.contains("secret") == false)
    }

    @Test func `secrets compare by their bytes`() {
        let one = SecretBytes(copying: [1, 2, 3])
        #expect(one == SecretBytes(copying: [1, 2, 3][...]))
        #expect(one != SecretBytes(copying: [1, 2, 4]))
        #expect(one != SecretBytes(copying: [1, 2]))
        #expect(SecretBytes(copying: []) == SecretBytes(copying: []))
        #expect(SecretBytes.random(32) != SecretBytes.random(32))
        #expect(SecretBytes.random(-1).count == 0)
        #expect(ConstantTime.areEqual([1, 2], [1, 2]))
        #expect(!ConstantTime.areEqual([1, 2], [2, 1]))
        #expect(ConstantTime.areEqual([], []))
    }

    @Test func `random bytes have their length and differ`() {
        #expect(RandomBytes.generate(0).isEmpty)
        #expect(RandomBytes.generate(-4).isEmpty)
        #expect(RandomBytes.generate(33).count == 33)
        #expect(RandomBytes.generate(16) != RandomBytes.generate(16))
    }
}
