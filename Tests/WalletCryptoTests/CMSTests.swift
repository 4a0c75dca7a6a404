// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WalletCrypto

/// Detached signatures: sound, changed, broken, and whom to trust.
struct CMSTests {
    let authority: TestAuthority
    let content = Array("{\"pass.json\":\"0123\"}\r\n".utf8)
    let signature: [UInt8]

    init() throws {
        authority = try TestAuthority()
        signature = try CMS.signDetached(
            content, key: authority.signerKey, certificate: authority.signer, intermediates: [authority.intermediate],
            signingTime: TestAuthority.middle)
    }

    func verify(
        _ signature: [UInt8], _ content: [UInt8], roots: [X509Certificate]? = nil, at date: Date = TestAuthority.middle
    ) throws -> CMSSigners {
        try CMS.verifyDetached(signature: signature, content: content, roots: roots ?? [authority.root], at: date)
    }

    @Test func `a sound signature tells its signer, chain and time`() throws {
        let result = try verify(signature, content)
        let signer = try #require(result.signers.first)
        #expect(result.signers.count == 1)
        #expect(signer.certificate == authority.signer)
        #expect(signer.chain == [authority.signer, authority.intermediate, authority.root])
        #expect(signer.signingTime == TestAuthority.middle)
        #expect(signer.digestAlgorithm == "SHA256")
        #expect(signer.trust == .trusted)
        #expect(Set(result.certificates) == [authority.signer, authority.intermediate])
        try result.requireTrusted()
    }

    @Test func `changed content is told apart from a broken signature`() throws {
        for other in [content + [0], Array(content.dropLast()), [], Array("{\"pass.json\":\"0124\"}\r\n".utf8)] {
            let error = #expect(throws: CryptoError.self) { try verify(signature, other) }
            #expect(error?.code == .contentChanged)
        }
        var broken = signature
        broken[broken.count - 1] ^= 1
        let error = #expect(throws: CryptoError.self) { try verify(broken, content) }
        #expect(error?.code == .invalidSignature)
    }

    @Test func `an untrusted or expired signer is a value`() throws {
        let untrusted = try verify(signature, content, roots: [])
        if case .untrusted = untrusted.signers.first?.trust {} else { Issue.record("\(untrusted.signers)") }
        let error = #expect(throws: CryptoError.self) { try untrusted.requireTrusted() }
        #expect(error?.code == .untrusted)
        #expect(error?.reason.contains("intact") == true)
        for date in [TestAuthority.end + 1, TestAuthority.start - 1] {
            let outside = try verify(signature, content, at: date)
            let expired = #expect(throws: CryptoError.self) { try outside.requireTrusted() }
            #expect(expired?.code == .expired)
        }
    }

    @Test func `what is not a signature is refused`() throws {
        for bad in [[], [0x30, 0], Array(content), Array(signature.dropLast()), signature + [0], authority.signer.der] {
            let error = #expect(throws: CryptoError.self) { try verify(bad, content) }
            #expect(error?.code == .invalidSignature)
        }
    }

    @Test func `a key signs for its own certificate only`() throws {
        let error = #expect(throws: CryptoError.self) {
            try CMS.signDetached(content, key: .generate(), certificate: authority.signer)
        }
        #expect(error?.code == .invalidKey)
        let empty = try CMS.signDetached([], key: authority.signerKey, certificate: authority.signer)
        #expect(try verify(empty, []).signers.count == 1)
    }

    @Test func `a missing intermediate can be given`() throws {
        let bare = try CMS.signDetached(content, key: authority.signerKey, certificate: authority.signer)
        if case .untrusted = try verify(bare, content).signers.first?.trust {} else { Issue.record("trusted") }
        let helped = try CMS.verifyDetached(
            signature: bare, content: content, roots: [authority.root], intermediates: [authority.intermediate],
            at: TestAuthority.middle)
        try helped.requireTrusted()
    }

    @Test(.enabled(if: Outside.openssl != nil, "the openssl program is not installed"))
    func `openssl verifies ours`() throws {
        let folder = try TemporaryFolder()
        try folder.write("content", content)
        try folder.write("signature", signature)
        try folder.write("root.pem", Array(authority.root.pem().utf8))
        let arguments = [
            "cms", "-verify", "-binary", "-inform", "DER", "-in", "signature", "-content", "content", "-CAfile",
            "root.pem",
            "-purpose", "any", "-attime", "\(Int(TestAuthority.middle.timeIntervalSince1970))", "-out", "out",
        ]
        try Outside.run(Outside.openssl, arguments, in: folder)
        #expect(try folder.read("out") == content)
        try folder.write("content", content + [0])
        #expect(throws: Outside.Failed.self) { try Outside.run(Outside.openssl, arguments, in: folder) }
    }

    @Test(
        .enabled(if: Outside.openssl != nil, "the openssl program is not installed"),
        arguments: [["cms"], ["cms", "-noattr"], ["smime"], ["cms", "-keyid"]], ["ec", "rsa"])
    func `we verify openssl's`(form: [String], kind: String) throws {
        let folder = try TemporaryFolder()
        try folder.write("content", content)
        let key = kind == "ec" ? ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"] : ["rsa:2048"]
        try Outside.run(
            Outside.openssl,
            ["req", "-x509", "-newkey"] + key + [
                "-nodes", "-keyout", "key.pem", "-subj", "/UID=pass.x/CN=Pass", "-out", "c.pem",
            ],
            in: folder)
        let arguments = [
            "-sign", "-binary", "-md", "sha256", "-signer", "c.pem", "-inkey", "key.pem", "-in", "content", "-outform",
            "DER", "-out", "s",
        ]
        try Outside.run(Outside.openssl, [form[0]] + form.dropFirst() + arguments, in: folder)
        let certificate = try X509Certificate(reading: folder.read("c.pem"))
        let signature = try folder.read("s")
        let result = try CMS.verifyDetached(signature: signature, content: content, roots: [certificate])
        try result.requireTrusted()
        #expect(result.signers.map(\.certificate) == [certificate])
        #expect((result.signers.first?.signingTime != nil) == !form.contains("-noattr"))
        let error = #expect(throws: CryptoError.self) { try verify(signature, content + [1]) }
        #expect(error?.code == .contentChanged)
    }

    @Test(.enabled(if: Outside.openssl != nil, "the openssl program is not installed"))
    func `a signature that carries its content, or no certificate, is said so`() throws {
        let folder = try TemporaryFolder()
        try folder.write("content", content)
        try folder.write("c.pem", Array(authority.signer.pem().utf8))
        try folder.write("key.pem", authority.signerKey.pkcs8PEM().array)
        let common = [
            "cms", "-sign", "-binary", "-signer", "c.pem", "-inkey", "key.pem", "-in", "content", "-outform", "DER",
            "-out", "s",
        ]
        for (option, words) in [("-nodetach", "not detached"), ("-nocerts", "did not come")] {
            try Outside.run(Outside.openssl, common + [option], in: folder)
            let error = #expect(throws: CryptoError.self) { try verify(folder.read("s"), content) }
            #expect(error?.code == .invalidSignature)
            #expect(error?.reason.contains(words) == true)
        }
    }
}
