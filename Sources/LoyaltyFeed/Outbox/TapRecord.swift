// SPDX-License-Identifier: Apache-2.0

public import struct Foundation.Date

/// One contact of a phone with the counter, from its first command to its result or error, as it is committed.
public struct TapRecord: Hashable, Sendable {
    /// How the contact ended.
    public enum Result: Hashable, Sendable {
        /// Something was read.
        case read
        /// Nothing was: a stable code, and a sentence for people.
        case failed(code: String, reason: String)
    }

    /// The tap, and its first event.
    public var id: ULID
    /// When the phone came to the reader, by the wall clock; kept to the millisecond.
    public var began: Date
    /// The reader's name.
    public var readerName: String
    /// How it ended.
    public var result: Result
    /// `apple`.
    public var wallet = "apple"
    /// `vas`, `pay` or `vasAndPay`.
    public var mode: String
    /// From the first command to the result.
    public var latencyMilliseconds: Double
    /// The passes that were asked for, in their order.
    public var passes: [PassRecord] = []
    /// The payment card, when one was read.
    public var payment: TapEvent.Payment?
    /// The redacted trace in the `.apdu` form.
    public var trace: String?

    /// A tap with what every tap has.
    public init(
        id: ULID, began: Date, readerName: String, result: Result, mode: String, latencyMilliseconds: Double,
        passes: [PassRecord] = [], payment: TapEvent.Payment? = nil, trace: String? = nil
    ) {
        (self.id, self.began, self.readerName, self.result) = (id, began, readerName, result)
        (self.mode, self.latencyMilliseconds) = (mode, latencyMilliseconds)
        (self.passes, self.payment, self.trace) = (passes, payment, trace)
    }
}

/// One pass of a tap.
public struct PassRecord: Hashable, Sendable {
    /// What became of the pass.
    public enum Outcome: Hashable, Sendable {
        /// Read and decrypted: an event. Without a member when the message is no printable text.
        case read(member: String?, keyID: String, deviceTime: Date)
        /// Read, but no key here opens it: kept as it is, an event when the key arrives.
        case parked(cryptogram: [UInt8], keyID: String)
        /// Not read: a stable code, and a sentence for people.
        case failed(code: String, reason: String)
    }

    /// The pass type.
    public var passTypeIdentifier: String
    /// What the phone answered.
    public var statusWord: UInt16
    /// What became of it.
    public var outcome: Outcome

    /// A pass from its parts.
    public init(passTypeIdentifier: String, statusWord: UInt16, outcome: Outcome) {
        (self.passTypeIdentifier, self.statusWord, self.outcome) = (passTypeIdentifier, statusWord, outcome)
    }
}

extension TapRecord {
    /// The tap with every pass as one that failed whose message is longer than ``TapEvent/messageLimit``.
    var withoutOverlongMessages: TapRecord {
        guard passes.contains(where: \.isOverlong) else { return self }
        var tap = self
        let (code, reason) = ("messageTooLong", "its message has more than \(TapEvent.messageLimit) bytes")
        for index in tap.passes.indices where tap.passes[index].isOverlong {
            tap.passes[index].outcome = .failed(code: code, reason: reason)
        }
        let isLeft = tap.passes.contains { if case .failed = $0.outcome { false } else { true } }
        if !isLeft, tap.payment == nil { tap.result = .failed(code: code, reason: "the pass: \(reason)") }
        return tap
    }
}

extension PassRecord {
    /// What tag 9F27 has besides the message: the key's id, the X of a public key, the time and the tag of AES-GCM
    /// (kormax/apple-vas README, "Cryptogram").
    private static let cryptogramOverhead = 4 + 32 + 4 + 16

    fileprivate var isOverlong: Bool {
        switch outcome {
        case .read(let member, _, _): (member?.utf8.count ?? 0) > TapEvent.messageLimit
        case .parked(let cryptogram, _): cryptogram.count > TapEvent.messageLimit + Self.cryptogramOverhead
        case .failed: false
        }
    }
}

/// What a commit made. It is on the disk.
public struct CommittedTap: Hashable, Sendable {
    /// The tap's id.
    public let id: ULID
    /// Its place in ``Outbox/taps(after:limit:)``.
    public let cursor: Int64
    /// Its events, also those that wait.
    public let events: [EventSummary]
}

/// An event without its body.
public struct EventSummary: Hashable, Sendable {
    /// The event.
    public let id: ULID
    /// Its sequence at the counter.
    public let sequence: UInt64
    /// Its place in the order in which events go out; nil while it is parked or waits for a basket.
    public let position: Int64?
    /// Its type.
    public let kind: TapEvent.Kind
}

/// An event that goes out, or went.
public struct StoredEvent: Hashable, Sendable {
    /// Its place in the order in which events go out: 1, 2, ….
    public let position: Int64
    /// The event and its body.
    public let outgoing: OutgoingEvent
}

/// A tap as it is kept.
public struct StoredTap: Hashable, Sendable {
    /// Its place in ``Outbox/taps(after:limit:)``.
    public let cursor: Int64
    /// The tap without its trace, and without the cryptograms of parked passes.
    public let record: TapRecord
    /// Whether ``Outbox/trace(of:)`` has one.
    public let hasTrace: Bool
    /// Its events.
    public let events: [EventSummary]
    /// Where they are on their way: each released event at each sink.
    public let deliveries: [DeliverySummary]

    /// Places in `record.passes` of those that were parked, with whether their key has come since.
    public var parked: [Int: Bool] {
        // Passes that were not read have no event.
        let places = record.passes.indices.filter {
            if case .failed = record.passes[$0].outcome { false } else { true }
        }
        var parked: [Int: Bool] = [:]
        for (place, event) in zip(places, events.filter { $0.kind == .loyalty }) {
            if case .parked = record.passes[place].outcome { parked[place] = event.position != nil }
        }
        return parked
    }
}

/// One event at one sink.
public struct DeliverySummary: Hashable, Sendable {
    /// The event.
    public let event: ULID
    /// The sink.
    public let sink: String
    /// How far it is.
    public let state: DeliveryState
}
