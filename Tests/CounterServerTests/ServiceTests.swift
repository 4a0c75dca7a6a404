// SPDX-License-Identifier: Apache-2.0

import CounterServer
import Foundation
import InAppProvisioning
import TestSupport
import Testing
import WalletCrypto

/// Faults on purpose, TLS, the end, and what does not start.
@Suite struct ServiceTests {
    @Test func `faults reach the connection`() async throws {
        let dropping = try await ServerBench.start { $0.fault = .drop }
        let client = try dropping.client()
        client.send(try dropping.request())
        #expect(client.readToEnd().isEmpty)
        #expect(dropping.audit.last?.contains("\"answer\":\"dropped\"") == true)
        try await dropping.stop()

        let late = try await ServerBench.start { $0.fault = .delay(400) }
        let start = ContinuousClock.now
        #expect(try late.opened())
        #expect(ContinuousClock.now - start >= .milliseconds(400))
        #expect(late.audit.last?.contains("\"injected\":\"true\"") == true)
        try await late.stop()

        let failing = try await ServerBench.start { $0.fault = .status(503) }
        #expect(try failing.ask(try failing.request())?.status == 503)
        try await failing.stop()
    }

    @Test func `a request that is there is answered before the end`() async throws {
        let bench = try await ServerBench.start { $0.fault = .delay(500) }
        let (busy, idle) = (try bench.client(), try bench.client())
        busy.send(try bench.request())
        try await Task.sleep(for: .milliseconds(150))
        async let stopped: Void = bench.stop()
        #expect(busy.answer()?.status == 200)
        try await stopped
        #expect(idle.read() == nil)
    }

    @Test func `the end does not wait for ever`() async throws {
        let bench = try await ServerBench.start {
            $0.fault = .delay(60_000)
        } server: {
            $0.limits.shutdown = .milliseconds(300)
        }
        let client = try bench.client()
        client.send(try bench.request())
        try await Task.sleep(for: .milliseconds(150))
        let start = ContinuousClock.now
        try await bench.stop()
        #expect(ContinuousClock.now - start < .seconds(10))
        #expect(client.readToEnd().isEmpty)
    }

    @Test(.enabled(if: Outside.openssl != nil, "there is no openssl"))
    func `TLS is spoken with the key that was given`() async throws {
        let folder = try TemporaryFolder()
        let (certificate, key) = try Self.identity()
        let (other, _) = try Self.identity()
        await #expect(throws: ServerError.self) {
            _ = try await ServerBench.start(server: { $0.identity = ServerIdentity(certificates: other, key: key) })
        }
        let bench = try await ServerBench.start {
            _ in
        } server: {
            $0.identity = ServerIdentity(certificates: certificate, key: key)
        }
        try folder.write("root.pem", certificate)
        try folder.write("request", try bench.request())
        let script =
            "exec \(Outside.openssl ?? "") s_client -quiet -verify_return_error -CAfile root.pem "
            + "-verify_hostname localhost -connect 127.0.0.1:\(bench.port) < request 2>/dev/null"
        let bytes = try Outside.run("/bin/sh", ["-c", script], in: folder)
        let answer = try #require(RawClient.Answer(bytes))
        #expect(answer.status == 200)
        #expect(try bench.opens(answer.body, try #require(ProcessorProfile.named("plain"))))
        // Plain HTTP does not get an answer there, and the service goes on.
        #expect(try bench.ask(try bench.request()) == nil)
        #expect(try Outside.run("/bin/sh", ["-c", script], in: folder).isEmpty == false)
        try await bench.stop()
    }

    /// A certificate for localhost that signs itself, as OpenSSL makes it, and its key.
    static func identity() throws -> (certificate: [UInt8], key: [UInt8]) {
        let folder = try TemporaryFolder()
        let words =
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out root.pem -days 2 "
            + "-subj /CN=localhost -addext subjectAltName=DNS:localhost"
        try Outside.run(Outside.openssl, words.split(separator: " ").map(String.init), in: folder)
        return (try folder.read("root.pem"), try folder.read("key.pem"))
    }

    @Test func `what does not start says why`() async throws {
        func code(_ change: (inout ServerSettings) throws -> Void) async throws -> ServerError.Code? {
            do {
                let bench = try await ServerBench.start(server: { settings in try? change(&settings) })
                try await bench.stop()
                return nil
            } catch let error as ServerError { return error.code }
        }
        #expect(try await code { $0.address = ListenAddress(host: "0.0.0.0", port: 0) } == .exposed)
        #expect(
            try await code {
                $0.address = ListenAddress(host: "0.0.0.0", port: 0)
                $0.allowsAnyone = true
            } == nil)
        #expect(try await code { $0.identity = ServerIdentity(certificates: [], key: []) } == .invalidTLS)
    }

    @Test func `a port that is taken is named`() async throws {
        let bench = try await ServerBench.start()
        var settings = ServerSettings()
        settings.address = ListenAddress(host: "127.0.0.1", port: bench.port)
        let cards = try IssuerCardFile([])
        let second = try IssuerServer(IssuerSettings(cards: cards, chain: IssuerChain(roots: [])), settings)
        let error = await #expect(throws: ServerError.self) { try await second.run() }
        #expect(error?.code == .unavailable)
        #expect(error?.reason.contains("\(bench.port)") == true)
        try await bench.stop()
    }

    @Test func `addresses are read strictly`() throws {
        #expect(try ListenAddress(parsing: "127.0.0.1:8080").isLoopback)
        #expect(try ListenAddress(parsing: "[::1]:0").description == "[::1]:0")
        #expect(try ListenAddress(parsing: "LOCALHOST:1").isLoopback)
        for text in ["0.0.0.0:80", "127.0.0.1.example.com:80", "127.example:80", "[::]:80", "example.com:443"] {
            #expect(try !ListenAddress(parsing: text).isLoopback, "\(text)")
        }
        for text in [
            "", ":", "8080", ":80", "a:", "a:b", "a:65536", "a:-1", "a:+1", "::1:80", "[::1]", "[:80", "a b:1",
        ] {
            #expect(throws: ServerError.self, "\(text)") { try ListenAddress(parsing: text) }
        }
    }
}
