// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Synchronization

/// Set once, from any thread, when somebody wants blocking work to end.
final class StopFlag: Sendable {
    private let flag = Atomic(false)

    /// Whether work should end.
    var isSet: Bool { flag.load(ordering: .relaxed) }

    /// Asks for the end.
    func set() { flag.store(true, ordering: .relaxed) }
}

/// Where blocking calls of C libraries run, one after another: a queue of its own, so that they never sit on a thread
/// that Swift's tasks share.
final class BlockingWorker: Sendable {
    private let queue: DispatchQueue

    init(_ name: String) { queue = DispatchQueue(label: "countertop.\(name)") }

    /// Runs `body` on the queue; cancelling the task sets its flag.
    func run<Result: Sendable>(_ body: @escaping @Sendable (StopFlag) -> Result) async -> Result {
        let stop = StopFlag()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: body(stop)) }
            }
        } onCancel: {
            stop.set()
        }
    }
}

/// A point in time by which blocking work must be over, or the flag that ends it earlier.
struct Deadline {
    /// How long one blocking call may wait before the flag is looked at again.
    static let slice = Duration.milliseconds(100)

    private let end: ContinuousClock.Instant
    private let stop: StopFlag

    init(in time: Duration, stop: StopFlag) { (end, self.stop) = (.now + time, stop) }

    /// What is left, never negative.
    var remaining: Duration { max(.zero, end - .now) }
    /// Whether nothing more should be waited for.
    var isOver: Bool { stop.isSet || remaining == .zero }
    /// What is left, at most one slice, in whole milliseconds from 1.
    var sliceMilliseconds: Int64 { max(1, min(remaining, Self.slice).wholeMilliseconds) }

    /// Sleeps on this thread; returns early at the end.
    func pause(_ time: Duration) {
        let until = min(end, .now + time)
        while !stop.isSet, .now < until {
            let left = max(1, min(until - .now, Self.slice).wholeMilliseconds)
            Thread.sleep(milliseconds: left)
        }
    }
}

/// Waits that grow: each twice the one before, up to a limit, with up to a quarter more by chance.
struct BackOff {
    private let first: Duration
    private let limit: Duration
    private var next: Duration

    init(from first: Duration, to limit: Duration) { (self.first, self.limit, next) = (first, limit, first) }

    /// The next wait.
    mutating func wait() -> Duration {
        defer { next = min(next * 2, limit) }
        return next + next * Double.random(in: 0..<0.25)
    }

    /// Begins again, after a success.
    mutating func reset() { next = first }
}

extension Duration {
    /// Whole milliseconds.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return overflow ? (seconds < 0 ? .min : .max) : product &+ attoseconds / 1_000_000_000_000_000
    }

    /// Whole nanoseconds, at most what 64 bits hold.
    var wholeNanoseconds: Int64 {
        let (product, overflow) = wholeMilliseconds.multipliedReportingOverflow(by: 1_000_000)
        return overflow ? (wholeMilliseconds < 0 ? .min : .max) : product
    }
}

private enum Thread {
    static func sleep(milliseconds: Int64) {
        let semaphore = DispatchSemaphore(value: 0)
        _ = semaphore.wait(timeout: .now() + .milliseconds(Int(milliseconds)))
    }
}
