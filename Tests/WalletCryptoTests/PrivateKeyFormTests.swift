// SPDX-License-Identifier: Apache-2.0

import Foundation
import ISO7816
import Testing
import WalletCrypto

/// Private keys in whatever form their owners have them.
struct PrivateKeyFormTests {
    let key: P256PrivateKey
    init() throws { key = try P256PrivateKey.generate() }

    func isTaken(_ bytes: [UInt8]) throws -> Bool {
        try P256PrivateKey(reading: bytes).scalarBytes == key.scalarBytes
    }

    func isTaken(_ text: String) throws -> Bool { try isTaken(Array(text.utf8)) }

    static func der(_ pem: SecretBytes) throws -> [UInt8] {
        let base64 = pem.text.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
        return Array(try #require(Data(base64Encoded: base64)))
    }

    @Test func `PEM of both kinds is taken`() throws {
        for pem in [key.sec1PEM().text, key.pkcs8PEM().text] {
            #expect(try isTaken(pem))
            #expect(try isTaken(pem.replacingOccurrences(of: "\n", with: "\r\n")))
            #expect(try isTaken(pem.replacingOccurrences(of: "\n", with: "\r")))
            #expect(try isTaken("\u{FEFF}" + pem))
            #expect(try isTaken("Bag Attributes\n    friendlyName: key\nKey Attributes: <none>\n" + pem + "\ntrailing"))
            #expect(try isTaken(pem.replacingOccurrences(of: "-----\n", with: "-----  \n")))
            #expect(try isTaken([0xFF, 0xFE] + pem.utf8.flatMap { [$0, 0] }))
            #expect(try isTaken([0xFE, 0xFF] + pem.utf8.flatMap { [0, $0] }))
        }
    }

    @Test func `blocks beside the key are passed over`() throws {
        let parameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"
        #expect(try isTaken(parameters + key.sec1PEM().text))
        let certificate = try TestAuthority().signer.pem()
        #expect(try isTaken(certificate + key.pkcs8PEM().text))
        #expect(try isTaken(key.pkcs8PEM().text + certificate))
    }

    @Test func `DER, hex and Base64 are taken`() throws {
        for der in [try Self.der(key.sec1PEM()), try Self.der(key.pkcs8PEM())] {
            #expect(try isTaken(der))
            #expect(try isTaken(Hex.string(der)))
            #expect(try isTaken(Hex.string(der).uppercased() + "\n"))
            #expect(try isTaken(Data(der).base64EncodedString()))
            #expect(try isTaken(Data(der).base64EncodedString(options: .lineLength64Characters)))
        }
    }

    @Test func `the scalar is taken raw, in hex and in Base64`() throws {
        let scalar = key.scalarBytes.array
        let (hex, base64) = (Hex.string(scalar), Data(scalar).base64EncodedString())
        #expect(try isTaken(scalar))
        #expect(try isTaken(hex))
        #expect(try isTaken("0x" + hex + "\r\n"))
        #expect(try isTaken(scalar.map { Hex.encode([$0]) }.joined(separator: ":")))
        #expect(try isTaken(base64 + "\n"))
        #expect(try isTaken(base64.replacingOccurrences(of: "=", with: "")))
        let url = base64.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
        #expect(try isTaken(url))
    }

    @Test func `scalars out of range are refused`() throws {
        /// The order of P-256 (SP 800-186, 3.2.1.3).
        let order = try Hex.bytes("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
        #expect(throws: CryptoError.self) { try P256PrivateKey(scalar: [UInt8](repeating: 0, count: 32)) }
        #expect(throws: CryptoError.self) { try P256PrivateKey(scalar: order) }
        #expect(throws: CryptoError.self) { try P256PrivateKey(scalar: [UInt8](repeating: 0xFF, count: 32)) }
        #expect(throws: CryptoError.self) { try P256PrivateKey(scalar: [1]) }
        var largest = order
        largest[31] -= 1
        // (n - 1) × G = -G: the same X, the other Y.
        #expect(Hex.string(try P256PrivateKey(scalar: largest).publicKey.compressed) == "02" + PublicKeyTests.gx)
    }

    @Test func `leading zeros of a scalar survive every form`() throws {
        let small = try P256PrivateKey(scalar: [UInt8](repeating: 0, count: 30) + [1, 0x7B])
        for form in [small.sec1PEM(), small.pkcs8PEM()] {
            #expect(try P256PrivateKey(reading: form.array).scalarBytes == small.scalarBytes)
        }
        // ECPrivateKey as writers make it that drop leading zeros, without the public key.
        let short: [UInt8] = [0x30, 0x11, 2, 1, 1, 4, 2, 1, 0x7B, 0xA0, 10, 6, 8, 42, 0x86, 0x48, 0xCE, 0x3D, 3, 1]
        let der = Array(short.dropLast(0)) + [7]
        #expect(
            try P256PrivateKey(reading: [0x30, UInt8(der.count - 2)] + der.dropFirst(2)).scalarBytes
                == small.scalarBytes)
    }

    @Test func `a public half that belongs to another key is refused`() throws {
        var der = try Self.der(key.sec1PEM())
        der.replaceSubrange(der.count - 65..<der.count, with: try P256PrivateKey.generate().publicKey.uncompressed)
        let error = #expect(throws: CryptoError.self) { try P256PrivateKey(reading: der) }
        #expect(error?.reason.contains("does not belong") == true)
    }
}
