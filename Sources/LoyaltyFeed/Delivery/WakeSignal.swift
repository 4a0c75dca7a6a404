// SPDX-License-Identifier: Apache-2.0

internal import HostSystem
internal import Synchronization

/// Wakes one task that waits. A signal before the wait is not lost, and several are one.
final class WakeSignal: Sendable {
    private struct State {
        var isSet = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    func signal() {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            state.isSet = state.waiter == nil
            return state.waiter
        }
        waiter?.resume()
    }

    /// Waits for a signal; returns early when the task is cancelled.
    private func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    guard !state.isSet, !Task.isCancelled else {
                        state.isSet = false
                        return true
                    }
                    state.waiter = continuation
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            state.withLock { state in
                defer { state.waiter = nil }
                return state.waiter
            }?.resume()
        }
    }

    /// Waits for a signal, or so long; returns early when the task is cancelled.
    func wait(atMost limit: Duration?, _ clock: HostTime) async {
        guard let limit else { return await wait() }
        guard limit > .zero else { return }
        await withTaskGroup { group in
            group.addTask { await self.wait() }
            group.addTask { await clock.sleep(limit) }
            await group.next()
            group.cancelAll()
        }
    }
}

/// Lets one task at a time through, in the order in which they come.
final class Turnstile: Sendable {
    private struct State {
        var isTaken = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func pass<Value: Sendable>(_ body: () async -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isTaken { state.waiters.append(continuation) }
                defer { state.isTaken = true }
                return !state.isTaken
            }
            if isFree { continuation.resume() }
        }
        let value = await body()
        let next = state.withLock { state in
            if state.waiters.isEmpty { state.isTaken = false }
            return state.waiters.isEmpty ? nil : state.waiters.removeFirst()
        }
        next?.resume()
        return value
    }
}
