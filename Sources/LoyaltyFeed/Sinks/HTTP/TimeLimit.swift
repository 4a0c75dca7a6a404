// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What `body` gives; nil when it does not end in time, or when the task is cancelled first. It is cancelled then, and
/// not waited for: a system call under it may not care.
func within<R: Sendable>(
    _ deadline: ContinuousClock.Instant, _ body: @escaping @Sendable () async -> R
) async -> R? {
    let race = Race<R>()
    let work = Task { race.end(with: await body()) }
    let timer = Task {
        try? await Task.sleep(until: deadline)
        race.end(with: nil)
    }
    defer {
        work.cancel()
        timer.cancel()
    }
    return await withTaskCancellationHandler {
        await withCheckedContinuation { race.wait($0) }
    } onCancel: {
        race.end(with: nil)
    }
}

/// The first of several ends counts.
private final class Race<R: Sendable>: Sendable {
    private struct State {
        var waiter: CheckedContinuation<R?, Never>?
        var hasEnded = false
        var result: R?
    }

    private let state = Mutex(State())

    func wait(_ waiter: CheckedContinuation<R?, Never>) {
        let (hasEnded, result) = state.withLock { state in
            if !state.hasEnded { state.waiter = waiter }
            return (state.hasEnded, state.result)
        }
        if hasEnded { waiter.resume(returning: result) }
    }

    func end(with result: R?) {
        let waiter = state.withLock { state -> CheckedContinuation<R?, Never>? in
            guard !state.hasEnded else { return nil }
            (state.hasEnded, state.result) = (true, result)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: result)
    }
}
