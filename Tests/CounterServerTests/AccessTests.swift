// SPDX-License-Identifier: Apache-2.0

import CounterServer
import Foundation
import TestSupport
import Testing
import WalletCrypto

/// Who is let in, and what browsers are told.
@Suite struct AccessTests {
    private static let token = "a-token-of-enough-characters"

    @Test func `a token is asked for where data are`() async throws {
        SecretsGate.register(.key, Self.token)
        let bench = try await APIBench.start { $0.tokens = [SecretBytes(copying: Self.token.utf8)] }
        for (path, method) in [
            ("/v1/taps", "GET"), ("/v1/events", "GET"), ("/v1/live", "GET"), ("/metrics", "GET"),
            ("/v1/wallet/tap", "POST"), ("/v1/dictionary", "GET"),
        ] {
            let answer = try bench.ask(method, path)
            #expect(answer.status == 401 && answer.field("WWW-Authenticate")?.hasPrefix("Bearer") == true, "\(path)")
        }
        for path in ["/", "/counter", "/decoder", "/assets/api.js", "/openapi.json", "/healthz", "/readyz"] {
            #expect(try bench.ask("GET", path).status == 200, "\(path)")
        }
        #expect(try !bench.ask("GET", "/readyz").text.contains("it turns"))
        for (field, status) in [
            ("Bearer \(Self.token)", 200), ("bearer \(Self.token)", 200), ("Bearer \(Self.token)x", 401),
            ("Basic \(Self.token)", 401), (Self.token, 401), ("Bearer", 401), ("Bearer  ", 401),
        ] {
            #expect(try bench.ask("GET", "/v1/taps", nil, ["Authorization": field]).status == status, "\(field.count)")
        }
        try await bench.stop()
    }

    @Test func `many wrong tokens are slowed down, the right one is not`() async throws {
        let bench = try await APIBench.start { $0.tokens = [SecretBytes(copying: Self.token.utf8)] }
        let wrong = try (0..<40).map { try bench.ask("GET", "/v1/taps", nil, ["Authorization": "Bearer \($0)"]).status }
        #expect(wrong.first == 401 && wrong.contains(429))
        #expect(try bench.ask("GET", "/v1/taps", nil, ["Authorization": "Bearer \(Self.token)"]).status == 200)
        try await bench.stop()
    }

