// SPDX-License-Identifier: Apache-2.0

/// Takes events from a JetStream stream into PostgreSQL, each once, whatever is killed meanwhile.
///
/// A message is acknowledged after its row was committed, and a row that is there is not written again: so a message
/// that comes twice (nobody knows whether a lost connection lost the acknowledgement) does no harm. Several ledgers may
/// share one durable consumer. Both servers may go away at any time; the ledger comes back to them.
public struct Ledger: Sendable {
    private let options: LedgerOptions
    private let schema: LedgerSchema
    private let report: @Sendable (LedgerReport) -> Void

    /// A ledger.
    ///
    /// - Parameters:
    ///   - options: what it reads and where it writes.
    ///   - report: is told of the work, on the ledger's own thread.
    public init(
        _ options: LedgerOptions, report: @escaping @Sendable (LedgerReport) -> Void
    ) throws(BrokerError) {
        schema = try LedgerSchema(options.schema)
        (self.options, self.report) = (options, report)
    }

    /// Works until the task is cancelled, or until the options say that it is done. A batch that was begun is ended.
    ///
    /// - Throws: `BrokerError` where trying again would not help: a setting that cannot be used.
    public func run() async throws(BrokerError) -> LedgerCounts {
        let worker = BlockingWorker("ledger")
        let result = await worker.run { [self] stop -> Result<LedgerCounts, BrokerError> in
            var loop = LedgerLoop(options: options, schema: schema, report: report, stop: stop)
            return Result { () throws(BrokerError) in try loop.run() }
        }
        return try result.get()
    }
}

/// The ledger's work, on one thread.
struct LedgerLoop {
    let options: LedgerOptions
    let schema: LedgerSchema
    let report: @Sendable (LedgerReport) -> Void
    let stop: StopFlag
    private var consumer: LedgerConsumer?
    private var store: LedgerStore?
    private var counts = LedgerCounts()
    private var lastMessage = ContinuousClock.now
    private var wasReady = false
    private var backOff = BackOff(from: .milliseconds(100), to: .seconds(5))

    init(
        options: LedgerOptions, schema: LedgerSchema, report: @escaping @Sendable (LedgerReport) -> Void, stop: StopFlag
    ) {
        (self.options, self.schema, self.report, self.stop) = (options, schema, report, stop)
    }

    mutating func run() throws(BrokerError) -> LedgerCounts {
        while !stop.isSet {
            do throws(BrokerError) {
                if try work() { break }
                backOff.reset()
            } catch {
                guard !stop.isSet else { break }
                guard error.code != .invalidSetting else { throw error }
                report(.waiting(error))
                wasReady = false
                lastMessage = .now
                Deadline(in: .seconds(60), stop: stop).pause(backOff.wait())
            }
        }
        return counts
    }

    /// One round; true when there is nothing left to do.
    private mutating func work() throws(BrokerError) -> Bool {
        let store = try database()
        let consumer = try stream()
        if !wasReady { report(.ready) }
        wasReady = true
        let messages: [NATSMessage]
        do throws(BrokerError) {
            messages = try consumer.fetch(options.batch, milliseconds: 500)
        } catch {
            self.consumer = nil
            throw error
        }
        guard !messages.isEmpty else { return try isDone(consumer) }
        lastMessage = .now
        let batch: LedgerBatch
        do throws(BrokerError) {
            batch = try commit(messages, store)
        } catch {
            // Nobody knows what the connection is good for now.
            self.store = nil
            throw error
        }
        finish(messages, batch)
        try? consumer.flush()
        return false
    }

    private mutating func isDone(_ consumer: LedgerConsumer) throws(BrokerError) -> Bool {
        guard consumer.isConnected else {
            self.consumer = nil
            throw BrokerError(.unreachable, "the connection to NATS was lost")
        }
        if options.once, try consumer.pending() == 0 { return true }
        return options.idleExit.map { .now - lastMessage >= $0 } ?? false
    }

    /// Commits a batch. When the database goes away meanwhile, the same batch is tried again: who would give it back to
    /// the stream would only get it again.
    private mutating func commit(_ messages: [NATSMessage], _ first: LedgerStore) throws(BrokerError) -> LedgerBatch {
        let batch = messages.map {
            LedgerMessage(subject: $0.subject, streamSequence: $0.streamSequence, body: $0.body)
        }
        var store = first
        while true {
            do throws(BrokerError) {
                // A commit that was begun is waited for, even when somebody asks us to stop.
                return try store.store(batch, by: Deadline(in: options.postgres.timeout, stop: StopFlag()))
            } catch {
                self.store = nil
                guard !stop.isSet, error.code == .unreachable || error.code == .timedOut else { throw error }
                report(.waiting(error))
                store = try databaseAgain(messages)
            }
        }
    }

    /// Waits for the database to come back, and asks the stream for patience with the messages in hand.
    private mutating func databaseAgain(_ messages: [NATSMessage]) throws(BrokerError) -> LedgerStore {
        while true {
            Deadline(in: .seconds(60), stop: stop).pause(backOff.wait())
            guard !stop.isSet else { throw BrokerError(.stopped, "asked to stop") }
            messages.forEach { $0.holdOn() }
            do throws(BrokerError) {
                let store = try database()
                backOff.reset()
                return store
            } catch {
                guard error.code != .invalidSetting else { throw error }
                report(.waiting(error))
            }
        }
    }

    private mutating func finish(_ messages: [NATSMessage], _ batch: LedgerBatch) {
        for (place, message) in messages.enumerated() {
            if let reason = batch.rejected[place] {
                message.terminate()
                report(.rejected(streamSequence: message.streamSequence, reason: reason))
            } else {
                message.acknowledge()
            }
        }
        counts.stored += batch.stored
        counts.known += batch.known
        counts.rejected += batch.rejected.count
        counts.last = messages.count
        report(.stored(counts))
    }

    private mutating func database() throws(BrokerError) -> LedgerStore {
        if let store { return store }
        let deadline = Deadline(in: options.postgres.timeout, stop: stop)
        let connection = try PostgresConnection(options.postgres, by: deadline)
        try schema.prepare(connection, by: deadline)
        let made = LedgerStore(connection: connection, schema: schema, stream: options.stream)
        store = made
        return made
    }

    private mutating func stream() throws(BrokerError) -> LedgerConsumer {
        if let consumer, consumer.isConnected { return consumer }
        consumer = nil
        let made = try LedgerConsumer(options)
        consumer = made
        return made
    }
}
