// SPDX-License-Identifier: Apache-2.0

import Dispatch
public import ISO7816
import Synchronization

/// A reader in process, with an emulated phone as the only thing that ever comes to it.
///
/// By default the phone taps by itself: it is there when somebody waits for a card, and leaves when somebody waits for
/// its removal or the field goes off. Told to wait for ``tap()``, it comes and goes by hand.
public final class EmulatedReader: CardReader {
    /// Who brings the phone to the reader.
    public enum Tapping: Hashable, Sendable {
        /// The phone comes when it is waited for.
        case automatic
        /// ``EmulatedReader/tap()`` and ``EmulatedReader/takeAway()`` move it.
        case manual
    }

    /// `emulated`, or what the initialiser was given.
    public let name: String
    /// The phone that taps.
    public let phone: EmulatedPhone
    /// Who moves it.
    public let tapping: Tapping
    /// How long a silent phone is waited for before the exchange ends with `timedOut`.
    public let answerDeadline: Duration

    private struct Place {
        var isThere = false
        var eventCount = 0
        /// Of the access that is going on.
        var interruption: Interruption?
        /// Who waits for the phone to come or to go.
        var waits = PhoneWaits()
    }

    private let place = Mutex(Place())
    private let queue = DispatchQueue(label: "countertop.emulated-reader")
    private let pause: (@Sendable (Duration) -> Void)?

    /// A reader for this phone.
    ///
    /// - Parameters:
    ///   - phone: the only thing that ever comes.
    ///   - name: what the reader is called.
    ///   - tapping: who moves the phone.
    ///   - answerDeadline: how long a silent phone is waited for.
    ///   - pause: spends the delay before an answer; by default real time, which cancellation and ``takeAway()`` cut
    ///     short.
    public init(
        _ phone: EmulatedPhone, name: String = "emulated", tapping: Tapping = .automatic,
        answerDeadline: Duration = .seconds(10), pause: (@Sendable (Duration) -> Void)? = nil
    ) {
        (self.phone, self.name, self.tapping) = (phone, name, tapping)
        (self.answerDeadline, self.pause) = (answerDeadline, pause)
    }

    /// The phone presents its pass by itself.
    public var polling: PollingSupport { .automatic(route: "emulated") }

    /// Brings the phone to the reader; nothing happens when it is there.
    public func tap() {
        let over = place.withLock { place -> [PhoneWaits.Wait] in
            guard !place.isThere else { return [] }
            place.isThere = true
            place.eventCount += 1
            phone.fieldOn()
            return place.waits.takeOver(phoneIsThere: true, eventCount: place.eventCount)
        }
        for wait in over { wait.end(.done) }
    }

    /// Takes the phone away, also in the middle of an exchange, which then ends with `cardGone`.
    public func takeAway() {
        let (interruption, over) = place.withLock { place -> (Interruption?, [PhoneWaits.Wait]) in
            guard place.isThere else { return (nil, []) }
            place.isThere = false
            place.eventCount += 1
            phone.fieldOff()
            return (place.interruption, place.waits.takeOver(phoneIsThere: false, eventCount: place.eventCount))
        }
        interruption?.raise(.takenAway)
        for wait in over { wait.end(.done) }
    }

    private var presence: CardPresence? {
        place.withLock {
            $0.isThere ? CardPresence(atr: phone.answerToReset, eventCount: $0.eventCount) : nil
        }
    }

    /// As in `CardReader`; the phone comes at once when it taps by itself.
    public func waitForCard(timeout: Duration?) async throws(CardChannelError) -> CardPresence {
        guard !Task.isCancelled else { throw Self.cancelled }
        if tapping == .automatic { tap() }
        if try await wait(.presence, timeout), let presence { return presence }
        throw CardChannelError(.noCard, reason: "no phone came in time", hint: "call tap() to bring the phone")
    }

    /// As in `CardReader`; a phone that taps by itself leaves at once.
    public func waitForRemoval(timeout: Duration?) async throws(CardChannelError) -> Bool {
        guard !Task.isCancelled else { throw Self.cancelled }
        if tapping == .automatic { takeAway() }
        guard let before = presence else { return true }
        return try await wait(.change(of: before.eventCount), timeout)
    }

