// SPDX-License-Identifier: Apache-2.0

import LoyaltyFeed
import TestSupport
import Testing

@testable import CounterServer

@Suite struct NearestWordTests {
    static let words = ["listen", "token_file", "tls_key", "language", "allowed_hosts"]

    @Test(arguments: [
        ("lisen", "listen"), ("LISTEN", "listen"), ("lsiten", "listen"), ("tls-key", "tls_key"),
        ("tokenfile", "token_file"), ("langauge", "language"), ("allowed_host", "allowed_hosts"),
    ])
    func `a slip finds its word`(slip: String, word: String) {
        #expect(NearestWord.find(slip, among: Self.words) == word)
    }

    @Test(arguments: ["", "x", "port", "certificate", "l", "\u{1F600}"]) func `another word finds none`(word: String) {
        #expect(NearestWord.find(word, among: Self.words) == nil)
    }

    @Test func `words of any length take no time`() {
        let long = String(repeating: "listen", count: 100_000)
        #expect(NearestWord.find(long, among: Self.words + [long]) == nil)
        #expect(NearestWord.find("a", among: []) == nil)
    }

    @Test(arguments: [
        ("", "", 0), ("a", "", 1), ("abc", "acb", 1), ("abc", "abd", 1), ("abc", "xyz", 3), ("ab", "abcd", 2),
    ])
    func `the distance counts changes`(first: String, second: String, distance: Int) {
        #expect(NearestWord.distance(first, second) == distance)
        #expect(NearestWord.distance(second, first) == distance)
    }
}

@Suite struct SettingPathsTests {
    private let paths = SettingPaths(
        folder: "/etc/c", working: "/work/dir", credentials: "/run/credentials/c", exists: { $0.hasSuffix("/here.pem") }
    )

    private func text(_ value: String, _ kind: SettingKind, fromFile: Bool = true) -> String? {
        guard case .string(let text) = paths.absolute(.string(value), kind, fromFile: fromFile) else { return nil }
        return text
    }

    @Test func `a path begins at the file, or at the working folder when a flag gave it`() {
        #expect(text("a/b", .path) == "/etc/c/a/b")
        #expect(text("a/b", .path, fromFile: false) == "/work/dir/a/b")
        #expect(text("/a/b", .path) == "/a/b")
        #expect(text("-", .path) == "-")
    }

    @Test func `a reader's file is a path too`() {
        #expect(text("emulated:p.json", .reader) == "emulated:/etc/c/p.json")
        #expect(text("replay:/t.apdu", .reader) == "replay:/t.apdu")
        #expect(text("pcsc:ACS/1", .reader) == "pcsc:ACS/1")
    }

    @Test func `a credential goes by its bare name, if there is one`() {
        #expect(text("here.pem", .secretFile) == "/run/credentials/c/here.pem")
        #expect(text("./here.pem", .secretFile) == "/etc/c/./here.pem")
        #expect(text("gone.pem", .secretFile) == "/etc/c/gone.pem")
        let list = paths.absolute(.array([.string("here.pem"), .string("b")]), .secretFiles, fromFile: true)
        #expect(list == .array([.string("/run/credentials/c/here.pem"), .string("/etc/c/b")]))
    }

    @Test func `other kinds stay as they are`() {
        #expect(text("a/b", .text) == "a/b")
        #expect(paths.absolute(.integer(3), .path, fromFile: true) == .integer(3))
    }
}

@Suite struct InlineSecretTests {
    private func isFound(_ key: String, _ value: SettingValue, known: [String] = ["url", "secret_file"]) -> Bool {
        InlineSecret.find(key, value, known: known) != nil
    }

    @Test func `names that only secrets have`() {
        for key in ["secret", "token", "password", "api_key", "API_KEY", "private_key"] {
            #expect(isFound(key, .string("x")), "\(key)")
        }
        #expect(isFound("app", .string("x"), known: ["app_file"]))
        #expect(!isFound("secret_file", .string("x")) && !isFound("name", .string("x")))
        #expect(!isFound("token", .string("x"), known: ["token"]))
    }

    @Test func `values that look like secrets, however deep`() {
        for text in ["whsec_AA", "whsk_AA", "-----BEGIN EC", "Bearer x", "Basic x", "nats://u:p@h", "https://u:p@h/x"] {
            #expect(isFound("url", .string(text)), "\(text)")
            #expect(isFound("url", .array([.table(["a": .string(text)])])), "\(text)")
        }
        for text in ["https://h/x", "https://u@h/", "https://h/a:b@c", "Bearer {{token}}", "whsec", "a:b@c"] {
            #expect(!isFound("url", .string(text)), "\(text)")
        }
    }
}

@Suite struct ConfigurationFileTests {
    @Test func `a folder, a device without end and a missing file are said`() throws {
        let folder = try TemporaryFolder()
        for path in [folder.path(), "/dev/zero", folder.path("none")] {
            #expect(throws: ConfigurationError.self) { try ConfigurationFile.read(path) }
        }
        let path = try folder.write("c.toml", "a = 1", mode: 0o644)
        #expect(try ConfigurationFile.read(path) == Array("a = 1".utf8))
    }

    @Test(arguments: [(0o600, true), (0o400, true), (0o640, false), (0o604, false), (0o610, false)])
    func `only the service's own files hold secrets`(mode: Int, isTaken: Bool) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("s", "x", mode: mode)
        #expect(((try? ConfigurationFile.secret(path, credentials: nil)) != nil) == isTaken)
    }

    @Test func `relative paths begin at the file's folder`() {
        let working = ConfigurationFile.paths(of: nil, [:]).working
        #expect(ConfigurationFile.paths(of: "c.toml", [:]).folder == working)
        #expect(ConfigurationFile.paths(of: "a/c.toml", [:]).folder == "\(working)/a")
        #expect(ConfigurationFile.paths(of: "/c.toml", [:]).folder == "")
        #expect(ConfigurationFile.paths(of: "/x/c.toml", ["CREDENTIALS_DIRECTORY": ""]).credentials == nil)
    }
}
