// SPDX-License-Identifier: Apache-2.0

internal import APDUTrace
internal import Foundation
internal import ISO7816
internal import ProximityReader
internal import Synchronization
internal import WalletCrypto

/// Reads over Apple's API, with every event told.
///
/// The token is signed with a key that lives only here: nothing is left on disk.
struct CounterRun {
    let opened: OpenedReader
    private let counter: Counter
    private let reader: PaymentCardReader
    private let token: PaymentCardReader.Token
    private let pump: EventPump
    private let interrupter: Interrupter
    private let log = EventLog()

    struct Setting {
        var conditions: [Condition] = []
        var wait: Duration?
        var removalWait = Duration.zero
        /// Records what is said, when set.
        var recorder: TraceRecorder?
        /// How payment cards are read; nil where none are.
        var payment: PaymentSetup?
        var options = PaymentCardReader.Options()
    }

    init(
        _ opened: OpenedReader, _ setting: Setting, _ talk: Talk,
        onEvent: @escaping @Sendable (PaymentCardReader.Event) throws -> Void
    ) throws {
        let key = try P256PrivateKey.generate()
        var configuration = Counter.Configuration(reader: opened.choice)
        configuration.conditions = setting.conditions
        configuration.policy = opened.policy(waiting: setting.wait)
        configuration.policy.removalWait = setting.removalWait
        configuration.tokenKey = .key(key.publicKey)
        configuration.logger = talk.logger("countertop")
        if let payment = setting.payment { configuration.payment = payment }
        let interrupter = Interrupter()
        configuration.wrapReader = { [recorder = setting.recorder] reader in
            let reader = recorder.map { RecordingReader(reader, recorder: $0) } ?? reader
            return InterruptibleReader(base: reader, interrupter: interrupter)
        }
        self.interrupter = interrupter
        self.opened = opened
        counter = Counter(configuration)
        reader = PaymentCardReader(options: setting.options, counter: counter)
        let expires = Date(timeIntervalSinceNow: 10 * 365 * 86_400)
        token = try ReaderToken(merchantID: "countertop", expires: expires).signed(with: key)
        pump = EventPump(reader.events) { [log] event in
            log.add(event.name)
            try onEvent(event)
        }
    }

    /// The events of the last read, by Apple's names.
    var events: [String] { log.names }

    /// What the last tap was like.
    var lastTap: TapReport? { counter.lastTap }

    /// One read of passes; what the events' handler threw ends it too.
    func read(_ request: VASRequest) async throws -> VASReadResult {
        try await perform { session in try await session.readVAS(request) }
    }

    /// One read of any kind.
    ///
    /// - Throws: `ReadFailure`, `ToolError.interrupted`, or what the events' handler threw.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable (PaymentCardReaderSession) async throws -> Value
    ) async throws -> Value {
        let interrupter = interrupter
        return try await withTaskCancellationHandler {
            try await performOnce(body)
        } onCancel: {
            interrupter.raise()
        }
    }

    private func performOnce<Value: Sendable>(
        _ body: @Sendable (PaymentCardReaderSession) async throws -> Value
    ) async throws -> Value {
        let before = counter.lastTap?.began
        var session: PaymentCardReaderSession?
        log.clear()
        do {
            if try await !reader.isAccountLinked(using: token) { try await reader.linkAccount(using: token) }
            let prepared = try await reader.prepare(using: token)
            session = prepared
            let result = try await body(prepared)
            await pump.catchUp()
            if let error = pump.failure { throw error }
            return result
        } catch {
            await pump.catchUp()
            if let error = pump.failure { throw error }
            if Task.isCancelled { throw ToolError.interrupted }
            let tap = counter.lastTap.flatMap { $0.began == before ? nil : $0 }
            throw ReadFailure(
                error: error, tap: tap, wait: counter.configuration.policy.tapTimeout,
                passes: session?.passesOfFailedRead)
        }
    }
}

/// Why a read brought nothing: Apple's error, and what the counter knows beside it.
struct ReadFailure: Error {
    let error: any Error
    let tap: TapReport?
    let wait: Duration?
    /// Passes that were handed out before the payment failed.
    var passes: VASReadResult?
}

/// Names of events, in order.
private final class EventLog: Sendable {
    private let list = Mutex<[String]>([])
    var names: [String] { list.withLock { $0 } }
    func add(_ name: String) { list.withLock { $0.append(name) } }
    func clear() { list.withLock { $0 = [] } }
}
