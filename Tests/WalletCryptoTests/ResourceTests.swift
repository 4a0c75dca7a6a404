// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WalletCrypto

/// Nothing leaks, and keys may be shared between threads.
@Suite(.serialized)
struct ResourceTests {
    /// The process's resident memory in KiB (proc(5), `VmRSS`).
    static func residentKiB() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
        return try #require(line.split(separator: " ").compactMap { Int($0) }.first)
    }

    static func everything(_ key: P256PrivateKey, _ authority: TestAuthority, _ signature: [UInt8]) throws {
        let fresh = try P256PrivateKey.generate()
        let z = try key.sharedSecret(withX: fresh.publicKey.x)
        #expect(try fresh.sharedSecret(with: key.publicKey) == z)
        let derived = try X963KDF.sha256(sharedSecret: z, sharedInfo: [1], count: 32)
        let sealed = try AESGCM.seal([1, 2, 3], key: derived, iv: [UInt8](repeating: 0, count: 16))
        let iv = [UInt8](repeating: 0, count: 16)
        #expect(try AESGCM.open(ciphertext: sealed.ciphertext, tag: sealed.tag, key: derived, iv: iv) == [1, 2, 3])
        _ = try? AESGCM.open(ciphertext: sealed.ciphertext, tag: iv, key: derived, iv: iv)
        _ = try? P256PublicKey(xOnly: iv + iv.map { ~$0 })
        _ = try P256PrivateKey(reading: fresh.pkcs8PEM().array)
        _ = try HMACSHA256.authenticate([1], key: derived)
        _ = try? RSA.recover([UInt8](repeating: 1, count: 64), modulus: [UInt8](repeating: 3, count: 64), exponent: [3])
    }

    static func signatures(_ key: P256PrivateKey, _ authority: TestAuthority, _ signature: [UInt8]) throws {
        #expect(key.publicKey.isValidES256(try key.signES256([1]), for: [1]))
        _ = try CMS.verifyDetached(
            signature: signature, content: [7], roots: [authority.root], at: TestAuthority.middle)
        _ = try? CMS.verifyDetached(signature: signature, content: [8], roots: [authority.root])
        _ = try? CMS.verifyDetached(signature: signature.dropLast(), content: [8], roots: [])
        _ = try? X509Certificate(der: [0x30, 0x03, 0x02, 0x01, 0x01])
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/status"), "there is no /proc"))
    func `thousands of operations need no more memory than hundreds`() throws {
        let authority = try TestAuthority()
        let key = try P256PrivateKey.generate()
        let signature = try CMS.signDetached([7], key: authority.signerKey, certificate: authority.signer)
        func run(_ rounds: Int) throws {
            for round in 0..<rounds {
                try Self.everything(key, authority, signature)
                if round % 10 == 0 { try Self.signatures(key, authority, signature) }
            }
        }
        try run(300)
        // Other tests run in this process too. What leaks grows in every stretch, what they need does not.
        var least = Int.max
        for _ in 0..<6 {
            let before = try Self.residentKiB()
            try run(500)
            least = min(least, try Self.residentKiB() - before)
        }
        // 100 bytes per round, and there is no OpenSSL object as small as that.
        #expect(least < 50, "grew by at least \(least) KiB in each 500 rounds")
    }

    @Test func `one key serves many threads`() async throws {
        let authority = try TestAuthority()
        let key = try P256PrivateKey.generate()
        let signature = try CMS.signDetached([7], key: authority.signerKey, certificate: authority.signer)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<50 {
                        try Self.everything(key, authority, signature)
                        try Self.signatures(key, authority, signature)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
