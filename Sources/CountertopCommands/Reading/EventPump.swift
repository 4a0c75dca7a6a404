// SPDX-License-Identifier: Apache-2.0

internal import ProximityReader
internal import Synchronization

/// Takes the events of a reader one by one to a handler.
final class EventPump: Sendable {
    private struct State {
        /// Whether the sheet of a read is up.
        var isSheetUp = false
        var failure: (any Error)?
    }

    private let state = Mutex(State())
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(
        _ events: AsyncStream<PaymentCardReader.Event>,
        _ handle: @escaping @Sendable (PaymentCardReader.Event) throws -> Void
    ) {
        let pump = Task { [weak self] in
            for await event in events {
                var failure: (any Error)?
                do { try handle(event) } catch { failure = error }
                self?.note(event, failure)
            }
        }
        task.withLock { $0 = pump }
    }

    deinit { task.withLock { $0?.cancel() } }

    private func note(_ event: PaymentCardReader.Event, _ failure: (any Error)?) {
        state.withLock { state in
            state.failure = state.failure ?? failure
            switch event {
            case .readyForTap: state.isSheetUp = true
            case .userInterfaceDismissed: state.isSheetUp = false
            default: break
            }
        }
    }

    /// What the handler threw first.
    var failure: (any Error)? { state.withLock { $0.failure } }

    /// Waits until the events of a read that is over have been handled: its last one is `userInterfaceDismissed`.
    func catchUp() async {
        for round in 0..<1_000 {
            await Task.yield()
            // Some rounds in any case, because the sheet's first event may not have come through yet.
            if round >= 10, !state.withLock({ $0.isSheetUp }) { return }
            if round >= 10 { try? await Task.sleep(for: .milliseconds(1)) }
        }
    }
}
