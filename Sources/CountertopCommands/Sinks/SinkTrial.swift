// SPDX-License-Identifier: Apache-2.0

internal import CounterServer
internal import LoyaltyFeed

/// One event sent through one sink of a configuration.
struct SinkTrial {
    let type: String
    private let sink: any Sink
    private let context: SinkContext

    init(_ name: String, _ configuration: CounterConfiguration) throws(ToolError) {
        guard let index = configuration.sinks.firstIndex(where: { $0.name == name }) else {
            let names = configuration.sinks.map(\.name).joined(separator: ", ")
            throw ToolError(
                .usage, "the configuration has no sink `\(name)`",
                hint: names.isEmpty ? "it has none at all: add a [[sink]] table" : "it has \(names)")
        }
        var chosen = configuration
        chosen.sinks = [configuration.sinks[index]]
        context = configuration.sinkContext
        type = configuration.sinks[index].type
        do throws(SettingError) {
            sink = try SinkFactory.make(configuration.sinks[index], context)
        } catch {
            throw ToolError(
                .configuration, code: "sink", "sink \(name): \(error.key) \(error.reason)", hint: error.hint)
        }
    }

    /// Sends the event, and closes the sink.
    func run(member: String) async -> Outcome {
        let event = TestEvent.make(context, member: member)
        let began = ContinuousClock.now
        let reports = await sink.deliver([event])
        let duration = ContinuousClock.now - began
        await sink.close()
        let report = reports.first ?? DeliveryReport(.unreachable, detail: "the sink said nothing")
        return Outcome(sink: sink.name, type: type, event: event, report: report, duration: duration)
    }

    /// What came of it.
    struct Outcome {
        let sink: String
        let type: String
        let event: OutgoingEvent
        let report: DeliveryReport
        let duration: Duration

        /// The verdict's word, and what to do.
        private var meaning: (word: String, advice: String?) {
            switch report.verdict {
            case .delivered: ("delivered", nil)
            case .refused:
                ("refused", "the receiver is there and does not take this: look at its log, then at the sink's keys")
            case .unavailable: ("unavailable", "the receiver is there and does not work just now; events wait for it")
            case .unreachable:
                ("unreachable", "check the address, the network and TLS; events wait, however long it takes")
            case .disabled:
                ("disabled", "the receiver wants no more events; a counter stops this sink until it is enabled again")
            }
        }

        private var milliseconds: Int { Int(duration / .milliseconds(1)) }

        var json: JSON {
            .object([
                "sink": .string(sink), "type": .string(type), "event": .string(event.event.id.description),
                "verdict": .string(meaning.word), "status": report.status.map { .number($0) },
                "durationMs": .number(milliseconds), "detail": .string(report.detail),
                "hint": .optional(meaning.advice),
            ])
        }

        var text: [String] {
            ["\(sink): \(meaning.word) in \(milliseconds) ms: \(report.detail)", "event \(event.event.id)"]
                + (meaning.advice.map { ["hint: \($0)"] } ?? [])
        }
    }
}
