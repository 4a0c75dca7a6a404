// SPDX-License-Identifier: Apache-2.0

import AppleVAS
import CounterServer
import Foundation
import LoyaltyFeed
import TestSupport
import Testing
import WalletCrypto

@Suite struct ConfigurationFilesTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("phone.json", #"{"locked":false,"passes":[]}"#)
    }

    private func pem() throws -> [UInt8] {
        let key = try P256PrivateKey.generate()
        key.sec1PEM().withUnsafeBytes { SecretsGate.register(sec1: $0) }
        return key.pkcs8PEM().withUnsafeBytes { Array($0) }
    }

    private func load(_ more: String, environment: [String: String] = [:]) throws -> CounterConfiguration {
        try CounterConfiguration.load(
            path: try folder.write("c.toml", ConfigurationBench.minimal + more), environment: environment)
    }

    private func faults(_ more: String, environment: [String: String] = [:]) throws -> [String] {
        let place = folder.path("c.toml")
        return try load(more, environment: environment).fileProblems().map {
            "\($0)".replacing(place, with: "c.toml").replacing(folder.path(), with: "")
        }
    }

    @Test func `a configuration whose files are right has no fault`() throws {
        try folder.write("a.pem", try pem())
        try folder.write("b.pem", try pem())
        try folder.write("tokens", "# ours\n0123456789abcdef\n\nfedcba9876543210\n")
        let configuration = try load(
            "keys = [\"a.pem\", \"b.pem\"]\n[http]\ntoken_file = \"tokens\"\n"
                + "[[sink]]\nname = \"x\"\ntype = \"jsonl\"\npath = \"x.jsonl\"\n")
        #expect(configuration.fileProblems().map(\.description) == [])
        #expect(try configuration.keyRing().keys.count == 2)
        #expect(try configuration.bearerTokens().map(\.count) == [16, 16])
        #expect(try configuration.makeSinks().map(\.name) == ["x"])
        #expect(try configuration.serverIdentity() == nil)
    }

    @Test(arguments: [0o640, 0o604, 0o620, 0o602]) func `a secret that others can read or write is refused`(
        mode: Int
    ) throws {
        try folder.write("a.pem", try pem(), mode: mode)
        try folder.write("tokens", "0123456789abcdef", mode: mode)
        let problems = try load("key = \"a.pem\"\n[http]\ntoken_file = \"tokens\"").fileProblems()
        #expect(problems.map(\.code) == [.filePermissions, .filePermissions])
        #expect(problems.map(\.key) == ["pass[0].key", "http.token_file"])
        #expect(problems.allSatisfy { $0.hint?.contains("chmod 600") ?? false })
    }

    @Test func `a file that is wrong is said with the line of its key`() throws {
        try folder.write("no.pem", "no key")
        try folder.write("short", "abc")
        try folder.write("empty", "# nothing\n")
        #expect(try faults("key = \"no.pem\"").first?.hasPrefix("c.toml:7:1: pass[0].key: /no.pem: ") ?? false)
        #expect(
            try faults("key = \"none.pem\"").first?.hasPrefix("c.toml:7:1: pass[0].key: /none.pem cannot be") ?? false)
        #expect(try faults("[http]\ntoken_file = \"short\"").first?.contains("fewer than 16") ?? false)
        #expect(try faults("[http]\ntoken_file = \"empty\"").first?.contains("holds no token") ?? false)
        let tls = "[http]\ntls_certificate = \"no.pem\"\ntls_key = \"no.pem\""
        #expect(try faults(tls).first?.hasPrefix("c.toml:8:1: http.tls_certificate: ") ?? false)
        try FileManager.default.removeItem(atPath: folder.path("phone.json"))
        #expect(try faults("").first?.hasPrefix("c.toml:3:1: counter.reader: ") ?? false)
    }

    @Test func `a systemd credential goes by its name, and its group mask is no fault`() throws {
        let credentials = try TemporaryFolder()
        try credentials.write("vas.pem", try pem(), mode: 0o440)
        let root = credentials.path().hasSuffix("/") ? String(credentials.path().dropLast()) : credentials.path()
        let environment = ["CREDENTIALS_DIRECTORY": root]
        let configuration = try load("key = \"vas.pem\"", environment: environment)
        #expect(configuration.passes[0].keys == ["\(root)/vas.pem"])
        #expect(try configuration.keyRing().keys.count == 1)
        try credentials.write("vas.pem", try pem(), mode: 0o444)
        #expect(throws: ConfigurationError.self) { try configuration.keyRing() }
        try folder.write("vas.pem", try pem())
        let local = try load("key = \"./vas.pem\"", environment: environment)
        #expect(try local.keyRing().keys.count == 1)
    }
}
