// SPDX-License-Identifier: Apache-2.0

/// Publishes events with QoS 1 and waits for each one's acknowledgement. What was not acknowledged when a connection
/// ends is sent again on the next: at least once, as MQTT has it.
final class MQTTPublisher {
    private let options: MQTTOptions
    private var client: MQTTClient?
    private var saidOnline = false
    private var backOff = BackOff(from: .milliseconds(50), to: .seconds(1))

    init(_ options: MQTTOptions) { self.options = options }

    /// One report for each event.
    func deliver(_ events: [OutgoingEvent], by deadline: Deadline) -> [DeliveryReport] {
        var reports = [DeliveryReport?](repeating: nil, count: events.count)
        var trouble = "no answer in time"
        repeat {
            do throws(BrokerError) {
                let client = try connected(by: deadline)
                try send(events, client, &reports, by: deadline)
                backOff.reset()
            } catch {
                trouble = error.reason
                // One that still connects goes on, and the next delivery finds it connected.
                if error.code != .timedOut || saidOnline { drop() }
            }
            if reports.contains(where: { $0 == nil }) { deadline.pause(backOff.wait()) }
        } while reports.contains { $0 == nil } && !deadline.isOver
        return reports.map { $0 ?? DeliveryReport(.unreachable, detail: trouble) }
    }

    /// Says `offline` and ends the connection.
    func disconnect(by deadline: Deadline) {
        if let client, saidOnline, let number = try? say("offline", client) {
            while !deadline.isOver, (try? client.isConnected()) == true, client.acknowledgement(of: number) == nil {
                client.wait(deadline)
            }
            client.disconnect()
        }
        drop()
    }

    /// Acknowledgements on the present connection that no event waits for; for tests.
    var unclaimed: Int { client?.unclaimed ?? 0 }

    private func drop() {
        client?.abandon()
        (client, saidOnline) = (nil, false)
    }

    private func connected(by deadline: Deadline) throws(BrokerError) -> MQTTClient {
        let current: MQTTClient
        if let client { current = client } else { current = try MQTTClient(options) }
        client = current
        while try !current.isConnected() {
            guard !deadline.isOver else { throw BrokerError(.timedOut, "the broker does not answer") }
            current.wait(deadline)
        }
        if !saidOnline {
            current.disregard(try say("online", current))
            saidOnline = true
        }
        return current
    }

    private func say(_ text: String, _ client: MQTTClient) throws(BrokerError) -> Int32 {
        try client.publish(
            Array(text.utf8), topic: options.statusTopic, retained: true, contentType: "text/plain; charset=utf-8")
    }

    private func send(
        _ events: [OutgoingEvent], _ client: MQTTClient, _ reports: inout [DeliveryReport?], by deadline: Deadline
    ) throws(BrokerError) {
        var waiting: [Int32: Int] = [:]
        for index in events.indices where reports[index] == nil {
            do throws(BrokerError) {
                // CloudEvents MQTT binding 1.0.2, 3.2: structured mode.
                let number = try client.publish(
                    events[index].body, topic: options.topic, retained: false,
                    contentType: "application/cloudevents+json; charset=utf-8")
                waiting[number] = index
            } catch {
                guard error.code == .invalidData else { throw error }
                reports[index] = DeliveryReport(.refused(retryAfter: nil), detail: error.reason)
            }
        }
        while true {
            for (number, index) in waiting {
                guard let reason = client.acknowledgement(of: number) else { continue }
                waiting[number] = nil
                reports[index] = MQTTReason(reason).report
            }
            if waiting.isEmpty { return }
            guard try client.isConnected() else { throw BrokerError(.unreachable, "the connection was lost") }
            guard !deadline.isOver else { throw BrokerError(.timedOut, "no acknowledgement in time") }
            client.wait(deadline)
        }
    }
}

/// The reason code of a PUBACK (MQTT 5.0, table 3-4).
struct MQTTReason: Hashable {
    let code: Int32

    init(_ code: Int32) { self.code = code }

    private enum Blame { case nobody, event, broker }

    private static let table: [Int32: (blame: Blame, words: String)] = [
        0x00: (.nobody, "the broker has it"), 0x10: (.nobody, "the broker has it, and nobody subscribes"),
        0x80: (.broker, "unspecified error"), 0x83: (.broker, "implementation specific error"),
        0x87: (.broker, "not authorized"), 0x90: (.event, "topic name invalid"),
        0x91: (.broker, "packet identifier in use"), 0x95: (.event, "packet too large"),
        0x97: (.broker, "quota exceeded"), 0x99: (.event, "payload format invalid"),
    ]

    /// What it means for the event. Codes from 0x80 on are failures (MQTT 5.0, 2.4).
    var report: DeliveryReport {
        let (blame, words) = Self.table[code] ?? (code < 0x80 ? .nobody : .broker, "reason code \(code)")
        switch blame {
        case .nobody: return DeliveryReport(.delivered, status: Int(code), detail: words)
        case .event:
            return DeliveryReport(
                .refused(retryAfter: nil), status: Int(code), detail: "the broker did not take it: \(words)")
        case .broker:
            return DeliveryReport(
                .unavailable(retryAfter: nil), status: Int(code), detail: "the broker did not take it: \(words)")
        }
    }
}
