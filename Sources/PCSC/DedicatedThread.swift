// SPDX-License-Identifier: Apache-2.0

import CPCSCLite
import Dispatch
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Nanoseconds of the monotonic clock.
@inline(__always)
func monotonicNanoseconds() -> UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(truncatingIfNeeded: now.tv_sec) &* 1_000_000_000 &+ UInt64(truncatingIfNeeded: now.tv_nsec)
}

extension Duration {
    /// Whole nanoseconds, never negative, never more than fits.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 1_000_000_000 else { return 1_000_000_000_000_000_000 }
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000
    }
}

/// Starts a detached POSIX thread. Blocking C calls belong on one of these, never on the cooperative pool.
func startThread(named name: String, _ body: @escaping @Sendable () -> Void) {
    final class Box: Sendable {
        let name: String
        let body: @Sendable () -> Void
        init(_ name: String, _ body: @escaping @Sendable () -> Void) { (self.name, self.body) = (name, body) }
    }
    #if canImport(Darwin)
        var thread: pthread_t?
    #else
        var thread = pthread_t()
    #endif
    let box = Unmanaged.passRetained(Box(name, body))
    let status = pthread_create(
        &thread, nil,
        { argument in
            #if canImport(Darwin)
                let box = Unmanaged<Box>.fromOpaque(argument).takeRetainedValue()
            #else
                guard let argument else { return nil }
                let box = Unmanaged<Box>.fromOpaque(argument).takeRetainedValue()
            #endif
            countertop_name_thread(box.name)
            pthread_detach(pthread_self())
            box.body()
            return nil
        }, box.toOpaque())
    // Out of threads: the system is beyond what this library can mend.
    precondition(status == 0, "cannot start a thread: error \(status)")
}

/// An executor with one thread of its own: the only thread that touches one PC/SC context.
///
/// It lives until ``finish(_:)``; its owner must call that exactly once.
final class ReaderThread: SerialExecutor {
    private enum Work {
        case job(UnownedJob)
        case finish(@Sendable () -> Void)
    }

    private let queue = Mutex<[Work]>([])
    private let available = DispatchSemaphore(value: 0)
    private let identity = Atomic<UInt>(0)

    init(name: String) {
        // The thread owns the executor: a job may release the last other reference to it.
        startThread(named: name) { self.run() }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        push(.job(UnownedJob(job)))
    }

    /// Runs `last` on the thread after everything queued so far, and ends the thread.
    func finish(_ last: @escaping @Sendable () -> Void) {
        push(.finish(last))
    }

    func checkIsolated() {
        precondition(isCurrent, "not on the reader's thread")
    }

    func isIsolatingCurrentContext() -> Bool? { isCurrent }

    private var isCurrent: Bool { identity.load(ordering: .acquiring) == Self.currentIdentity }

    private static var currentIdentity: UInt {
        #if canImport(Darwin)
            UInt(bitPattern: pthread_self())
        #else
            UInt(pthread_self())
        #endif
    }

    private func push(_ work: Work) {
        queue.withLock { $0.append(work) }
        available.signal()
    }

    private func run() {
        identity.store(Self.currentIdentity, ordering: .releasing)
        while true {
            available.wait()
            switch queue.withLock({ $0.removeFirst() }) {
            case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
            case .finish(let last):
                last()
                return
            }
        }
    }
}
