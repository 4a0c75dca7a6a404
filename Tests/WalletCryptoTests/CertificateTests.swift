// SPDX-License-Identifier: Apache-2.0

import Foundation
import ISO7816
import TestSupport
import Testing
import WalletCrypto

/// Certificates and the chains they make.
struct CertificateTests {
    let authority: TestAuthority
    init() throws { authority = try TestAuthority() }

    func trust(_ roots: [X509Certificate], _ intermediates: [X509Certificate], at date: Date) throws -> CertificateTrust
    {
        try CertificateTrust.evaluate(authority.signer, intermediates: intermediates, roots: roots, at: date).trust
    }

    @Test func `the values of a certificate are read`() throws {
        let signer = authority.signer
        #expect(signer.subjectValues(for: "UID") == ["pass.example.test"])
        #expect(signer.subjectValues(for: "OU") == ["ABCDE12345"])
        #expect(signer.subjectValues(for: "CN") == ["Pass Type ID: pass.example.test"])
        #expect(signer.subjectValues(for: "commonName") == signer.subjectValues(for: "2.5.4.3"))
        #expect(signer.subjectValues(for: "L") == [])
        #expect(signer.subject == "OU=ABCDE12345,CN=Pass Type ID: pass.example.test,UID=pass.example.test")
        #expect(signer.issuer == "CN=Test Intermediate")
        #expect(authority.root.subject == "CN=Test Root,C=DE")
        #expect(signer.notBefore == TestAuthority.start)
        #expect(signer.notAfter == TestAuthority.end)
        #expect(signer.serialNumber.count == 16)
        #expect(signer.publicKey == authority.signerKey.publicKey)
        #expect(try X509Certificate(pem: "text\n" + signer.pem()) == signer)
        #expect(try X509Certificate(der: signer.der[...]) == signer)
        #expect(try X509Certificate(reading: signer.der) == X509Certificate(reading: Array(signer.pem().utf8)))
    }

    @Test func `bytes before, after or instead of a certificate are refused`() throws {
        let der = authority.signer.der
        let text = Array("-----BEGIN CERTIFICATE-----".utf8)
        let bads: [[UInt8]] = [[], [0x30], der + [0], der.dropLast(), [0] + der, text]
        for bad in bads {
            let error = #expect(throws: CryptoError.self) { try X509Certificate(der: bad) }
            #expect(error?.code == .invalidCertificate)
        }
        #expect(throws: CryptoError.self) { try X509Certificate(pem: "") }
    }

    @Test func `a chain is trusted, expired, early or without a root`() throws {
        let (root, middle, now) = (authority.root, authority.intermediate, TestAuthority.middle)
        #expect(try trust([root], [middle], at: now) == .trusted)
        #expect(try trust([middle], [], at: now) == .trusted)
        let name = authority.signer.subject
        #expect(try trust([root], [middle], at: TestAuthority.end + 86400) != .trusted)
        if case .expired = try trust([root], [middle], at: TestAuthority.end + 86400) {
        } else {
            Issue.record("not expired")
        }
        if case .notYetValid = try trust([root], [middle], at: TestAuthority.start - 9) {
        } else {
            Issue.record("not early")
        }
        let other = try TestAuthority()
        for (roots, intermediates) in [
            ([], [middle]), ([root], []), ([other.root], [middle]), ([other.root], [other.intermediate]),
        ] {
            let found = try trust(roots, intermediates, at: now)
            if case .untrusted(let reason) = found { #expect(!reason.isEmpty) } else { Issue.record("\(found)") }
            // Being expired as well does not make it any better.
            if case .untrusted = try trust(roots, intermediates, at: .distantFuture) {} else { Issue.record("\(name)") }
        }
    }

    @Test func `the chain is listed from the leaf`() throws {
        let found = try CertificateTrust.evaluate(
            authority.signer, intermediates: [authority.intermediate], roots: [authority.root], at: TestAuthority.middle
        )
        #expect(found.chain == [authority.signer, authority.intermediate, authority.root])
    }

    @Test func `a certificate that is no authority cannot issue`() throws {
        let key = try P256PrivateKey.generate()
        let forged = try X509Certificate.issue(
            subject: [("CN", "Forged")], publicKey: key.publicKey, issuer: authority.signer,
            issuerKey: authority.signerKey, notBefore: TestAuthority.start, notAfter: TestAuthority.end)
        let found = try CertificateTrust.evaluate(
            forged, intermediates: [authority.signer, authority.intermediate], roots: [authority.root],
            at: TestAuthority.middle)
        if case .untrusted = found.trust {} else { Issue.record("\(found.trust)") }
    }

    @Test func `odd dates and names do not trap`() throws {
        let key = try P256PrivateKey.generate()
        for date in [
            Date.distantPast, .distantFuture, Date(timeIntervalSince1970: .nan), Date(timeIntervalSince1970: 1e300),
        ] {
            _ = try? X509Certificate.issue(
                subject: [("CN", "ü,=+\u{0}\"")], publicKey: key.publicKey, issuer: nil, issuerKey: key,
                notBefore: date,
                notAfter: date)
            _ = try trust([authority.root], [], at: date)
        }
        #expect(throws: CryptoError.self) {
            try X509Certificate.issue(
                subject: [("NoSuchPart", "x")], publicKey: key.publicKey, issuer: nil, issuerKey: key,
                notBefore: .now, notAfter: .now)
        }
    }

    @Test(.enabled(if: Outside.openssl != nil, "the openssl program is not installed"))
    func `openssl agrees on names, dates and chains, and Apple's critical extensions pass`() throws {
        let folder = try TemporaryFolder()
        try folder.write("root.pem", Array(authority.root.pem().utf8))
        try folder.write("middle.pem", Array(authority.intermediate.pem().utf8))
        try folder.write("leaf.pem", Array(authority.signer.pem().utf8))
        let time = "\(Int(TestAuthority.middle.timeIntervalSince1970))"
        try Outside.run(
            Outside.openssl,
            ["verify", "-attime", time, "-x509_strict", "-CAfile", "root.pem", "-untrusted", "middle.pem", "leaf.pem"],
            in: folder)
        let names = try Outside.run(
            Outside.openssl, ["x509", "-in", "leaf.pem", "-noout", "-subject", "-nameopt", "RFC2253"], in: folder)
        #expect(String(decoding: names, as: UTF8.self) == "subject=" + authority.signer.subject + "\n")
        for (arc, isTaken) in [("1.2.840.113635.100.6.39", true), ("1.2.840.99999.1", false)] {
            try Outside.run(
                Outside.openssl,
                [
                    "req", "-x509", "-newkey", "rsa:1024", "-nodes", "-keyout", "k.pem", "-subj", "/CN=Marked", "-out",
                    "c.pem",
                    "-days", "2", "-addext", "\(arc)=critical,DER:0500",
                ], in: folder)
            let marked = try X509Certificate(reading: folder.read("c.pem"))
            #expect(marked.publicKey == nil)
            #expect((try CertificateTrust.evaluate(marked, roots: [marked]).trust == .trusted) == isTaken)
        }
    }
}
