// SPDX-License-Identifier: Apache-2.0

/// Publishes events to JetStream and waits for the acknowledgements: the whole batch is sent, then each answer counts
/// for its own event. What was sent and not answered is sent again on a new connection, with the same id, by which the
/// stream knows it.
final class NATSPublisher {
    private struct Session {
        let connection: NATSConnection
        let inbox: String
        let answers: NATSSubscription
    }

    private let options: NATSOptions
    private let subject: String
    private let stream: String?
    private let making: NATSStreamOptions?
    private var session: Session?
    private var count: UInt64 = 0
    private var backOff = BackOff(from: .milliseconds(50), to: .seconds(1))

    init(_ options: NATSOptions, subject: String, stream: String?, making: NATSStreamOptions?) {
        (self.options, self.subject, self.stream, self.making) = (options, subject, stream, making)
    }

    /// One report for each event.
    func deliver(_ events: [OutgoingEvent], by deadline: Deadline) -> [DeliveryReport] {
        var reports = [DeliveryReport?](repeating: nil, count: events.count)
        var trouble = "no answer in time"
        repeat {
            do throws(BrokerError) {
                let session = try connected(by: deadline)
                try send(events, session, &reports, by: deadline)
                if reports.allSatisfy({ $0 != nil }) { backOff.reset() }
            } catch {
                trouble = error.reason
                disconnect()
            }
            if reports.contains(where: { $0 == nil }) { deadline.pause(backOff.wait()) }
        } while reports.contains { $0 == nil } && !deadline.isOver
        return reports.map { $0 ?? DeliveryReport(.unreachable, detail: trouble) }
    }

    /// Ends the connection.
    func disconnect() { session = nil }

    private func connected(by deadline: Deadline) throws(BrokerError) -> Session {
        if let session, session.connection.isConnected { return session }
        session = nil
        var options = options
        options.connectTimeout = min(options.connectTimeout, max(.milliseconds(1), deadline.remaining))
        let connection = try NATSConnection(options)
        if let making { try JetStream(connection).makeStream(making) }
        let inbox = try connection.makeInbox()
        let made = Session(connection: connection, inbox: inbox, answers: try connection.subscribe(inbox + ".*"))
        session = made
        return made
    }

    private func send(
        _ events: [OutgoingEvent], _ session: Session, _ reports: inout [DeliveryReport?], by deadline: Deadline
    ) throws(BrokerError) {
        var waiting: [String: Int] = [:]
        for index in events.indices where reports[index] == nil {
            count += 1
            let reply = "\(session.inbox).\(count)"
            do throws(BrokerError) {
                try session.connection.publish(try message(events[index], reply: reply))
                waiting[reply] = index
            } catch {
                guard error.code == .invalidData else { throw error }
                reports[index] = DeliveryReport(.refused(retryAfter: nil), detail: error.reason)
            }
        }
        while !waiting.isEmpty {
            guard !deadline.isOver else {
                let complaint = session.connection.complaint.map { ": \($0)" } ?? ""
                throw BrokerError(.timedOut, "no acknowledgement in time\(complaint)")
            }
            guard session.connection.isConnected else { throw BrokerError(.unreachable, "the connection was lost") }
            guard let answer = try next(session, by: deadline) else { continue }
            guard let index = waiting.removeValue(forKey: answer.subject) else { continue }
            reports[index] =
                NATSAcknowledgement(answer.body)?.report
                ?? DeliveryReport(.unavailable(retryAfter: nil), detail: "the answer is no acknowledgement")
        }
    }

    private func next(_ session: Session, by deadline: Deadline) throws(BrokerError) -> NATSMessage? {
        do throws(BrokerError) {
            return try session.answers.next(milliseconds: deadline.sliceMilliseconds)
        } catch {
            guard error.code == .notFound else { throw error }
            throw BrokerError(
                .notFound, "no stream takes the subject \(subject)", hint: "make one, or set create_stream = true")
        }
    }

    private func message(_ event: OutgoingEvent, reply: String) throws(BrokerError) -> NATSMessage {
        // docs.nats.io, "JetStream headers"; the content type as the CloudEvents NATS binding 1.0.2, 3.2 has it.
        var headers = [
            ("Nats-Msg-Id", event.event.id.description),
            ("Content-Type", "application/cloudevents+json; charset=UTF-8"),
        ]
        if let stream { headers.append(("Nats-Expected-Stream", stream)) }
        return try NATSMessage(subject: subject, reply: reply, headers: headers, body: event.body)
    }
}
