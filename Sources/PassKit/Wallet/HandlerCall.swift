// SPDX-License-Identifier: Apache-2.0

internal import HostSystem
internal import InAppProvisioning
internal import Synchronization

/// One call of an app that ends with a handler: the first value in time counts, all others are findings.
///
/// Times are judged when the handler is called, by the wallet's clock, so that it does not matter when a timer wakes.
final class HandlerCall<Value: Sendable>: Sendable {
    enum End: Sendable {
        /// The value, and how long it took.
        case answered(Value, after: Duration)
        /// Nothing came in time.
        case timedOut
        /// The wallet stopped waiting.
        case stopped
    }

    /// The checks that this call can fail.
    struct Checks: Sendable {
        var inTime: ConformanceCheck
        var once: ConformanceCheck
        var late: ConformanceCheck?
        var afterStop: ConformanceCheck?
    }

    private struct State {
        var calls = 0
        var isOver = false
        var wasStopped = false
    }

    private let limit: Duration
    private let patience: Duration
    private let checks: Checks
    private let time: HostTime
    private let began: Duration
    private let record: @Sendable (ConformanceResult) -> Void
    private let state = Mutex(State())
    private let ending = FirstValue<End>()

    /// A call that begins now.
    ///
    /// - Parameters:
    ///   - limit: how long the app may take.
    ///   - patience: how long a later answer is still taken; nil is `limit`.
    ///   - record: takes findings, at any time, even when the flow is over.
    init(
        limit: Duration, patience: Duration? = nil, checks: Checks, time: HostTime,
        record: @escaping @Sendable (ConformanceResult) -> Void
    ) {
        (self.limit, self.patience, self.checks) = (limit, patience ?? limit, checks)
        (self.time, self.record) = (time, record)
        began = time.uptime()
    }

    /// What the app calls; any thread, any number of times.
    func answer(_ value: Value) {
        let elapsed = time.uptime() - began
        if elapsed > patience { expire() }
        let finding: ConformanceResult? = state.withLock { state in
            state.calls += 1
            if state.calls > 1 { return ConformanceResult(violated: checks.once, "call \(state.calls)") }
            if state.wasStopped {
                return checks.afterStop.map { ConformanceResult(violated: $0, "after the flow was over") }
            }
            if state.isOver { return checks.late.map { ConformanceResult(violated: $0, "after \(elapsed.text)") } }
            state.isOver = true
            return elapsed > limit ? ConformanceResult(violated: checks.inTime, "after \(elapsed.text)") : nil
        }
        if let finding { record(finding) }
        // Only the first value that ends the call counts.
        ending.give(.answered(value, after: elapsed))
    }

    /// The wallet waits no longer; the user went away, say.
    func stop() {
        let stops = state.withLock { state in
            guard !state.isOver else { return false }
            (state.isOver, state.wasStopped) = (true, true)
            return true
        }
        if stops { ending.give(.stopped) }
    }

    /// Whether a value came, or the time is over.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// How it ended. Waits for the value or the limit.
    func end() async -> End {
        let remaining = patience - (time.uptime() - began)
        let timer = Task { [time] in
            await time.sleep(max(remaining, .zero))
            if !Task.isCancelled { self.expire() }
        }
        defer { timer.cancel() }
        return await ending.value
    }

    private func expire() {
        let expires = state.withLock { state in
            guard !state.isOver else { return false }
            state.isOver = true
            return true
        }
        guard expires else { return }
        ending.give(.timedOut)
        record(ConformanceResult(violated: checks.inTime, "no answer within \(patience.text)"))
    }
}

extension Duration {
    /// Milliseconds below ten seconds, else seconds with one decimal.
    var text: String {
        let milliseconds = components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
        guard milliseconds >= 10_000 else { return "\(milliseconds) ms" }
        return "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s"
    }
}