    /// curl is another's TLS and HTTP.
    private static func curl(_ arguments: String...) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/curl")
        process.arguments = ["--silent", "--insecure", "--max-time", "20", "--write-out", " %{http_code}"] + arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text
    }

    /// Listening everywhere: what others see of it. The token goes through a file, as no secret stands in an argument.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "curl is not installed"))
    func `over TLS from another address`() async throws {
        let (certificate, key) = try ServiceTests.identity()
        let bench = try await APIBench.start {
            $0.server.address = ListenAddress(host: "0.0.0.0", port: 0)
            $0.tokens = [SecretBytes(copying: Self.token.utf8)]
            $0.server.identity = ServerIdentity(certificates: certificate, key: key)
        }
        let folder = try TemporaryFolder()
        try folder.write("fields", "Authorization: Bearer \(Self.token)\n")
        let fields = "@\(folder.path("fields"))"
        // Each address of the machine is its own; 127.0.0.2 stands in no list.
        let url = "https://127.0.0.2:\(bench.port)/v1/taps"
        #expect(try Self.curl(url).hasSuffix(" 401"))
        let answer = try Self.curl("--header", fields, url)
        #expect(answer.hasSuffix(" 200") && answer.contains("\"taps\":[]"))
        #expect(try Self.curl("--header", fields, "--header", "Host: 127.0.0.3", url).hasSuffix(" 421"))
        #expect(try Self.curl("--header", fields, "--header", "Host: evil.example", url).hasSuffix(" 421"))
        // Without TLS there is nothing.
        #expect(try Self.curl("http://127.0.0.2:\(bench.port)/v1/taps").hasSuffix(" 000"))
        try await bench.stop()
    }

    @Test func `other addresses need a token and TLS`() async throws {
        let (certificate, key) = try ServiceTests.identity()
        func code(_ change: @escaping (inout CounterAPISettings) -> Void) async throws -> ServerError.Code? {
            do {
                let bench = try await APIBench.start {
                    $0.server.address = ListenAddress(host: "0.0.0.0", port: 0)
                    change(&$0)
                }
                try await bench.stop()
                return nil
            } catch let error as ServerError { return error.code }
        }
        #expect(try await code { _ in } == .exposed)
        #expect(try await code { $0.tokens = [SecretBytes(copying: Self.token.utf8)] } == .exposed)
        #expect(
            try await code { $0.server.identity = ServerIdentity(certificates: certificate, key: key) } == .exposed)
        #expect(
            try await code {
                $0.tokens = [SecretBytes(copying: Self.token.utf8)]
                $0.server.identity = ServerIdentity(certificates: certificate, key: key)
            } == nil)
        #expect(
            try await code {
                $0.server.address = ListenAddress(host: "127.0.0.1", port: 0)
                $0.tokens = [SecretBytes(copying: "short".utf8)]
            } == .exposed)
    }

    @Test func `only our own hosts`() async throws {
        let bench = try await APIBench.start { $0.allowedHosts = ["Counter.Example", "with-port.example:8443"] }
        for (host, status) in [
            ("127.0.0.1", 200), ("127.0.0.1:\(bench.port)", 200), ("localhost:1", 200), ("LOCALHOST.", 200),
            ("[::1]:80", 200), ("counter.example", 200), ("with-port.example", 200), ("evil.example", 421),
            ("127.0.0.1.evil.example", 421), ("127.0.0.1:evil", 421), ("user@127.0.0.1", 421), ("[::1", 421),
            ("", 400),
        ] {
            #expect(try bench.ask("GET", "/v1/taps", nil, ["Host": host]).status == status, "\(host)")
        }
        // Twice. In the target it does not count.
        let twice = try bench.client()
        twice.send("GET /v1/taps HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
        #expect(twice.answer()?.status == 400)
        #expect(try bench.ask("GET", "http://localhost/v1/taps").status == 200)
        try await bench.stop()
    }

    @Test func `pages of others change nothing`() async throws {
        let bench = try await APIBench.start()
        let own = "http://127.0.0.1:\(bench.port)"
        for (fields, status) in [
            (["Origin": own], 200), (["Origin": own, "Sec-Fetch-Site": "same-origin"], 200),
            (["Sec-Fetch-Site": "none"], 200), (["Origin": "http://evil.example"], 403), (["Origin": "null"], 403),
            (["Origin": "http://127.0.0.1:1"], 403), (["Origin": "file://"], 403),
            (["Origin": own, "Sec-Fetch-Site": "cross-site"], 403), (["Sec-Fetch-Site": "same-site"], 403),
        ] {
            let all = fields.merging(["Host": "127.0.0.1:\(bench.port)"]) { $1 }
            let answer = try bench.ask("POST", "/v1/wallet/tap", nil, all)
            #expect(answer.status == status, "\(fields)")
            #expect(answer.field("Access-Control-Allow-Origin") == nil)
        }
        #expect(try bench.ask("OPTIONS", "/v1/wallet/tap", nil, ["Origin": "http://evil.example"]).status == 403)
        #expect(try bench.ask("GET", "/v1/taps", nil, ["Origin": "http://evil.example"]).status == 200)
        try await bench.stop()
    }

    @Test func `every answer is protected`() async throws {
        let bench = try await APIBench.start()
        for path in ["/", "/v1/taps", "/nowhere", "/assets/api.js"] {
            let answer = try bench.ask("GET", path)
            let policy = try #require(answer.field("Content-Security-Policy"))
            #expect(policy.hasPrefix("default-src 'none'") && !policy.contains("unsafe"), "\(path)")
            #expect(answer.field("X-Content-Type-Options") == "nosniff")
            #expect(answer.field("Referrer-Policy") == "no-referrer")
            #expect(answer.field("Cross-Origin-Opener-Policy") == "same-origin")
            #expect(answer.field("Permissions-Policy") != nil && answer.field("Server") == nil)
        }
        #expect(try bench.ask("GET", "/v1/taps").field("Cache-Control") == "no-store")
        try await bench.stop()
    }
}
