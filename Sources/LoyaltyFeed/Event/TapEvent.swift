// SPDX-License-Identifier: Apache-2.0

public import struct Foundation.Date

/// One loyalty read, or a payment read without a pass, as providers get it: a CloudEvents 1.0 event whose body is a
/// Standard Webhooks payload too.
public struct TapEvent: Hashable, Sendable {
    /// CloudEvents `type`. Open: a later version may add types.
    public struct Kind: Hashable, Sendable, RawRepresentable {
        /// The type's name.
        public let rawValue: String
        /// A type by name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A pass was read and decrypted.
        public static let loyalty = Kind(rawValue: "dev.countertop.loyalty.tap.v1")
        /// A payment card was read, without a pass.
        public static let payment = Kind(rawValue: "dev.countertop.payment.tap.v1")
        /// Nobody tapped: somebody tries a sink.
        public static let test = Kind(rawValue: "dev.countertop.test.v1")
    }

    /// The payment side of a tap, without card data.
    public struct Payment: Hashable, Sendable {
        /// `visa`, `mastercard`, ….
        public var scheme: String
        /// The outcome by its name in EMV Book A: `approved` never, `onlineRequest` mostly.
        public var outcome: String

        /// From its parts.
        public init(scheme: String, outcome: String) { (self.scheme, self.outcome) = (scheme, outcome) }
    }

    /// `id`; also `webhook-id`, `Nats-Msg-Id`, the provider's idempotency key and the ledger's key.
    public var id: ULID
    /// `source`: `/counters/c1`, or with a store `/stores/0042/counters/c1`.
    public var source: String
    /// `type`.
    public var kind: Kind
    /// `time` and `timestamp`, to the millisecond.
    public var time: Date
    /// `sequence`: counts the events of one counter from 1, without gaps; 20 digits in the body.
    public var sequence: UInt64
    /// `correlationid`: the tap, where one tap gave several events; the first event has the tap's own id.
    public var tap: ULID
    /// `subject` and `data.passTypeId`.
    public var passTypeIdentifier: String?
    /// `partitionkey`: the same for all taps of one member with one pass type at one counter, or at all that share
    /// ``OutboxOptions/partitionSecret``; says nothing about the member.
    public var partitionKey: String?
    /// `data.member`: the decrypted message, as text when it is printable UTF-8.
    public var member: String?
    /// `data.keyId`: four bytes, hexadecimal.
    public var keyID: String?
    /// `data.deviceTime`: when the phone made the payload.
    public var deviceTime: Date?
    /// `data.wallet`: `apple`.
    public var wallet: String
    /// `data.mode`: `vas`, `pay` or `vasAndPay`.
    public var mode: String
    /// `data.payment`.
    public var payment: Payment?
    /// `data.reader.name`.
    public var readerName: String
    /// `data.latencyMs`.
    public var latencyMilliseconds: Double
    /// `data.basket`: a JSON object that the POS attached, as it was sent.
    public var basket: String?

    /// An event with what every event has.
    public init(
        id: ULID, source: String, kind: Kind, time: Date, sequence: UInt64, readerName: String, mode: String,
        latencyMilliseconds: Double
    ) {
        (self.id, self.tap, self.source, self.kind, self.time) = (id, id, source, kind, time)
        (self.sequence, self.readerName, self.mode) = (sequence, readerName, mode)
        (self.latencyMilliseconds, wallet) = (latencyMilliseconds, "apple")
    }
}
