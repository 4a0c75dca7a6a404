// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Sends each event to a provider's own API, by templates: one request, or several where the provider wants a search
/// first.
public final class TemplateSink: Sink {
    /// What to do with an event that lacks a value that the templates need.
    enum Missing: Sendable {
        case refuse
        case skip
    }

    /// The name from the configuration.
    public let name: String
    /// One event at a time.
    public let batchLimit = 1

    private let endpoint: HTTPEndpoint
    private let calls: [TemplateCall]
    private let context: SinkContext
    private let missing: Missing
    /// Values beside the event's: settings, and credentials made for each request.
    private let extra: @Sendable (Date) -> [String: TemplateValue]

    init(
        name: String, endpoint: HTTPEndpoint, calls: [TemplateCall], context: SinkContext, missing: Missing,
        extra: @escaping @Sendable (Date) -> [String: TemplateValue]
    ) {
        (self.name, self.endpoint, self.calls) = (name, endpoint, calls)
        (self.context, self.missing, self.extra) = (context, missing, extra)
    }

    /// Sends the events one after the other.
    public func deliver(_ events: [OutgoingEvent]) async -> [DeliveryReport] {
        var reports: [DeliveryReport] = []
        for event in events { reports.append(await deliver(event)) }
        return reports
    }

    /// Ends the connection.
    public func close() async { await endpoint.close() }

    private func deliver(_ event: OutgoingEvent) async -> DeliveryReport {
        let source = TemplateVariable.Source(event, context)
        var values = extra(Date())
        for name in calls.reduce(into: Set<String>(), { $0.formUnion($1.names) }) where values[name] == nil {
            values[name] = TemplateVariable.value(name, source)
        }
        var last = DeliveryReport(.refused(retryAfter: nil), detail: "there is nothing to send")
        for call in calls {
            do throws(TemplateText.Obstacle) {
                let request = try call.request(endpoint.origin) { values[$0] }
                switch await endpoint.send(request) {
                case .failure(let failure): return failure.report
                case .success(let answer):
                    last = call.success.report(answer)
                    guard last.verdict == .delivered else { return last }
                    if let gap = capture(call, answer, &values) { return gap }
                }
            } catch {
                return report(error, event.event.kind)
            }
        }
        return last
    }

    /// Takes what later calls need out of an answer; a report when it is not there.
    private func capture(
        _ call: TemplateCall, _ answer: EndpointAnswer, _ values: inout [String: TemplateValue]
    ) -> DeliveryReport? {
        for capture in call.captures {
            guard let body = answer.body else {
                return DeliveryReport(
                    .unavailable(retryAfter: nil), status: answer.status, detail: "the answer did not end in time")
            }
            guard let text = SuccessRule.text(at: capture.pointer, in: body) else {
                return DeliveryReport(.refused(retryAfter: nil), status: answer.status, detail: capture.missing)
            }
            values[capture.name] = .text(text)
        }
        return nil
    }

    /// A payment without a pass is not for a provider that wants a member: it is passed over, and counts as delivered.
    private func report(_ obstacle: TemplateText.Obstacle, _ kind: TapEvent.Kind) -> DeliveryReport {
        switch obstacle {
        case .missing(let name) where kind == .payment || missing == .skip:
            DeliveryReport(.delivered, detail: "passed over: the event has no \(name)")
        case .missing(let name):
            DeliveryReport(.refused(retryAfter: nil), detail: "the event has no \(name), which this sink needs")
        case .unfit(let name, let place):
            DeliveryReport(.refused(retryAfter: nil), detail: "the event's \(name) cannot stand in \(place)")
        }
    }
}
