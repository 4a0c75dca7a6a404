// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// A thread that runs closures in order, for as long as the process lives; started at first use.
final class WorkThread: Sendable {
    private let queue = Mutex<[@Sendable () -> Void]>([])
    private let available = DispatchSemaphore(value: 0)

    init(name: String) {
        startThread(named: name) {
            while true {
                self.available.wait()
                let work = self.queue.withLock { $0.removeFirst() }
                work()
            }
        }
    }

    func submit(_ work: @escaping @Sendable () -> Void) {
        queue.withLock { $0.append(work) }
        available.signal()
    }
}

/// One thread that looks after the deadlines of all sessions of the process.
///
/// A session's thread only stores a number before and after each call. The watchdog wakes when the earliest call now
/// in progress, or one that might have begun just after its last look, could be late.
final class Watchdog: Sendable {
    static let shared = Watchdog()

    private struct Entry: Sendable {
        let guardian: CallGuard
        /// The shortest limit of any call of that session, in nanoseconds.
        let limit: UInt64
    }

    private let entries = Mutex<[ObjectIdentifier: Entry]>([:])
    private let changed = DispatchSemaphore(value: 0)

    private init() {
        startThread(named: "pcsc-watchdog") { self.run() }
    }

    func watch(_ guardian: CallGuard, limit: UInt64) {
        entries.withLock { $0[ObjectIdentifier(guardian)] = Entry(guardian: guardian, limit: max(limit, 1_000_000)) }
        changed.signal()
    }

    func forget(_ guardian: CallGuard) {
        _ = entries.withLock { $0.removeValue(forKey: ObjectIdentifier(guardian)) }
    }

    private func run() {
        while true {
            if let delay = look() {
                _ = changed.wait(timeout: .now() + .nanoseconds(Int(clamping: delay)))
            } else {
                changed.wait()
            }
        }
    }

    /// Abandons the sessions that are late; returns the nanoseconds until the next look, nil when nobody is watched.
    private func look() -> UInt64? {
        let now = monotonicNanoseconds()
        let (late, next) = entries.withLock { entries in
            var late: [CallGuard] = []
            var next: UInt64?
            for (id, entry) in entries {
                let deadline = entry.guardian.currentDeadline
                if deadline != 0, deadline <= now {
                    late.append(entry.guardian)
                    entries[id] = nil
                } else {
                    let due = deadline == 0 ? entry.limit : min(deadline - now, entry.limit)
                    next = min(next ?? due, due)
                }
            }
            return (late, next)
        }
        for guardian in late { guardian.abandon() }
        return next
    }
}
