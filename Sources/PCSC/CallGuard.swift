// SPDX-License-Identifier: Apache-2.0

import CPCSCLite
import ISO7816
import Synchronization

/// What a session is doing in the PC/SC library right now. The order is that of one access.
enum CallStage: UInt8, Sendable {
    case establish, list, status, connect, begin, transmit, control, end, release
}

/// What the outside may know and do about a session while its thread sits in a C call.
///
/// The thread stores a deadline before each call and clears it after; the watchdog reads it. When it has passed, the
/// session is abandoned: all who wait for it get an error, and nobody ever calls on its context again but its own
/// thread, once that call returns (a second call on the same context would block every PC/SC call of the process).
final class CallGuard: Sendable {
    private let deadline = Atomic<UInt64>(0)
    private let stage = Atomic<UInt8>(0)
    private let abandoned = Atomic<Bool>(false)
    private let drained = Atomic<Bool>(false)
    /// Set before a connect when another program has the card open: then a connect that blocks is its doing.
    private let shared = Atomic<Bool>(false)
    private let pending = Mutex<[UInt64: @Sendable (CardChannelError) -> Void]>([:])
    private let waiting = Mutex<SCARDCONTEXT?>(nil)
    private let nextID = Atomic<UInt64>(0)
    private let readerName: String

    init(readerName: String) { self.readerName = readerName }

    /// Whether the watchdog gave this session up.
    var isAbandoned: Bool { abandoned.load(ordering: .acquiring) }
    /// Whether the stuck call of an abandoned session has returned and its context is released.
    var isDrained: Bool { drained.load(ordering: .acquiring) }

    func markDrained() { drained.store(true, ordering: .releasing) }
    /// Whether another program had the card open before our connect.
    var isShared: Bool { shared.load(ordering: .relaxed) }
    func markShared(_ value: Bool) { shared.store(value, ordering: .relaxed) }

    /// Runs one C call with a deadline of `limit` nanoseconds from now.
    @inline(__always)
    func timed<Value>(_ stage: CallStage, limit: UInt64, _ call: () -> Value) -> Value {
        self.stage.store(stage.rawValue, ordering: .relaxed)
        deadline.store(monotonicNanoseconds() &+ limit, ordering: .releasing)
        defer { deadline.store(0, ordering: .releasing) }
        return call()
    }

    /// The deadline of the call in progress, in monotonic nanoseconds; 0 when there is none.
    var currentDeadline: UInt64 { deadline.load(ordering: .acquiring) }

    /// Registers someone who waits for this session; `fail` is called at most once, when it is abandoned.
    func register(_ fail: @escaping @Sendable (CardChannelError) -> Void) -> UInt64 {
        let id = nextID.wrappingAdd(1, ordering: .relaxed).newValue
        pending.withLock { $0[id] = fail }
        if isAbandoned, let fail = pending.withLock({ $0.removeValue(forKey: id) }) { fail(stuckError) }
        return id
    }

    func unregister(_ id: UInt64) {
        _ = pending.withLock { $0.removeValue(forKey: id) }
    }

    /// Gives the session up: everybody who waits for it is told.
    func abandon() {
        abandoned.store(true, ordering: .sequentiallyConsistent)
        let everybody = pending.withLock { pending in
            defer { pending = [:] }
            return pending.values.map { $0 }
        }
        let error = stuckError
        for fail in everybody { fail(error) }
    }

    /// Marks a status wait as one that ``cancelWait()`` may end.
    func enterWait(_ context: SCARDCONTEXT) { waiting.withLock { $0 = context } }
    func leaveWait() { waiting.withLock { $0 = nil } }

    /// Ends a status wait in progress. Never blocks the caller: SCardCancel opens a connection of its own.
    func cancelWait() {
        guard let context = waiting.withLock({ $0 }) else { return }
        Canceller.shared.cancel(context)
    }

    /// What to say about the call that did not come back.
    var stuckError: CardChannelError {
        switch CallStage(rawValue: stage.load(ordering: .relaxed)) {
        case .transmit, .control:
            return CardChannelError(
                .timedOut, reason: "the card or “\(readerName)” did not answer in time",
                hint: "take the card or phone away and tap again; if that does not help, replug the reader")
        case .begin:
            return busyError
        case .connect where shared.load(ordering: .relaxed):
            return busyError
        default:
            return CardChannelError(
                .timedOut, reason: "the smart card service pcscd does not answer",
                hint: "restart it: sudo systemctl restart pcscd")
        }
    }

    private var busyError: CardChannelError {
        CardChannelError(
            .interfered, reason: "another program holds the card in “\(readerName)” and does not let go",
            hint: PCSCErrorRow.otherProgram)
    }
}

/// The one thread that calls SCardCancel, so that a daemon that does not answer costs a thread once, not per cancel.
final class Canceller: Sendable {
    static let shared = Canceller()
    private let thread = WorkThread(name: "pcsc-cancel")

    func cancel(_ context: SCARDCONTEXT) {
        thread.submit { _ = SCardCancel(context) }
    }
}
