// SPDX-License-Identifier: Apache-2.0

/// What a ledger reads and where it writes.
public struct LedgerOptions: Sendable {
    /// The NATS server.
    public var nats: NATSOptions
    /// The database.
    public var postgres: PostgresOptions
    /// The stream.
    public var stream = "TAPS"
    /// The durable consumer that all ledgers of one database share.
    public var durable = "ledger"
    /// Which subjects of the stream; all when nil.
    public var subject: String?
    /// How the stream is made when it is not there; nil when it is not ours to make.
    public var making: NATSStreamOptions?
    /// The PostgreSQL schema of the tables.
    public var schema = "countertop"
    /// How many messages go into one transaction.
    public var batch = 256
    /// When the server gives a message that was not acknowledged to somebody else.
    public var acknowledgementWait = Duration.seconds(30)
    /// End after this time without a message; never when nil.
    public var idleExit: Duration?
    /// End as soon as the stream has nothing more for this ledger.
    public var once = false

    /// Options with defaults.
    public init(nats: NATSOptions, postgres: PostgresOptions) { (self.nats, self.postgres) = (nats, postgres) }
}

/// What a ledger tells of its work.
public enum LedgerReport: Hashable, Sendable {
    /// Both servers are there, and messages are asked for.
    case ready
    /// A batch was committed and acknowledged.
    case stored(LedgerCounts)
    /// A message is no event; it is in the table `rejected`, and the stream will not send it again.
    case rejected(streamSequence: UInt64?, reason: String)
    /// A server is away; tried again after a wait.
    case waiting(BrokerError)
}

/// How many messages a ledger has dealt with since it began.
public struct LedgerCounts: Hashable, Sendable {
    /// Events that are new in the table.
    public var stored = 0
    /// Events that were there already.
    public var known = 0
    /// Messages that are no events.
    public var rejected = 0
    /// Messages of the last batch.
    public var last = 0

    /// Nothing yet.
    public init() {}
}
