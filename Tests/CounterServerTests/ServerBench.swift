// SPDX-License-Identifier: Apache-2.0

import CounterServer
import Foundation
import InAppProvisioning
import Synchronization
import TestSupport
import Testing
import WalletCrypto

/// A running issuer with one card, and a wallet that asks it.
final class ServerBench: Sendable {
    /// A test card's number that stands in no request and must stand in no log.
    static let pan = "5555555555554444"
    static let activation: [UInt8] = [1, 2, 3]

    let identity: WalletIdentity
    let port: Int
    private let task: Task<Void, any Error>
    private let collector: Collector

    /// Makes the service and waits until it listens.
    static func start(
        issuer: (inout IssuerSettings) -> Void = { _ in }, server: (inout ServerSettings) -> Void = { _ in }
    ) async throws -> ServerBench {
        SecretsGate.register(.pan, pan)
        let authority = try ProvisioningTestAuthority()
        let card = try IssuerCard(
            id: "card-1",
            details: CardDetails(primaryAccountNumber: pan, expiration: "12/30", name: "A CARDHOLDER"),
            network: "mastercard", activationData: activation)
        var issuerSettings = IssuerSettings(
            cards: try IssuerCardFile([card]),
            chain: IssuerChain(roots: [authority.root], intermediates: [authority.intermediate]))
        issuer(&issuerSettings)
        var settings = ServerSettings()
        settings.address = ListenAddress(host: "127.0.0.1", port: 0)
        settings.logger = SecretsGate.logger()
        server(&settings)
        return try await ServerBench(issuerSettings, settings, authority.makeIdentity(at: Date()))
    }

    private init(_ issuer: IssuerSettings, _ settings: ServerSettings, _ identity: WalletIdentity) async throws {
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        let collector = Collector()
        var settings = settings
        settings.audit = { collector.add($0) }
        let server = try IssuerServer(issuer, settings)
        self.identity = identity
        self.collector = collector
        task = Task {
            defer { continuation.finish() }
            try await server.run { continuation.yield($0.port) }
        }
        var found: Int?
        for await port in ports {
            found = port
            break
        }
        port = try #require(found)
        SecretsGate.register(.key, identity.leafKey.hexScalar)
    }

    /// The audit log so far.
    var audit: [String] { collector.lines }

    /// Waits until the audit log has a line with `text`.
    func waits(for text: String) async throws {
        let end = Date(timeIntervalSinceNow: 10)
        while !audit.contains(where: { $0.contains(text) }) {
            try #require(Date() < end, "no \(text) in \(audit)")
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    func client(readTimeout: Double = 30) throws -> RawClient { try RawClient(port: port, readTimeout: readTimeout) }

    /// The bytes of a request as HTTP.
    func http(_ request: ProfileRequest, close: Bool = true) -> [UInt8] {
        var text = "\(request.method) \(request.target) HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        for header in request.headers { text += "\(header.name): \(header.value)\r\n" }
        if close { text += "Connection: close\r\n" }
        if request.method != "GET" { text += "Content-Length: \(request.body.count)\r\n" }
        return Array((text + "\r\n").utf8) + request.body
    }

    /// A request in an interface.
    func request(_ name: String = "plain", _ wallet: WalletRequest? = nil, card: String = "card-1") throws -> [UInt8] {
        let profile = try #require(ProcessorProfile.named(name))
        return http(profile.encode(wallet ?? identity.makeRequest(), card: card))
    }

    /// Asks on a connection of its own.
    func ask(_ bytes: [UInt8]) throws -> RawClient.Answer? {
        let client = try client()
        client.send(bytes)
        return client.answer()
    }

    /// Asks and opens what comes.
    func opened(_ name: String = "plain") throws -> Bool {
        let profile = try #require(ProcessorProfile.named(name))
        let answer = try #require(try ask(try request(name)))
        try #require(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
        return try opens(answer.body, profile)
    }

    func opens(_ body: [UInt8], _ profile: ProcessorProfile) throws -> Bool {
        let received = try profile.decodeAnswer(body, network: "mastercard")
        let plaintext = try ECCv2.open(received.trio.sealed, with: identity.leafKey)
        let text = plaintext.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        return text.contains(Self.pan) && received.faults.isEmpty && received.trio.activationData == Self.activation
    }

    /// Ends the service and waits for it.
    func stop() async throws {
        task.cancel()
        try await task.value
        for line in audit { SecretsGate.saw("audit", line) }
    }

    deinit { task.cancel() }
}

/// Collects lines.
final class Collector: Sendable {
    private let all = Mutex<[String]>([])
    func add(_ line: String) { all.withLock { $0.append(line) } }
    var lines: [String] { all.withLock { $0 } }
}

extension P256PrivateKey {
    /// The scalar in hex, for the secrets gate: bytes 7 to 38 of RFC 5915's form.
    var hexScalar: String {
        let pem = sec1PEM().withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        let der = Data(base64Encoded: pem.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()) ?? Data()
        return der.dropFirst(7).prefix(32).map { String(format: "%02X", $0) }.joined()
    }
}
