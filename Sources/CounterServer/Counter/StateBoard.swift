// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The counter's present state, and everybody who looks at it.
///
/// `done` and `retry` stay for a while, so that somebody can read them: a `ready` that comes earlier is shown when the
/// while is over, unless the next phone is there by then.
final class StateBoard: Sendable {
    private struct Board {
        var shown = CounterState(.starting, "The counter starts")
        /// Shown when the while is over.
        var next: CounterState?
        var lastsUntil: ContinuousClock.Instant?
        var isTimerSet = false
        var viewers: [Int: AsyncStream<CounterState>.Continuation] = [:]
        var lastViewer = 0
    }

    private let board = Mutex(Board())
    private let linger: Duration

    init(linger: Duration = .seconds(2)) { self.linger = linger }

    var state: CounterState { board.withLock { $0.shown } }

    /// The present state at once, then each change.
    var states: AsyncStream<CounterState> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: CounterState.self, bufferingPolicy: .bufferingNewest(16))
        let (viewer, shown) = board.withLock { board in
            board.lastViewer += 1
            board.viewers[board.lastViewer] = continuation
            return (board.lastViewer, board.shown)
        }
        continuation.yield(shown)
        continuation.onTermination = { [weak self] _ in
            self?.board.withLock { _ = $0.viewers.removeValue(forKey: viewer) }
        }
        return stream
    }

    /// Shows a state, or keeps it for later.
    func show(_ state: CounterState) {
        let now = ContinuousClock.now
        let wait = board.withLock { board -> Duration? in
            if state.phase == .ready, let end = board.lastsUntil, end > now {
                board.next = state
                guard !board.isTimerSet else { return nil }
                board.isTimerSet = true
                return now.duration(to: end)
            }
            put(state, on: &board, at: now)
            return nil
        }
        if let wait { showLater(after: wait) }
    }

    /// The last of all states.
    func close(_ state: CounterState) {
        let viewers = board.withLock { board in
            put(state, on: &board, at: .now)
            defer { board.viewers = [:] }
            return board.viewers
        }
        // Outside of the lock: a stream that ends says so to this board.
        for viewer in viewers.values { viewer.finish() }
    }

    private func put(_ state: CounterState, on board: inout Board, at now: ContinuousClock.Instant) {
        board.next = nil
        board.lastsUntil = [.done, .retry].contains(state.phase) ? now + linger : nil
        guard state != board.shown else { return }
        board.shown = state
        for viewer in board.viewers.values { viewer.yield(state) }
    }

    /// One timer at a time; it waits again when the state was renewed meanwhile.
    private func showLater(after wait: Duration) {
        Task { [weak self] in
            try? await Task.sleep(for: wait)
            guard let self else { return }
            let now = ContinuousClock.now
            let more = board.withLock { board -> Duration? in
                if board.next != nil, let end = board.lastsUntil, end > now { return now.duration(to: end) }
                board.isTimerSet = false
                if let next = board.next { self.put(next, on: &board, at: now) }
                return nil
            }
            if let more { showLater(after: more) }
        }
    }
}
