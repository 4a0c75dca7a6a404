// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WalletCrypto

/// Key files as the `openssl` program writes them, wanted and unwanted.
@Suite(.enabled(if: Outside.openssl != nil, "the openssl program is not installed"))
struct OpenSSLKeyTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    func openssl(_ arguments: String) throws {
        let words = arguments.split(separator: " ").map { $0.replacingOccurrences(of: "+", with: " ") }
        try Outside.run(Outside.openssl, words, in: folder)
    }

    @Test func `its SEC1 and PKCS8 files are taken, and it takes ours`() throws {
        try openssl("ecparam -name prime256v1 -genkey -out sec1.pem")
        try openssl("ec -in sec1.pem -outform DER -out sec1.der")
        try openssl("pkcs8 -topk8 -nocrypt -in sec1.pem -out pkcs8.pem")
        try openssl("pkcs8 -topk8 -nocrypt -in sec1.pem -outform DER -out pkcs8.der")
        try openssl("ec -in sec1.pem -no_public -out bare.pem")
        try openssl("ec -in sec1.pem -conv_form compressed -out compressed.pem")
        try openssl("ec -in sec1.pem -pubout -out public.pem")
        try openssl("ec -in sec1.pem -pubout -conv_form compressed -outform DER -out public.der")
        let key = try P256PrivateKey(reading: folder.read("sec1.pem"))
        for name in ["sec1.der", "pkcs8.pem", "pkcs8.der", "bare.pem", "compressed.pem"] {
            #expect(try P256PrivateKey(reading: folder.read(name)).publicKey == key.publicKey, "\(name)")
        }
        let pem = String(decoding: try folder.read("public.pem"), as: UTF8.self)
        #expect(try P256PublicKey(pem: pem) == key.publicKey)
        #expect(key.publicKey.pem() == pem)
        #expect(try P256PublicKey(subjectPublicKeyInfo: folder.read("public.der")) == key.publicKey)
        #expect(try folder.read("public.der") == key.publicKey.subjectPublicKeyInfo())
        #expect(try folder.read("pkcs8.pem") == key.pkcs8PEM().array)
        try folder.write("ours.pem", key.sec1PEM().array)
        try openssl("ec -in ours.pem -check -pubout -out again.pem")
        #expect(try folder.read("again.pem") == folder.read("public.pem"))
    }

    @Test(arguments: [
        ("ecparam -name secp384r1 -genkey -noout -out out", "P-384"),
        ("ecparam -name secp256k1 -genkey -noout -out out", "secp256k1"),
        ("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384 -out out", "P-384"),
        ("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-521 -outform DER -out out", "P-521"),
        ("genrsa -traditional -out out 1024", "RSA"),
        ("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024 -out out", "RSA"),
        ("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024 -outform DER -out out", "RSA"),
        ("genpkey -algorithm ED25519 -out out", "Ed25519"),
        ("genpkey -algorithm X25519 -outform DER -out out", "X25519"),
        ("ecparam -name prime256v1 -genkey -noout -param_enc explicit -out out", "spelled out"),
        ("ecparam -name prime256v1 -out out", "names a curve"),
    ])
    func `another kind of key is named`(command: String, name: String) throws {
        try openssl(command)
        let bytes = try folder.read("out")
        let error = #expect(throws: CryptoError.self) { try P256PrivateKey(reading: bytes) }
        #expect(error?.code == .invalidKey)
        #expect(error?.reason.contains(name) == true, "\(error?.reason ?? "")")
        let text = Array(Data(bytes).base64EncodedString().utf8)
        #expect(throws: CryptoError.self) { try P256PrivateKey(reading: text) }
    }

    @Test func `a key with a passphrase is refused without asking for it`() throws {
        try openssl("ecparam -name prime256v1 -genkey -noout -out plain.pem")
        try openssl("pkcs8 -topk8 -in plain.pem -passout pass:secret -out pkcs8.pem")
        try openssl("pkcs8 -topk8 -in plain.pem -passout pass:secret -outform DER -out pkcs8.der")
        try openssl("ec -in plain.pem -aes128 -passout pass:secret -out sec1.pem")
        for name in ["pkcs8.pem", "pkcs8.der", "sec1.pem"] {
            let error = #expect(throws: CryptoError.self) { try P256PrivateKey(reading: folder.read(name)) }
            #expect(error?.code == .encryptedKey, "\(name)")
            #expect(error?.hint?.contains("openssl pkey") == true)
        }
    }

    @Test func `a public key, a certificate or a request is named`() throws {
        try openssl("ecparam -name prime256v1 -genkey -noout -out key.pem")
        try openssl("ec -in key.pem -pubout -out public.pem")
        try openssl("ec -in key.pem -pubout -outform DER -out public.der")
        try openssl("req -x509 -key key.pem -subj /CN=Test -days 1 -out certificate.pem")
        try openssl("x509 -in certificate.pem -outform DER -out certificate.der")
        try openssl("req -new -key key.pem -subj /CN=Test -out request.pem")
        let kinds = [
            ("public.pem", "public key"), ("public.der", "public key"), ("certificate.pem", "certificate"),
            ("certificate.der", "certificate"), ("request.pem", "certificate request"),
        ]
        for (name, kind) in kinds {
            let error = #expect(throws: CryptoError.self) { try P256PrivateKey(reading: folder.read(name)) }
            #expect(error?.reason.contains("a " + kind) == true, "\(name): \(error?.reason ?? "")")
        }
        let pem = String(decoding: try folder.read("certificate.pem"), as: UTF8.self)
        #expect(try P256PublicKey(pem: pem) == P256PrivateKey(reading: folder.read("key.pem")).publicKey)
    }
}
