// SPDX-License-Identifier: Apache-2.0

import EmulatedWallet
import Foundation
import LoyaltyFeed
import Synchronization
import TestSupport
import Testing
import WalletCrypto

@testable import CounterServer

/// HTTP that listens nowhere.
struct NoHTTP: CounterHTTP {
    func run(onListening: @escaping @Sendable (ListenAddress) -> Void) async throws(ServerError) {
        onListening(ListenAddress(host: "127.0.0.1", port: 1))
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
    }
}

/// A receiver of webhooks, with the time at which each came.
final class Deliveries: Sendable {
    private let list = Mutex<[(webhook: ReceivedWebhook, at: ContinuousClock.Instant)]>([])
    let secret: String

    init() { secret = "whsec_" + Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64EncodedString() }

    var ids: [String] { list.withLock { $0.map(\.webhook.id) } }
    var bodies: [[UInt8]] { list.withLock { $0.map(\.webhook.body) } }
    func time(of id: String) -> ContinuousClock.Instant? { list.withLock { $0.first { $0.webhook.id == id }?.at } }

    func listen() async throws -> HTTPReceiver {
        let keys = [try WebhookVerificationKey(secret)]
        let receiver = try WebhookReceiver(
            verifier: WebhookVerifier(keys: keys),
            onWebhook: { webhook in self.list.withLock { $0.append((webhook, .now)) } })
        return try await HTTPReceiver { receiver.answer($0) }
    }
}

/// A folder with everything that `serve` needs: key, phone, secret, configuration.
struct RuntimeBench: Sendable {
    let folder: TemporaryFolder
    let key: P256PrivateKey

    init() throws {
        folder = try TemporaryFolder()
        key = try P256PrivateKey.generate()
        key.sec1PEM().withUnsafeBytes { SecretsGate.register(sec1: $0) }
        let pem = key.pkcs8PEM().withUnsafeBytes { Array($0) }
        try folder.write("pass.pem", pem)
        let publicKey = Data(key.publicKey.subjectPublicKeyInfo()).base64EncodedString()
        try folder.write(
            "phone.json",
            """
            {"passes": [{"passTypeIdentifier": "\(CounterBench.club)",
              "nfc": {"message": "M-1", "encryptionPublicKey": "\(publicKey)"}}]}
            """)
    }

    func configuration(
        key: String = "pass.pem", sink port: Int? = nil, secret: String = "", more: String = ""
    ) throws -> CounterConfiguration {
        var text = """
            [counter]
            id = "c1"
            reader = "emulated:phone.json"
            tap = "manual"
            state = "state"
            [[pass]]
            id = "\(CounterBench.club)"
            key = "\(key)"
            [http]
            listen = "127.0.0.1:0"
            \(more)

            """
        if let port {
            try folder.write("sink.secret", secret + "\n")
            text += """
                [[sink]]
                name = "shop"
                type = "webhook"
                url = "http://127.0.0.1:\(port)/hook"
                secret_file = "sink.secret"

                """
        }
        let file = try folder.write("counter.toml", text)
        return try CounterConfiguration.load(path: file, environment: [:])
    }

    func runtime(
        _ configuration: CounterConfiguration, environment: [String: String] = [:]
    ) throws -> CounterRuntime {
        try CounterRuntime(
            configuration, environment: environment, version: "test", logger: SecretsGate.logger("countertop.serve"))
    }
}

extension CounterRuntime {
    /// Runs beside `body`, and ends in order.
    func running<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        let isReady = Mutex(false)
        let work = Task { try await self.run(NoHTTP()) { _ in isReady.withLock { $0 = true } } }
        let result: Swift.Result<Result, any Error>
        do {
            try await eventually { isReady.withLock { $0 } && self.state.phase == .ready }
            result = .success(try await body())
        } catch { result = .failure(error) }
        work.cancel()
        try await work.value
        return try result.get()
    }
}
