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
        place.withLock { place in
            guard !place.isThere else { return }
            place.isThere = true
            place.eventCount += 1
            phone.fieldOn()
        }
    }

    /// Takes the phone away, also in the middle of an exchange, which then ends with `cardGone`.
    public func takeAway() {
        let interruption = place.withLock { place -> Interruption? in
            guard place.isThere else { return nil }
            place.isThere = false
            place.eventCount += 1
            phone.fieldOff()
            return place.interruption
        }
        interruption?.raise(.takenAway)
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
        if try await poll(timeout, until: { self.presence != nil }), let presence { return presence }
        throw CardChannelError(.noCard, reason: "no phone came in time", hint: "call tap() to bring the phone")
    }

    /// As in `CardReader`; a phone that taps by itself leaves at once.
    public func waitForRemoval(timeout: Duration?) async throws(CardChannelError) -> Bool {
        guard !Task.isCancelled else { throw Self.cancelled }
        if tapping == .automatic { takeAway() }
        let before = presence
        return try await poll(timeout, until: { before == nil || self.presence != before })
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

    /// Looks every five milliseconds, so that cancelling ends the wait as soon.
    private func poll(_ timeout: Duration?, until done: () -> Bool) async throws(CardChannelError) -> Bool {
        let end = timeout.map { ContinuousClock.now + $0 }
        while !done() {
            if let end, ContinuousClock.now >= end { return false }
            do { try await Task.sleep(for: .milliseconds(5)) } catch { throw Self.cancelled }
        }
        return true
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
