// SPDX-License-Identifier: Apache-2.0

/// Sends events to a NATS JetStream stream: subject `taps.{tenant}.{store}.{counter}`, message id = event id, body = the
/// CloudEvents document. An event counts as delivered when the stream has acknowledged it.
///
/// An acknowledgement means that the server has the message, not that its disk has it: see the README, "5,000 counters".
public final class NATSSink: Sink {
    /// The name from the configuration.
    public let name: String
    /// How many events are under way at once.
    public let batchLimit: Int
    private let timeout: Duration
    private let worker: BlockingWorker
    /// Used on the worker's queue only.
    private nonisolated(unsafe) let publisher: NATSPublisher

    /// A sink that connects when it has something to deliver.
    ///
    /// - Parameters:
    ///   - name: of the sink.
    ///   - options: where the server is.
    ///   - subject: see ``subject(tenant:store:counter:pattern:)``.
    ///   - stream: what the messages must go to; any stream that takes the subject when nil.
    ///   - making: how the stream is made when it is not there; nil when it is not ours to make.
    ///   - batchLimit: how many events are under way at once.
    ///   - timeout: how long one delivery may take, reconnecting included.
    public init(
        name: String, options: NATSOptions, subject: String, stream: String? = nil, making: NATSStreamOptions? = nil,
        batchLimit: Int = 64, timeout: Duration = .seconds(10)
    ) {
        (self.name, self.batchLimit, self.timeout) = (name, max(1, batchLimit), timeout)
        worker = BlockingWorker("nats.\(name)")
        publisher = NATSPublisher(options, subject: subject, stream: stream, making: making)
    }

    /// Publishes events in order and waits for each one's acknowledgement, at most as long as the time-out.
    public func deliver(_ events: [OutgoingEvent]) async -> [DeliveryReport] {
        await worker.run { [self] stop in
            publisher.deliver(events, by: Deadline(in: timeout, stop: stop))
        }
    }

    /// Ends the connection; the next delivery makes another.
    public func close() async {
        await worker.run { [self] _ in publisher.disconnect() }
    }

    /// A subject from a pattern such as `taps.{tenant}.{store}.{counter}`.
    ///
    /// - Throws: `BrokerError` when a part would not be one token of a subject (docs.nats.io, "Subject-Based Messaging").
    public static func subject(
        tenant: String, store: String, counter: String, pattern: String = "taps.{tenant}.{store}.{counter}"
    ) throws(BrokerError) -> String {
        let parts = ["{tenant}": tenant, "{store}": store, "{counter}": counter]
        var tokens: [String] = []
        for token in pattern.split(separator: ".", omittingEmptySubsequences: false) {
            let text = parts[String(token)] ?? String(token)
            guard Self.isToken(text) else {
                throw BrokerError(
                    .invalidSetting, "\"\(token)\" does not make a part of a NATS subject",
                    hint: "letters, digits, - and _ do")
            }
            tokens.append(text)
        }
        return tokens.joined(separator: ".")
    }

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !Array(".*>{}".utf8).contains($0) }
    }
}
