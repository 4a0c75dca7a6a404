// SPDX-License-Identifier: Apache-2.0

public import struct Foundation.Date

/// How far an event is at a sink.
public enum DeliveryState: String, Hashable, Sendable, CaseIterable {
    /// Its turn has not come.
    case pending
    /// The sink has it.
    case delivered
    /// It was tried, and is tried again.
    case retrying
    /// Given up after the whole schedule; a resend tries it again.
    case dead
}

/// Which deliveries to list: those that fit everything that is set.
public struct DeliveryFilter: Hashable, Sendable {
    /// Of this sink.
    public var sink: String?
    /// In this state.
    public var state: DeliveryState?
    /// Of this event.
    public var event: ULID?
    /// Of this tap's events.
    public var tap: ULID?
    /// Of events before this position, to page backwards.
    public var before: Int64?
    /// How many at most.
    public var limit: Int

    /// A filter.
    public init(
        sink: String? = nil, state: DeliveryState? = nil, event: ULID? = nil, tap: ULID? = nil, before: Int64? = nil,
        limit: Int = 100
    ) {
        (self.sink, self.state, self.event, self.tap) = (sink, state, event, tap)
        (self.before, self.limit) = (before, limit)
    }
}

/// One event at one sink, with what was tried.
public struct DeliveryRow: Hashable, Sendable {
    /// The event.
    public let event: ULID
    /// Its tap.
    public let tap: ULID
    /// Its sequence at the counter.
    public let sequence: UInt64
    /// Its place in the order in which events go out.
    public let position: Int64
    /// The sink.
    public let sink: String
    /// How far it is.
    public let state: DeliveryState
    /// The latest attempts, oldest first; at most ``DeliveryAttempt/kept``.
    public let attempts: [DeliveryAttempt]
    /// When it is tried again, by the wall clock; nil when that is not planned, or as soon as its turn comes.
    public let nextAttempt: Date?
}

/// One try to deliver one event to one sink.
public struct DeliveryAttempt: Hashable, Sendable {
    /// How many are kept for one event at one sink.
    public static let kept = 32

    /// Its number, from 1.
    public let number: Int
    /// When it began.
    public let at: Date
    /// How long it took.
    public let milliseconds: Double
    /// `delivered`, `refused`, `unavailable`, `unreachable` or `disabled`.
    public let verdict: String
    /// The HTTP status, where there is one.
    public let status: Int?
    /// What happened, in one sentence.
    public let detail: String
}

/// What to send again. Each also enables a sink that was disabled, and ends the waiting of one that could not be
/// reached.
public enum Resend: Hashable, Sendable {
    /// One event, to one sink or to all.
    case event(ULID, sink: String?)
    /// Every event whose tap began then or later, to one sink or to all.
    case since(Date, sink: String?)
    /// What was given up, at one sink or at all.
    case deadLetters(sink: String?)
}

/// What became of a basket.
public enum BasketOutcome: Hashable, Sendable {
    /// It is in the body of the tap's events, which go out now.
    case attached
    /// The events went out before it came.
    case tooLate
    /// The counter is not configured to wait for baskets.
    case noWindow
    /// There is no such tap.
    case unknownTap
    /// The basket is no JSON object, or larger than ``TapEvent/basketLimit``.
    case invalid
}

/// A pass that no key here opens.
public struct ParkedCryptogram: Hashable, Sendable {
    /// The event that it becomes.
    public let event: ULID
    /// Its tap.
    public let tap: ULID
    /// The pass type it was read for.
    public let passTypeIdentifier: String
    /// The key that opens it.
    public let keyID: String
    /// The value of tag 9F27.
    public let cryptogram: [UInt8]
    /// When it was read.
    public let read: Date
}

/// What was in a parked pass.
public struct ReleasedPayload: Hashable, Sendable {
    /// The message, when it is printable text (``TapEvent/text(ofMessage:)``).
    public let member: String?
    /// The phone's time.
    public let deviceTime: Date

    /// A payload from its parts.
    public init(member: String?, deviceTime: Date) { (self.member, self.deviceTime) = (member, deviceTime) }
}

/// What changed in an outbox. A listener that falls behind misses some, and reads again from its cursor anyway.
public enum OutboxChange: Hashable, Sendable {
    /// A tap was committed.
    case tap(ULID)
    /// An event was released, up to and including this position.
    case event(Int64)
    /// A delivery was tried, or is to be.
    case delivery(ULID, sink: String)
    /// Several things at once, perhaps by another process: look again.
    case several
}
