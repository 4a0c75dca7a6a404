// SPDX-License-Identifier: Apache-2.0

internal import APDUTrace
internal import Foundation
internal import ISO7816
internal import ProximityReader
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

    struct Setting {
        var conditions: [Condition] = []
        var wait: Duration?
        var removalWait = Duration.zero
        /// Records what is said, when set.
        var recorder: TraceRecorder?
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
        let interrupter = Interrupter()
        configuration.wrapReader = { [recorder = setting.recorder] reader in
            let reader = recorder.map { RecordingReader(reader, recorder: $0) } ?? reader
            return InterruptibleReader(base: reader, interrupter: interrupter)
        }
        self.interrupter = interrupter
        self.opened = opened
        counter = Counter(configuration)
        reader = PaymentCardReader(counter: counter)
        let expires = Date(timeIntervalSinceNow: 10 * 365 * 86_400)
        token = try ReaderToken(merchantID: "countertop", expires: expires).signed(with: key)
        pump = EventPump(reader.events, onEvent)
    }

    /// One read; what the events' handler threw ends it too.
    func read(_ request: VASRequest) async throws -> VASReadResult {
        let interrupter = interrupter
        return try await withTaskCancellationHandler {
            try await readOnce(request)
        } onCancel: {
            interrupter.raise()
        }
    }

    private func readOnce(_ request: VASRequest) async throws -> VASReadResult {
        let taps = counter.lastTap?.began
        do {
            if try await !reader.isAccountLinked(using: token) { try await reader.linkAccount(using: token) }
            let result = try await reader.prepare(using: token).readVAS(request)
            await pump.catchUp()
            if let error = pump.failure { throw error }
            return result
        } catch {
            await pump.catchUp()
            if let error = pump.failure { throw error }
            if Task.isCancelled { throw ToolError.interrupted }
            let tap = counter.lastTap.flatMap { $0.began == taps ? nil : $0 }
            throw ReadFailure(error: error, tap: tap, wait: counter.configuration.policy.tapTimeout)
        }
    }
}

/// Why a read brought nothing: Apple's error, and what the counter knows beside it.
struct ReadFailure: Error {
    let error: any Error
    let tap: TapReport?
    let wait: Duration?
}
