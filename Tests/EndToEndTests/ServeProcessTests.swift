// SPDX-License-Identifier: Apache-2.0

import Foundation
import LoyaltyFeed
import Synchronization
import TestSupport
import Testing
import WalletCrypto

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `countertop serve`, the real program, with the configuration that the documentation fixes for scripts.
private final class ServeProcess: @unchecked Sendable {
    let process = Process()
    private let log: String
    private let folder: TemporaryFolder

    init(_ folder: TemporaryFolder, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
        self.folder = folder
        log = try folder.write(UUID().uuidString + ".log", "")
        process.executableURL = ToolProcess.buildFolder.appending(path: "countertop")
        process.arguments = ["serve", "--config", folder.path("counter.toml")] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle(forWritingAtPath: log)
        try process.run()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    var text: String { (try? folder.text(log)) ?? "" }

    /// The URL of the bench, once it is said.
    func url() async throws -> URL {
        let end = Date(timeIntervalSinceNow: 30)
        while Date() < end {
            if let match = text.firstMatch(of: /the bench is at (http:\/\/[^\/]+\/)/),
                let url = URL(string: String(match.1))
            {
                return url
            }
            guard process.isRunning else { break }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Failure(text: text)
    }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    func status(within seconds: Double = 20) async throws -> Int32 {
        let end = Date(timeIntervalSinceNow: seconds)
        while process.isRunning, Date() < end { try await Task.sleep(for: .milliseconds(10)) }
        guard !process.isRunning else { throw Failure(text: "it does not end: \(text)") }
        return process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
    }

    struct Failure: Error { let text: String }
}

@Suite("countertop serve as a process", .serialized, .timeLimit(.minutes(3)))
struct ServeProcessTests {
    private let folder: TemporaryFolder
    private let received = Received()

    private final class Received: Sendable {
        let list = Mutex<[ReceivedWebhook]>([])
        var ids: [String] { list.withLock { $0.map(\.id) } }
    }

    init() throws {
        folder = try TemporaryFolder()
        let key = try P256PrivateKey.generate()
        key.sec1PEM().withUnsafeBytes { SecretsGate.register(sec1: $0) }
        try folder.write("pass.pem", key.pkcs8PEM().withUnsafeBytes { Array($0) })
        let publicKey = Data(key.publicKey.subjectPublicKeyInfo()).base64EncodedString()
        try folder.write(
            "phone.json",
            """
            {"passes": [{"passTypeIdentifier": "pass.com.example.club",
              "nfc": {"message": "M-1", "encryptionPublicKey": "\(publicKey)"}}]}
            """)
    }

    private func receiver() async throws -> HTTPReceiver {
        let secret = "whsec_" + Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
        try folder.write("sink.secret", secret + "\n")
        let list = received
        let receiver = try WebhookReceiver(
            verifier: WebhookVerifier(keys: [try WebhookVerificationKey(secret)]),
            onWebhook: { webhook in list.list.withLock { $0.append(webhook) } })
        return try await HTTPReceiver { receiver.answer($0) }
    }

    private func configure(sink port: Int?) throws {
        var text = """
            [counter]
            id = "c1"
            reader = "emulated:phone.json"
            tap = "manual"
            state = "state"

            [[pass]]
            id = "pass.com.example.club"
            key = "pass.pem"

            [http]
            listen = "127.0.0.1:0"

            """
        if let port {
            text += """
                [[sink]]
                name = "shop"
                type = "webhook"
                url = "http://127.0.0.1:\(port)/hook"
                secret_file = "sink.secret"
                schedule = ["0s", "1s"]

                """
        }
        try folder.write("counter.toml", text)
    }

    private func call(_ method: String, _ url: URL) async throws -> (status: Int, json: [String: Any]) {
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.timeoutInterval = 20
        let (data, response) = try await URLSession.shared.data(for: request)
        let json = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any]
        return ((response as? HTTPURLResponse)?.statusCode ?? 0, json ?? [:])
    }

    private func until(_ seconds: Double = 20, _ isSo: () throws -> Bool) async throws {
        let end = Date(timeIntervalSinceNow: seconds)
        while try !isSo() {
            try #require(Date() < end, "it did not come about in time")
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test("A tap over HTTP is in the list of taps and at the receiver, verified; SIGTERM ends it with 0")
    func tap() async throws {
        let receiver = try await receiver()
        try configure(sink: receiver.port)
        let serve = try ServeProcess(folder)
        let url = try await serve.url()
        let (status, tap) = try await call("POST", url.appending(path: "v1/wallet/tap"))
        let id = try #require(tap["id"] as? String, "\(tap)")
        #expect(status == 200)
        let (_, taps) = try await call("GET", url.appending(path: "v1/taps"))
        #expect((taps["taps"] as? [[String: Any]])?.map { $0["id"] as? String } == [id] && taps["cursor"] is String)
        try await until { received.ids == [id] }
        #expect(try await call("GET", url.appending(path: "healthz")).status == 200)
        #expect(try await call("GET", url.appending(path: "readyz")).status == 200)
        serve.signal(SIGTERM)
        #expect(try await serve.status() == 0)
        #expect(serve.text.contains("not for accepting payments") && !serve.text.contains("M-1"))
    }

    @Test("Killed again and again under load: every acknowledged tap arrives once")
    func killed() async throws {
        let receiver = try await receiver()
        try configure(sink: receiver.port)
        var acknowledged: [String] = []
        for round in 0..<5 {
            let serve = try ServeProcess(folder)
            let url = try await serve.url()
            let killer = Task {
                try await Task.sleep(for: .milliseconds(100 + 70 * round))
                serve.signal(SIGKILL)
            }
            while serve.process.isRunning {
                guard let (status, tap) = try? await call("POST", url.appending(path: "v1/wallet/tap")), status == 200
                else { break }
                acknowledged.append(try #require(tap["id"] as? String))
            }
            try await killer.value
            #expect(try await serve.status() == 128 + SIGKILL)
        }
        let last = try ServeProcess(folder)
        let url = try await last.url()
        #expect(acknowledged.count >= 5)
        try await until { Set(received.ids).isSuperset(of: acknowledged) }
        let (_, taps) = try await call("GET", URL(string: "v1/taps?limit=1000", relativeTo: url) ?? url)
        let kept = (taps["taps"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
        #expect(Set(kept).isSuperset(of: acknowledged) && Set(kept).count == kept.count)
        #expect(try await call("POST", url.appending(path: "v1/wallet/tap")).status == 200)
        last.signal(SIGINT)
        #expect(try await last.status() == 0)
    }

    @Test("A second one on the same state folder, and an address that is taken")
    func second() async throws {
        try configure(sink: nil)
        let first = try ServeProcess(folder)
        let url = try await first.url()
        let second = try ServeProcess(folder)
        #expect(try await second.status() == 75 && second.text.contains("another process"))
        let third = try ServeProcess(
            folder, ["--state", folder.path("other"), "--listen", "127.0.0.1:\(url.port ?? 0)"])
        #expect(try await third.status() == 69 && third.text.contains("listen"))
        first.signal(SIGTERM)
        #expect(try await first.status() == 0)
    }

    @Test("SIGHUP reads the keys again and does not end it; JSON lines are JSON")
    func hangup() async throws {
        try configure(sink: nil)
        let text = try folder.text(folder.path("counter.toml"))
        try folder.write("counter.toml", text + "\n[log]\nformat = \"json\"\n")
        let serve = try ServeProcess(folder)
        let url = try await serve.url()
        serve.signal(SIGHUP)
        try await until { serve.text.contains("the keys were read again") }
        #expect(try await call("POST", url.appending(path: "v1/wallet/tap")).status == 200)
        serve.signal(SIGTERM)
        #expect(try await serve.status() == 0)
        for line in serve.text.split(separator: "\n") {
            #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any])
        }
    }
}
