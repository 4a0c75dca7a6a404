// SPDX-License-Identifier: Apache-2.0

import Foundation
import InAppProvisioning
import TestSupport
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// TLS, tokens, watch and reports of `provision`, with the issuer in another process.
@Suite(.serialized) struct ProvisioningOptionTests {
    private typealias Issuer = ProvisioningProcessTests.Issuer

    private func evidence(_ outcome: ToolProcess.Outcome, _ verdict: String = "fail") throws -> [String] {
        let checks = try #require(try outcome.json()["checks"] as? [[String: Any]])
        return checks.filter { $0["verdict"] as? String == verdict }
            .map { "\($0["id"] as? String ?? "") \($0["text"] as? String ?? "")" }
    }

    /// A server's certificate for 127.0.0.1 that signs itself, as OpenSSL makes it, and its key.
    private func writeCertificate(_ name: String, in folder: TemporaryFolder) throws {
        let words =
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout \(name)-key.pem -out \(name).pem "
            + "-days 2 -subj /CN=\(name) -addext subjectAltName=IP:127.0.0.1"
        try Outside.run(Outside.openssl, words.split(separator: " ").map(String.init), in: folder)
    }

    @Test(.enabled(if: Outside.openssl != nil, "there is no openssl"))
    func `TLS: the authority that is named is trusted, and no other`() async throws {
        let folder = try TemporaryFolder()
        for name in ["server", "other"] { try writeCertificate(name, in: folder) }
        let issuer = try await Issuer(
            ["--tls-certificate", "server.pem", "--tls-key", "server-key.pem"], in: folder)
        #expect(issuer.url.hasPrefix("https://"))
        let good = try await issuer.provision("tmp", ["--ca", "server.pem", "--probes"])
        #expect(good.status == 0, "\(good.output) \(good.talk)")
        for more in [[], ["--ca", "other.pem"]] {
            let refused = try await issuer.provision("tmp", more)
            #expect(refused.status == 1)
            #expect(try evidence(refused).map { $0.prefix(8) } == ["R-status"])
            #expect(refused.talk.contains("certificate is not trusted"), "\(refused.talk)")
        }
        let plain = try await ToolProcess.run(
            [
                "provision", "--issuer", issuer.url.replacing("https", with: "http"), "--profile", "tmp", "--card-file",
                "cards.json", "--json",
            ], in: folder)
        #expect(plain.status == 1, "no TLS where TLS is wanted")
        try await issuer.stop()
    }

    @Test func `a bearer token from a file, the right one, a wrong one and none`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("tokens", "open-sesame\n")
        try folder.write("wrong", "shut-sesame\n")
        let issuer = try await Issuer(["--token-file", "tokens"], in: folder)
        #expect(try await issuer.provision("marqeta", ["--token", "tokens"]).status == 0)
        for more in [[], ["--token", "wrong"]] {
            let refused = try await issuer.provision("marqeta", more)
            #expect(refused.status == 1)
            #expect(try evidence(refused) == ["R-status The back end answers with a status of 2xx: status 401"])
        }
        try await issuer.stop()
        let log = try folder.text(folder.path("audit.log"))
        #expect(!log.contains("sesame") && log.contains("unauthorised"))
    }

    @Test func `a card for the watch lands in the watch's file, and pays there`() async throws {
        let issuer = try await Issuer(in: TemporaryFolder())
        let added = try await issuer.provision("plain", ["--watch", "--phone", "watch.json"])
        #expect(added.status == 0 && added.talk.contains("on the watch"), "\(added.talk)")
        try await issuer.stop()
        let paid = try await ToolProcess.run(
            ["pay", "--amount", "5", "--currency", "EUR", "--reader", "emulated:watch.json", "--json"],
            in: issuer.folder)
        #expect(paid.status == 0, "\(paid.talk)")
    }

    /// Elements of a JUnit report, as CI servers count them.
    private final class Counter: NSObject, XMLParserDelegate {
        var counts: [String: Int] = [:]
        var suites: [[String: String]] = []
        var all: [String: String] = [:]

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            counts[name, default: 0] += 1
            if name == "testsuite" { suites.append(attributes) }
            if name == "testsuites" { all = attributes }
        }
    }

    @Test func `JUnit: the numbers are those of the elements, and CI sees the failure`() async throws {
        let issuer = try await Issuer(["--fault", "mistake=partyv-spki"], in: TemporaryFolder())
        let outcome = try await issuer.provision("plain", ["--report", "out.xml"])
        #expect(outcome.status == 1)
        try await issuer.stop()
        let parser = XMLParser(data: Data(try issuer.folder.read("out.xml")))
        let counter = Counter()
        parser.delegate = counter
        #expect(parser.parse())
        #expect(counter.counts["testsuite"] == 11 && counter.counts["testsuites"] == 1)
        #expect(counter.counts["testcase"] == ConformanceCheck.all.count && counter.counts["failure"] == 1)
        for (name, element) in [("tests", "testcase"), ("failures", "failure"), ("skipped", "skipped")] {
            #expect(counter.all[name].flatMap(Int.init) == counter.counts[element], "\(name)")
            #expect(counter.suites.compactMap { $0[name].flatMap(Int.init) }.reduce(0, +) == counter.counts[element])
        }
    }

    @Test func `the number is in a report only when it is asked for`() async throws {
        let issuer = try await Issuer(in: TemporaryFolder())
        for (more, isThere) in [([], false), (["--unmask"], true)] {
            for file in ["out.json", "out.xml", "out.txt"] {
                let outcome = try await issuer.provision("plain", ["--report", file] + more)
                #expect(outcome.status == 0)
                #expect(outcome.output.contains(ProvisioningProcessTests.pan) == isThere)
                let report = String(decoding: try issuer.folder.read(file), as: UTF8.self)
                // JUnit has no evidence of what passes.
                if file != "out.xml" { #expect(report.contains(ProvisioningProcessTests.pan) == isThere, "\(file)") }
                #expect(!isThere || !outcome.talk.contains(ProvisioningProcessTests.pan))
            }
        }
        try await issuer.stop()
    }

    @Test func `a package's folder is built and run`() async throws {
        let folder = try TemporaryFolder()
        for name in ["Check", "Check/Sources", "Check/Sources/check"] {
            try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
        }
        try folder.write(
            "Check/Package.swift",
            """
            // swift-tools-version: 6.0
            import PackageDescription
            let package = Package(name: "Check", targets: [.executableTarget(name: "check")])
            """)
        // What a program with ExtensionHarness leaves behind.
        try folder.write(
            "Check/Sources/check/main.swift",
            ##"""
            import Foundation
            let path = ProcessInfo.processInfo.environment["COUNTERTOP_EXTENSION_REPORT"] ?? ""
            let verdict = CommandLine.arguments.dropFirst().first ?? "pass"
            let text = #"{"ok":true,"checks":[{"id":"X-request","verdict":"\#(verdict)"}],"diagnosis":null}"#
            try Data(text.utf8).write(to: URL(filePath: path))
            """##)
        let good = try await ToolProcess.run(["extension", "check", "Check", "--json"], in: folder, timeout: 300)
        #expect(good.status == 0, "\(good.talk)")
        let bad = try await ToolProcess.run(
            ["extension", "check", "Check", "--product", "check", "--json", "--", "fail"], in: folder, timeout: 300)
        #expect(bad.status == 1, "\(bad.talk)")
        #expect(try evidence(bad).count == 1)
    }
}
