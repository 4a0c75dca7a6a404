// SPDX-License-Identifier: Apache-2.0

import AppleVAS
import EmulatedWallet
import Foundation
import ISO7816
import LoyaltyFeed
import ProximityReader
import Synchronization
import TestSupport
import Testing
import WalletCrypto

@testable import CounterServer

/// Keeps taps in memory, or refuses to.
final class MemoryJournal: TapJournal {
    struct Full: Error, CustomStringConvertible { let description = "no room" }

    private let list = Mutex<[TapRecord]>([])
    private let full = Mutex(false)
    /// Waited for before a tap is kept.
    let gate: @Sendable () async -> Void
    private let ids = ULIDGenerator()

    init(gate: @escaping @Sendable () async -> Void = {}) { self.gate = gate }

    var taps: [TapRecord] { list.withLock { $0 } }
    var isFull: Bool {
        get { full.withLock { $0 } }
        set { full.withLock { $0 = newValue } }
    }

    func keep(_ tap: TapRecord) async throws -> [ULID] {
        await gate()
        if isFull { throw Full() }
        list.withLock { $0.append(tap) }
        var events = tap.passes.filter { if case .failed = $0.outcome { false } else { true } }.map { _ in ids.next() }
        if events.isEmpty, tap.payment != nil { events = [tap.id] }
        return events
    }
}

/// A counter over an emulated phone with two passes.
struct CounterBench: Sendable {
    static let club = "pass.com.example.club"
    static let cafe = "pass.com.example.cafe"

    let key: P256PrivateKey
    let phone: EmulatedPhone
    let journal: MemoryJournal
    let service: CounterService
    let metrics = PrometheusMetrics()

    init(
        passes: [String] = [CounterBench.club], keys: ((P256PrivateKey) -> VASKeyRing)? = nil,
        journal: MemoryJournal = MemoryJournal(), reader: ReaderChoice? = nil,
        payment: (amount: Decimal, currency: String)? = nil, set: (inout CounterSetting) -> Void = { _ in },
        phone edit: (inout PhoneDefinition) -> Void = { _ in }
    ) throws {
        let key = try P256PrivateKey.generate()
        key.sec1PEM().withUnsafeBytes { SecretsGate.register(sec1: $0) }
        var definition = PhoneDefinition(passes: [Self.pass(Self.club, "M-1", key), Self.pass(Self.cafe, "C-2", key)])
        edit(&definition)
        (self.key, phone, self.journal) = (key, EmulatedPhone(definition), journal)
        var setting = CounterSetting(
            reader: reader ?? .emulatedPhone(phone), passes: passes.map { ($0, nil) }, payment: payment)
        setting.linger = .zero
        setting.logger = SecretsGate.logger("countertop.counter")
        var ring = VASKeyRing()
        ring.add(key)
        setting.ring = keys?(key) ?? ring
        set(&setting)
        service = try CounterService(setting, journal: journal, metrics: metrics)
    }

    static func pass(_ id: String, _ message: String, _ key: P256PrivateKey) -> PhoneDefinition.Pass {
        .init(passTypeIdentifier: id, nfc: .init(message: message, encryptionPublicKey: key.publicKey))
    }

    /// Runs the counter beside `body`.
    func running<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        let work = Task { await service.run() }
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        work.cancel()
        await work.value
        SecretsGate.saw("metrics", metrics.text)
        for tap in journal.taps { SecretsGate.saw("trace", tap.trace ?? "") }
        return try result.get()
    }
}

/// Waits until something is so, at most ten seconds.
func eventually(
    within seconds: Double = 10, _ comment: Comment? = nil, _ isSo: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + .seconds(seconds)
    while try await !isSo() {
        guard ContinuousClock.now < end else {
            Issue.record(comment ?? "it did not come about in time")
            return
        }
        try await Task.sleep(for: .milliseconds(5))
    }
}
