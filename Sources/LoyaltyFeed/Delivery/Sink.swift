// SPDX-License-Identifier: Apache-2.0

/// An event as it is sent: the body is final, and the same bytes at every attempt and at every sink.
public struct OutgoingEvent: Hashable, Sendable {
    /// What the body says.
    public let event: TapEvent
    /// The CloudEvents document, UTF-8.
    public let body: [UInt8]

    /// An event with its body.
    public init(event: TapEvent, body: [UInt8]) { (self.event, self.body) = (event, body) }
}

/// What became of one event at one attempt.
public struct DeliveryReport: Hashable, Sendable {
    /// How an attempt ended.
    public enum Verdict: Hashable, Sendable {
        /// The sink has it.
        case delivered
        /// The sink answered, and did not take this event: the next attempt is due by the schedule, or after this time.
        case refused(retryAfter: Duration?)
        /// The sink as a whole does not work just now (overloaded, failing): later events wait too.
        case unavailable(retryAfter: Duration?)
        /// Nobody answered: no network, no server, no name. Never a reason to give an event up.
        case unreachable
        /// The sink wants no more events (410) until somebody enables it again.
        case disabled

        /// The case by name, as attempts and metrics have it.
        public var name: String {
            switch self {
            case .delivered: "delivered"
            case .refused: "refused"
            case .unavailable: "unavailable"
            case .unreachable: "unreachable"
            case .disabled: "disabled"
            }
        }
    }

    /// How it ended.
    public let verdict: Verdict
    /// The HTTP status, where there is one.
    public let status: Int?
    /// What happened, in one sentence without a full stop and without a secret.
    public let detail: String

    /// A report from its parts.
    public init(_ verdict: Verdict, status: Int? = nil, detail: String) {
        (self.verdict, self.status, self.detail) = (verdict, status, detail)
    }
}

/// Where events go. One task at a time calls it; a sink need not be safe against itself.
public protocol Sink: Sendable {
    /// The name from the configuration; also the name of its cursor.
    var name: String { get }
    /// How many events it takes at once; 1 for HTTP.
    var batchLimit: Int { get }
    /// Sends events in order and waits for their acknowledgement: as many reports as events. Never throws; cancelling
    /// the task ends it early with `unreachable`.
    func deliver(_ events: [OutgoingEvent]) async -> [DeliveryReport]
    /// Ends connections and flushes files.
    func close() async
}