    /// As in `CardReader`. A phone that taps by itself comes if it is not there.
    public func withCard<Result: Sendable>(
        ending: CardEnding, _ body: @escaping @Sendable (any CardChannel) throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation(else: Self.cancelled)
        if tapping == .automatic { tap() }
        let interruption = Interruption()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.async {
                    continuation.resume(with: Swift.Result { try self.access(ending, interruption, body) })
                }
            }
        } onCancel: {
            interruption.raise(.cancelled)
        }
    }

    private func access<Result>(
        _ ending: CardEnding, _ interruption: Interruption, _ body: @Sendable (any CardChannel) throws -> Result
    ) throws -> Result {
        let isThere = place.withLock { place in
            place.interruption = interruption
            return place.isThere
        }
        defer { place.withLock { $0.interruption = nil } }
        guard isThere else { throw CardChannelError(.noCard, reason: "there is no phone at the reader") }
        if !phone.isInField { phone.fieldOn() }
        let channel = EmulatedChannel(self, interruption)
        defer {
            channel.close()
            end(ending)
        }
        return try body(channel)
    }

    private func end(_ ending: CardEnding) {
        switch ending {
        case .leave: break
        case .reset: if presence != nil { phone.fieldOn() }
        case .unpower: if tapping == .automatic { takeAway() } else { phone.fieldOff() }
        }
    }

    /// Whether it came about before the time was up.
    private func wait(_ wish: PhoneWaits.Wish, _ timeout: Duration?) async throws(CardChannelError) -> Bool {
        let id = place.withLock { $0.waits.newID() }
        let timer = timeout.map { timeout in
            Task { [weak self] in
                if timeout > .zero { do { try await Task.sleep(for: timeout) } catch { return } }
                self?.end(id, .timeUp)
            }
        }
        defer {
            timer?.cancel()
            place.withLock { $0.waits.forget(id) }
        }
        let ending = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let wait = PhoneWaits.Wait(wish: wish, end: { continuation.resume(returning: $0) })
                begin(id, wait)
            }
        } onCancel: {
            end(id, .cancelled)
        }
        guard ending != .cancelled else { throw Self.cancelled }
        return ending == .done
    }

    /// A wait that is over already is not begun.
    private func begin(_ id: Int, _ wait: PhoneWaits.Wait) {
        // Looked at under the lock: who cancels later finds the wait.
        let ending = place.withLock { place -> PhoneWaits.Ending? in
            if wait.wish.isMet(phoneIsThere: place.isThere, eventCount: place.eventCount) { return .done }
            if Task.isCancelled { return .cancelled }
            return place.waits.begin(id, wait) ? nil : .timeUp
        }
        if let ending { wait.end(ending) }
    }

    private func end(_ id: Int, _ ending: PhoneWaits.Ending) {
        place.withLock { $0.waits.take(id, ending) }?.end(ending)
    }

    private static let cancelled = CardChannelError(.cancelled, reason: "the wait for the phone was cancelled")
}

extension EmulatedReader {
    /// One exchange on the reader's thread.
    fileprivate func exchange(
        _ command: [UInt8], _ interruption: Interruption
    ) throws(CardChannelError) -> [UInt8] {
        try check(interruption)
        switch phone.respond(to: command) {
        case .response(let response, let delay):
            if delay > .zero {
                if let pause { pause(delay) } else { interruption.wait(delay) }
                try check(interruption)
            }
            return response
        case .leftField:
            takeAway()
            throw Self.gone
        case .silence:
            interruption.wait(answerDeadline)
            try check(interruption)
            throw CardChannelError(
                .timedOut, reason: "the phone did not answer within \(answerDeadline)",
                hint: "take the phone away and tap again")
        }
    }

    private func check(_ interruption: Interruption) throws(CardChannelError) {
        switch interruption.reason {
        case .takenAway: throw Self.gone
        case .cancelled: throw CardChannelError(.cancelled, reason: "the exchange was cancelled")
        case nil: return
        }
    }

    private static let gone = CardChannelError(.cardGone, reason: "the phone left the field", hint: "tap again")
}

/// The way to the phone while ``EmulatedReader/withCard(ending:_:)`` runs.
private final class EmulatedChannel: CardChannel {
    private let reader: EmulatedReader
    private let interruption: Interruption
    private let isOpen = Mutex(true)

    init(_ reader: EmulatedReader, _ interruption: Interruption) {
        (self.reader, self.interruption) = (reader, interruption)
    }

    func close() { isOpen.withLock { $0 = false } }

    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        guard isOpen.withLock({ $0 }) else {
            throw CardChannelError(.unsupported, reason: "the channel was used after its scope ended")
        }
        return try reader.exchange(command, interruption)
    }
}

extension Task where Success == Never, Failure == Never {
    /// Throws the reader's own error when the current task is cancelled.
    fileprivate static func checkCancellation(else error: CardChannelError) throws(CardChannelError) {
        if isCancelled { throw error }
    }
}
