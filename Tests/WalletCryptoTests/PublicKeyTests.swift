// SPDX-License-Identifier: Apache-2.0

import CardTesting
import ISO7816
import Testing
import WalletCrypto

/// Points in all their forms, and everything that is not one.
struct PublicKeyTests {
    /// The prime of P-256 (SP 800-186, 3.2.1.3).
    static let p = "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"
    /// The base point G (SP 800-186, 3.2.1.3).
    static let gx = "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
    static let gy = "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"

    func refusal(_ bytes: [UInt8]) -> CryptoError.Code? {
        do {
            _ = try P256PublicKey(x963: bytes)
            return nil
        } catch { return error.code }
    }

    @Test func `the base point is the public key of one`() throws {
        let key = try P256PrivateKey(scalar: [UInt8](repeating: 0, count: 31) + [1]).publicKey
        #expect(Hex.string(key.x) == Self.gx)
        #expect(Hex.string(key.y) == Self.gy)
        #expect(Hex.string(key.compressed) == "03" + Self.gx)
        #expect(Hex.string(key.uncompressed) == "04" + Self.gx + Self.gy)
    }

    @Test func `all forms lead to the same key`() throws {
        for _ in 0..<40 {
            let key = try P256PrivateKey.generate().publicKey
            #expect(try P256PublicKey(x963: key.uncompressed) == key)
            #expect(try P256PublicKey(x963: key.compressed) == key)
            #expect(try P256PublicKey(subjectPublicKeyInfo: key.subjectPublicKeyInfo(compressed: true)) == key)
            #expect(try P256PublicKey(subjectPublicKeyInfo: key.subjectPublicKeyInfo(compressed: false)) == key)
            #expect(try P256PublicKey(pem: key.pem()) == key)
            let even = try P256PublicKey(xOnly: key.x)
            #expect(even.x == key.x)
            #expect(even.y[31] & 1 == 0)
            #expect((even == key) == (key.y[31] & 1 == 0))
            #expect(key.subjectPublicKeyInfo().count == 59)
            #expect(key.subjectPublicKeyInfo(compressed: false).count == 91)
        }
    }

    @Test func `a coordinate not below p is refused`() throws {
        let p = try Hex.bytes(Self.p)
        #expect(refusal([2] + p) == .invalidPoint)
        #expect(refusal([4] + p + p) == .invalidPoint)
        #expect(throws: CryptoError.self) { try P256PublicKey(xOnly: p) }
        #expect(throws: CryptoError.self) { try P256PublicKey(xOnly: [UInt8](repeating: 0xFF, count: 32)) }
        // p + 5 stands for 5, which is on the curve: it must not be reduced silently.
        var five = [UInt8](repeating: 0, count: 32)
        five[31] = 5
        #expect(try P256PublicKey(xOnly: five).x == five)
        let plusP = try Hex.bytes("ffffffff00000001000000000000000000000001000000000000000000000004")
        #expect(refusal([2] + plusP) == .invalidPoint)
    }

    @Test func `a point off the curve is refused`() throws {
        var bytes = try P256PrivateKey.generate().publicKey.uncompressed
        bytes[64] ^= 1
        #expect(refusal(bytes) == .invalidPoint)
        #expect(refusal([4] + [UInt8](repeating: 0, count: 64)) == .invalidPoint)
        // Half of all X have no point; 1 of 2 tries fails, so among 64 both kinds occur.
        var random = SeededRandom(seed: 7)
        let taken = (0..<64).filter { _ in refusal([3] + random.bytes(32)) == nil }.count
        #expect((10...54).contains(taken))
    }

    @Test func `infinity, other forms and other lengths are refused`() throws {
        let key = try P256PrivateKey.generate().publicKey
        let infinity = #expect(throws: CryptoError.self) { try P256PublicKey(x963: [0]) }
        #expect(infinity?.reason.contains("infinity") == true)
        #expect(refusal([]) == .invalidPoint)
        #expect(refusal([6 | key.y[31] & 1] + key.x + key.y) == .invalidPoint)
        #expect(refusal(key.uncompressed + [0]) == .invalidPoint)
        #expect(refusal(key.uncompressed.dropLast()) == .invalidPoint)
        #expect(refusal([4] + key.x) == .invalidPoint)
        #expect(throws: CryptoError.self) { try P256PublicKey(xOnly: key.x.dropFirst()) }
        #expect(throws: CryptoError.self) { try P256PublicKey(xOnly: [0] + key.x) }
    }

    @Test func `slices and lazy collections are taken as they are`() throws {
        let key = try P256PrivateKey.generate().publicKey
        let padded = [9, 9] + key.uncompressed + [9]
        #expect(try P256PublicKey(x963: padded[2..<67]) == key)
        #expect(try P256PublicKey(x963: key.uncompressed.reversed().reversed() as [UInt8]) == key)
        #expect(try P256PublicKey(x963: key.uncompressed.lazy.map { $0 }) == key)
        #expect(try P256PublicKey(xOnly: padded[3..<35]).x == key.x)
    }

    @Test func `another kind of text is named`() throws {
        let key = try P256PrivateKey.generate()
        let error = #expect(throws: CryptoError.self) { try P256PublicKey(pem: key.pkcs8PEM().text) }
        #expect(error?.reason.contains("private key") == true)
        #expect(throws: CryptoError.self) { try P256PublicKey(pem: "nothing") }
        let authority = try TestAuthority()
        #expect(try P256PublicKey(pem: authority.signer.pem()) == authority.signerKey.publicKey)
    }
}
