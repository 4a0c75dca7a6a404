// SPDX-License-Identifier: Apache-2.0

internal import ISO7816
internal import Synchronization

/// Ends the exchange that is going on, and all later ones.
///
/// Apple's API cannot be cancelled once a card is there; Ctrl-C must end a read all the same.
final class Interrupter: Sendable {
    private struct State {
        var isRaised = false
        var cancel: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Cancels the access that is going on, and each that begins later.
    func raise() {
        let cancel = state.withLock { state in
            state.isRaised = true
            return state.cancel
        }
        cancel?()
    }

    /// Runs an access that ``raise()`` cancels.
    func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = Task { try await body() }
        let isRaised = state.withLock { state in
            state.cancel = { task.cancel() }
            return state.isRaised
        }
        defer { state.withLock { $0.cancel = nil } }
        if isRaised { task.cancel() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

/// Any reader, with exchanges that an ``Interrupter`` ends.
struct InterruptibleReader: CardReaderDecorator {
    let base: any CardReader
    let interrupter: Interrupter

    func withCard<Result: Sendable>(
        ending: CardEnding, _ body: @escaping @Sendable (any CardChannel) throws -> Result
    ) async throws -> Result {
        let base = base
        return try await interrupter.run { try await base.withCard(ending: ending, body) }
    }

    func waitForRemoval(timeout: Duration?) async throws(CardChannelError) -> Bool {
        let base = base
        do {
            return try await interrupter.run { try await base.waitForRemoval(timeout: timeout) }
        } catch let error as CardChannelError {
            throw error
        } catch {
            throw CardChannelError(.cancelled, reason: "the wait was cancelled")
        }
    }
}
