// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import TestSupport
import Testing
import WalletCrypto

@testable import InAppProvisioning

@Suite struct ChainTests {
    private typealias Shape = ProvisioningTestAuthority.Shape
    private let authority: ProvisioningTestAuthority
    private let chain: IssuerChain

    init() throws {
        authority = try Fixture.authority()
        chain = IssuerChain(roots: [authority.root])
    }

    private func report(_ date: Date = Fixture.date, _ change: (inout Shape) -> Void = { _ in }) throws -> ChainReport {
        var shape = Shape()
        change(&shape)
        return chain.validate(try authority.makeIdentity(shape, at: Fixture.date).certificates, at: date)
    }

    private func codes(_ report: ChainReport, fatal: Bool) -> Set<ChainFinding.Code> {
        Set(report.findings.filter { $0.isFatal == fatal }.map(\.code))
    }

    @Test func `two and three certificates with the critical marker are accepted`() throws {
        for root in [false, true] {
            let identity = try authority.makeIdentity(
                {
                    var shape = Shape()
                    shape.includesRoot = root
                    return shape
                }(), at: Fixture.date)
            #expect(identity.certificates.count == (root ? 3 : 2))
            let report = chain.validate(identity.certificates, at: Fixture.date)
            #expect(report.isAccepted && report.leafKey == identity.leafKey.publicKey)
            #expect(codes(report, fatal: false) == [.testRoot])
            #expect(try report.acceptedKey() == identity.leafKey.publicKey)
        }
    }

    @Test func `the chain looks like a wallet's, under names that are not Apple's`() throws {
        let identity = try Fixture.identity()
        let leaf = try X509Certificate(der: identity.certificates[0])
        let marker = try #require(leaf.extensions.first { $0.identifier == IssuerChain.leafMarker })
        #expect(marker.isCritical && marker.value == [0x05, 0x00])
        let usage = try #require(leaf.extensions.first { $0.identifier == "2.5.29.15" })
        #expect(usage.isCritical && usage.value == [0x03, 0x02, 0x03, 0x28])
        for der in identity.certificates {
            let certificate = try X509Certificate(der: der)
            #expect(!certificate.subjectValues(for: "CN").joined().contains("Apple"))
            #expect(certificate.subjectValues(for: "O") == ["countertop test authority, not Apple"])
            #expect(ProvisioningTestAuthority.isTestCertificate(certificate))
        }
        let request = identity.makeRequest()
        #expect(request.nonce.count == 4 && request.nonceSignature.count == 81)
        #expect(request.nonceSignature.first == 0x40)
        #expect(identity.makeRequest().nonce != request.nonce)
    }

    @Test func `another process's authority is the same one`() throws {
        let other = try ProvisioningTestAuthority()
        #expect(other.root.der != authority.root.der)
        let theirs = try other.makeIdentity(at: Fixture.date)
        #expect(chain.validate(theirs.certificates, at: Fixture.date).isAccepted)
    }

    @Test func `the leaf is found wherever it stands`() throws {
        let report = try report {
            $0.includesRoot = true
            $0.isReversed = true
        }
        #expect(report.isAccepted && codes(report, fatal: false).contains(.swapped))
    }

    @Test func `wrong leaves are refused, each for its reason`() throws {
        #expect(codes(try report { $0.key = .rsa }, fatal: true) == [.notP256])
        #expect(try report { $0.key = .rsa }.findings.contains { $0.text.contains("RSA") })
        #expect(codes(try report { $0.key = .p384 }, fatal: true) == [.notP256])
        #expect(codes(try report { $0.marker = .absent }, fatal: true) == [.noMarker])
        #expect(codes(try report { $0.ends = -1 }, fatal: true) == [.expired])
        #expect(codes(try report { $0.begins = 60 }, fatal: true) == [.notYetValid])
        let notCritical = try report { $0.marker = .notCritical }
        #expect(notCritical.isAccepted && codes(notCritical, fatal: false).contains(.markerNotCritical))
    }

    @Test func `dates are those of the clock that is given, and may be ignored`() throws {
        let later = Fixture.date.addingTimeInterval(3 * 365 * 86_400)
        let report = try report(later)
        #expect(codes(report, fatal: true) == [.expired])
        let error = #expect(throws: ProvisioningError.self) { try report.acceptedKey() }
        #expect(error?.code == .invalidChain && error?.reason.contains("run out") == true)
        let lax = IssuerChain(roots: [authority.root], ignoresDates: true)
        let certificates = try Fixture.identity().certificates
        #expect(lax.validate(certificates, at: later).isAccepted)
    }

    @Test func `another root is refused, whatever the certificates bring along`() throws {
        let stranger = try ProvisioningTestAuthority(label: "someone else")
        var shape = Shape()
        shape.includesRoot = true
        let theirs = try stranger.makeIdentity(shape, at: Fixture.date)
        #expect(codes(chain.validate(theirs.certificates, at: Fixture.date), fatal: true) == [.untrusted])
        let none = IssuerChain(roots: [])
        #expect(!none.validate(try Fixture.identity().certificates, at: Fixture.date).isAccepted)
    }

    @Test func `a leaf alone needs an intermediate that is known`() throws {
        let leaf = Array(try Fixture.identity().certificates.prefix(1))
        #expect(codes(chain.validate(leaf, at: Fixture.date), fatal: true) == [.untrusted])
        let knowing = IssuerChain(roots: [authority.root], intermediates: [authority.intermediate])
        let report = knowing.validate(leaf, at: Fixture.date)
        #expect(report.isAccepted && codes(report, fatal: false) == [.leafOnly, .testRoot])
    }

    @Test func `nothing, rubbish, too much, two leaves`() throws {
        let sound = try Fixture.identity().certificates
        #expect(codes(chain.validate([], at: Fixture.date), fatal: true) == [.empty])
        #expect(codes(chain.validate([sound[0], [1, 2, 3]], at: Fixture.date), fatal: true) == [.unreadable])
        let long = [[UInt8]](repeating: sound[0], count: 7)
        #expect(codes(chain.validate(long, at: Fixture.date), fatal: true) == [.tooMany])
        let two = try Fixture.identity().certificates.prefix(1) + sound
        #expect(codes(chain.validate(Array(two), at: Fixture.date), fatal: true).contains(.severalLeaves))
        #expect(chain.validate([sound[0]] + sound, at: Fixture.date).isAccepted)
    }

    @Test func `never traps, and never accepts what was changed`() throws {
        let sound = try Fixture.identity().certificates
        var random = SeededRandom(seed: 3)
        for _ in 0..<400 {
            let changed = sound.map { random.mutate($0) }
            let report = chain.validate(changed, at: Fixture.date)
            #expect(!report.isAccepted || changed[0] == sound[0] || report.leaf?.der == sound[0])
            _ = chain.validate([random.bytes(Int.random(in: 0..<200, using: &random))], at: Fixture.date)
        }
    }

    @Test(.enabled(if: Outside.openssl != nil, "there is no openssl program"))
    func `OpenSSL reads the same chain`() throws {
        let folder = try TemporaryFolder()
        let leaf = try X509Certificate(der: try Fixture.identity().certificates[0])
        let root = try folder.write("root.pem", authority.root.pem())
        let middle = try folder.write("middle.pem", authority.intermediate.pem())
        let path = try folder.write("leaf.pem", leaf.pem())
        let arguments = ["verify", "-ignore_critical", "-CAfile", root, "-untrusted", middle, path]
        let said = try Outside.run(Outside.openssl, arguments, in: folder)
        #expect(String(decoding: said, as: UTF8.self).contains("OK"))
    }
}
