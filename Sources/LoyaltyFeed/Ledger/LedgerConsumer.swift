// SPDX-License-Identifier: Apache-2.0

internal import CNATS

/// A pull subscription to a durable consumer of a stream. Several share the work: each message goes to one of them.
final class LedgerConsumer {
    private let connection: NATSConnection
    private let subscription: NATSSubscription
    private let stream: JetStream
    private let options: LedgerOptions

    /// Connects; makes the consumer, and the stream where we may, unless they are there.
    init(_ options: LedgerOptions) throws(BrokerError) {
        self.options = options
        var nats = options.nats
        nats.clientName = "countertop ledger"
        connection = try NATSConnection(nats)
        stream = try JetStream(connection)
        if let making = options.making { try stream.makeStream(making) }
        guard try stream.hasStream(options.stream) else {
            throw BrokerError(
                .notFound, "there is no stream \(options.stream)",
                hint: "the first counter with create_stream = true makes it, or --create-stream")
        }
        subscription = try Self.subscribe(stream, options)
    }

    private static func subscribe(
        _ stream: JetStream, _ options: LedgerOptions
    ) throws(BrokerError) -> NATSSubscription {
        try makeConsumer(stream, options)
        var subscription: OpaquePointer?
        let status = options.stream.withCString { name in
            options.durable.withCString { durable in
                var settings = jsSubOptions()
                jsSubOptions_Init(&settings)
                (settings.Stream, settings.Consumer, settings.ManualAck) = (name, durable, true)
                return js_PullSubscribe(
                    &subscription, stream.pointer, options.subject ?? ">", durable, nil, &settings, nil)
            }
        }
        guard status == NATS_OK, let subscription else {
            throw BrokerError(nats: status, "the consumer \(options.durable) cannot be used")
        }
        return NATSSubscription(subscription)
    }

    /// Makes the consumer unless it is there; one that is there stays as it is.
    private static func makeConsumer(_ stream: JetStream, _ options: LedgerOptions) throws(BrokerError) {
        var info: UnsafeMutablePointer<jsConsumerInfo>?
        var status = js_GetConsumerInfo(&info, stream.pointer, options.stream, options.durable, nil, nil)
        jsConsumerInfo_Destroy(info)
        guard status == NATS_NOT_FOUND else {
            guard status == NATS_OK else { throw BrokerError(nats: status, "the consumer cannot be looked up") }
            return
        }
        let subject = CStrings([options.subject])
        status = options.durable.withCString { durable in
            var configuration = jsConsumerConfig()
            jsConsumerConfig_Init(&configuration)
            configuration.Durable = durable
            configuration.AckPolicy = js_AckExplicit
            configuration.AckWait = options.acknowledgementWait.wholeNanoseconds
            // Never given up: a message that is no event is ended by us, and all others are wanted.
            configuration.MaxDeliver = -1
            configuration.MaxAckPending = 20_000
            configuration.FilterSubject = subject.pointers[0]
            return js_AddConsumer(nil, stream.pointer, options.stream, &configuration, nil, nil)
        }
        withExtendedLifetime(subject) {}
        guard status == NATS_OK else {
            throw BrokerError(nats: status, "the consumer \(options.durable) cannot be made")
        }
    }

    /// Whether the connection still stands, as far as the library knows.
    var isConnected: Bool { connection.isConnected }

    /// Messages, as soon as there is one; none when none came in time.
    func fetch(_ count: Int, milliseconds: Int64) throws(BrokerError) -> [NATSMessage] {
        var list = natsMsgList()
        let status = natsSubscription_Fetch(
            &list, subscription.pointer, Int32(clamping: count), milliseconds, nil)
        defer { natsMsgList_Destroy(&list) }
        switch status {
        case NATS_OK, NATS_TIMEOUT, NATS_NOT_FOUND: break
        default: throw BrokerError(nats: status, "the stream does not answer")
        }
        guard let messages = list.Msgs else { return [] }
        return (0..<Int(list.Count)).compactMap { index in
            guard let pointer = messages[index] else { return nil }
            // The list would destroy it; it is ours now.
            messages[index] = nil
            return NATSMessage(pointer)
        }
    }

    /// How many messages the stream has that no ledger has acknowledged.
    func pending() throws(BrokerError) -> UInt64 {
        var info: UnsafeMutablePointer<jsConsumerInfo>?
        let status = js_GetConsumerInfo(&info, stream.pointer, options.stream, options.durable, nil, nil)
        guard status == NATS_OK, let info else { throw BrokerError(nats: status, "the consumer does not answer") }
        defer { jsConsumerInfo_Destroy(info) }
        return info.pointee.NumPending + UInt64(clamping: info.pointee.NumAckPending)
    }

    /// Waits until the server has all acknowledgements.
    func flush() throws(BrokerError) { try connection.flush(milliseconds: 5000) }
}
