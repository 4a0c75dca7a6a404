// SPDX-License-Identifier: Apache-2.0

import ISO7816
import Synchronization

/// The place where a reader keeps its session, and changes it for another when it got stuck.
///
/// Every operation is a race between the session's thread and the watchdog, so a caller never waits longer than the
/// limits say. At most ``stuckLimit`` abandoned sessions exist at a time; while there are as many, further use waits
/// for one of them to come back, and fails with `timedOut` when none does: threads and contexts are never piled up.
final class SessionSlot: Sendable {
    static let stuckLimit = 2

    private struct State {
        var current: ReaderSession?
        var stuck: [ReaderSession] = []
    }

    private let state = Mutex(State())
    private let readerName: String
    private let options: PCSCReader.Options

    init(readerName: String, options: PCSCReader.Options) {
        (self.readerName, self.options) = (readerName, options)
    }

    /// Runs `body` on the session's thread.
    ///
    /// Cancelling the task takes an operation that has not begun out of the queue (`cancelled`). One that has begun
    /// runs on and sees `Task.isCancelled`, unless it is a wait: a wait ends at once.
    func run<Value: Sendable>(
        isWait: Bool = false, _ body: @escaping @Sendable (isolated ReaderSession) throws -> Value
    ) async throws -> Value {
        let session = try await session()
        let race = Race<Value>(isWait: isWait, guardian: session.guardian)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard race.start(continuation) else { return }
                let work = Task {
                    let result: Result<Value, any Error>
                    do {
                        result = .success(
                            try await session.perform { session in
                                guard race.begin() else { throw Self.cancelled }
                                return try body(session)
                            })
                    } catch {
                        result = .failure(error)
                    }
                    race.finish(result)
                }
                race.attach(work)
            }
        } onCancel: {
            race.cancel()
        }
    }

    static var cancelled: CardChannelError { CardChannelError(.cancelled, reason: "the operation was cancelled") }

    private func session() async throws(CardChannelError) -> ReaderSession {
        let giveUp = ContinuousClock.now + options.callTimeout
        while true {
            if let session = state.withLock({ pick(&$0) }) { return session }
            guard ContinuousClock.now < giveUp else { break }
            do { try await Task.sleep(for: .milliseconds(20)) } catch { throw Self.cancelled }
        }
        let stuck = state.withLock { $0.stuck.last }
        throw stuck?.guardian.stuckError ?? CardChannelError(.timedOut, reason: "“\(readerName)” is stuck")
    }

    private func pick(_ state: inout State) -> ReaderSession? {
        state.stuck.removeAll { $0.guardian.isDrained }
        if let current = state.current {
            guard current.guardian.isAbandoned else { return current }
            if !current.guardian.isDrained { state.stuck.append(current) }
            state.current = nil
        }
        guard state.stuck.count < Self.stuckLimit else { return nil }
        let fresh = ReaderSession(readerName: readerName, options: options)
        state.current = fresh
        return fresh
    }
}

/// Who answers a caller first: the session's thread, the watchdog, or a cancellation.
private final class Race<Value: Sendable>: Sendable {
    private enum Phase {
        case idle
        case running(CheckedContinuation<Value, any Error>, id: UInt64, begun: Bool)
        case over
    }

    private struct State {
        var phase = Phase.idle
        var work: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let isWait: Bool
    private let guardian: CallGuard

    init(isWait: Bool, guardian: CallGuard) { (self.isWait, self.guardian) = (isWait, guardian) }

    /// False when it was over before it began; the continuation is then resumed.
    func start(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
        let isOver = state.withLock { state in
            if case .over = state.phase { return true }
            state.phase = .running(continuation, id: 0, begun: false)
            return false
        }
        guard !isOver else {
            continuation.resume(throwing: SessionSlot.cancelled)
            return false
        }
        let id = guardian.register { [self] error in finish(.failure(error)) }
        let stillRunning = state.withLock { state in
            guard case .running(let continuation, _, let begun) = state.phase else { return false }
            state.phase = .running(continuation, id: id, begun: begun)
            return true
        }
        if !stillRunning { guardian.unregister(id) }
        return stillRunning
    }

    func attach(_ work: Task<Void, Never>) {
        state.withLock { if case .running = $0.phase { $0.work = work } }
    }

    /// Called on the session's thread; false when nobody waits for the result any more.
    func begin() -> Bool {
        state.withLock { state in
            guard case .running(let continuation, let id, _) = state.phase else { return false }
            state.phase = .running(continuation, id: id, begun: true)
            return true
        }
    }

    func finish(_ result: Result<Value, any Error>) {
        let ended: (CheckedContinuation<Value, any Error>, UInt64)? = state.withLock { state in
            guard case .running(let continuation, let id, _) = state.phase else { return nil }
            state = State(phase: .over)
            return (continuation, id)
        }
        guard let (continuation, id) = ended else { return }
        guardian.unregister(id)
        continuation.resume(with: result)
    }

    func cancel() {
        let (endsNow, begun, work) = state.withLock { state in
            switch state.phase {
            case .idle:
                state.phase = .over
                return (false, false, state.work)
            case .running(_, _, let begun): return (isWait || !begun, begun, state.work)
            case .over: return (false, false, state.work)
            }
        }
        work?.cancel()
        if isWait, begun { guardian.cancelWait() }
        if endsNow { finish(.failure(SessionSlot.cancelled)) }
    }
}
