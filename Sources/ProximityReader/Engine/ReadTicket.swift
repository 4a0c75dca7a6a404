// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// One read's right to be cancelled: until a card is detected, and again after a torn tap.
///
/// The lock decides the race between `cancelRead` and a card that comes: exactly one of them wins.
final class ReadTicket: Sendable {
    typealias Failure = PaymentCardReaderSession.ReadError

    private enum Phase {
        /// No wait is going on; a cancellation is noted for the next one.
        case idle
        /// Waiting for a card; the closure ends the wait.
        case waiting(stop: @Sendable () -> Void)
        /// A locked phone is being looked at in silence: whether that was a card is not known yet. Who waits for that
        /// to be known, and the error that ends the read unless it was one.
        case probing(waiters: [CheckedContinuation<Bool, Never>], stop: Failure?)
        /// A card is detected: too late to cancel. What came too late ends the read if the tap is torn.
        case detected(late: Failure?)
        /// Over, with this error.
        case stopped(Failure)
    }

    private let phase = Mutex(Phase.idle)

    /// The error of a stopped read; nil while it goes on.
    var stopped: Failure? {
        phase.withLock { phase in
            guard case .stopped(let error) = phase else { return nil }
            return error
        }
    }

    /// Ends the read unless a card is detected. `error` is what the read throws.
    ///
    /// - Returns: whether it did; nil while a locked phone is being looked at: the read ends after the look, unless
    ///   that brings a pass.
    @discardableResult
    func stop(_ error: Failure) -> Bool? { stop(error, waiter: nil) }

    /// As ``stop(_:)``, but waits for what comes of looking at a locked phone.
    func cancel() async -> Bool {
        await withCheckedContinuation { waiter in
            if let answer = stop(.readCancelled, waiter: waiter) { waiter.resume(returning: answer) }
        }
    }

    /// With nil as the answer `waiter` is kept, and resumed when the look is over.
    private func stop(_ error: Failure, waiter: CheckedContinuation<Bool, Never>?) -> Bool? {
        var endWait: (@Sendable () -> Void)?
        let answer: Bool? = phase.withLock { phase in
            switch phase {
            case .idle: break
            case .waiting(let stop): endWait = stop
            case .probing(let waiters, let first):
                phase = .probing(waiters: waiters + (waiter.map { [$0] } ?? []), stop: first ?? error)
                return nil
            case .detected(let first):
                // `cancelRead` was told no, and means this card only; a cancelled task and a lost session stay so.
                if waiter == nil { phase = .detected(late: first ?? error) }
                return false
            case .stopped: return false
            }
            phase = .stopped(error)
            return true
        }
        endWait?()
        return answer
    }

    /// A wait begins; throws when the read was stopped before.
    func beginWaiting(stop: @escaping @Sendable () -> Void) throws(Failure) { try enter(.waiting(stop: stop)) }

    /// A card came; throws when the read was stopped first.
    func cardDetected() throws(Failure) { try enter(.detected(late: nil)) }

    /// The tap was torn: the sheet asks for another, and may be closed again. Throws when the read was stopped in vain
    /// during the tap.
    func cardLost() throws(Failure) {
        phase.withLock { phase in
            if case .detected(let late?) = phase { phase = .stopped(late) }
        }
        try enter(.idle)
    }

    /// A locked phone is looked at in silence.
    func beginProbe() throws(Failure) { try enter(.probing(waiters: [], stop: nil)) }

    /// The look is over: it was a card to go on with, or the wait goes on, unless somebody stopped the read meanwhile.
    func endProbe(detected: Bool) throws(Failure) {
        let waiters = phase.withLock { phase -> [CheckedContinuation<Bool, Never>] in
            guard case .probing(let waiters, let stop) = phase else { return [] }
            phase = detected ? .detected(late: nil) : stop.map { .stopped($0) } ?? .idle
            return waiters
        }
        for waiter in waiters { waiter.resume(returning: !detected) }
        if let stopped { throw stopped }
    }

    private func enter(_ next: Phase) throws(Failure) {
        let error: Failure? = phase.withLock { phase in
            if case .stopped(let error) = phase { return error }
            phase = next
            return nil
        }
        if let error { throw error }
    }
}
