// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A time that passes only when it is told to, for deadlines.
public final class ManualTime: Sendable {
    private struct State {
        var uptime = Duration.zero
        var next = 0
        var sleepers: [Int: (until: Duration, continuation: CheckedContinuation<Void, Never>)] = [:]
        var cancelled: Set<Int> = []
    }

    private let state = Mutex(State())

    /// A time at zero.
    public init() {}

    /// How much has passed.
    public var uptime: Duration { state.withLock { $0.uptime } }

    /// How many wait at present.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Lets time pass, and wakes those whose time has come.
    public func advance(by duration: Duration) {
        let awake = state.withLock { state in
            state.uptime += duration
            let due = state.sleepers.filter { $0.value.until <= state.uptime }
            for key in due.keys { state.sleepers[key] = nil }
            return due.values.sorted { $0.until < $1.until }.map(\.continuation)
        }
        for continuation in awake { continuation.resume() }
    }

    /// Waits until so much more has passed; returns early when the task is cancelled.
    public func sleep(_ duration: Duration) async {
        let key = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    if duration <= .zero || state.cancelled.remove(key) != nil { return true }
                    state.sleepers[key] = (state.uptime + duration, continuation)
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers.removeValue(forKey: key)
                if sleeper == nil { state.cancelled.insert(key) }
                return sleeper
            }
            sleeper?.continuation.resume()
        }
    }
}
