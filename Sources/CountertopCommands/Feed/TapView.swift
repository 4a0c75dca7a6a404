// SPDX-License-Identifier: Apache-2.0

internal import CounterServer
internal import Foundation
internal import LoyaltyFeed

/// Times as the outbox's commands print them.
enum FeedTime {
    static func text(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}

/// A tap as the outbox's commands print it. Members stand in the events' bodies only, for which `show` is asked.
struct TapView {
    let tap: StoredTap

    var json: JSON {
        .object([
            "id": .string(tap.record.id.description), "time": .string(FeedTime.text(tap.record.began)),
            "cursor": .number(Int(tap.cursor)), "reader": .string(tap.record.readerName),
            "mode": .string(tap.record.mode), "result": .string(result.word), "reason": .optional(result.reason),
            "events": .array(tap.events.map(Self.json)),
            "deliveries": .array(
                tap.deliveries.map {
                    .object([
                        "event": .string($0.event.description), "sink": .string($0.sink),
                        "state": .string($0.state.rawValue),
                    ])
                }),
        ])
    }

    private static func json(_ event: EventSummary) -> JSON {
        .object([
            "id": .string(event.id.description), "sequence": .number(Int(clamping: event.sequence)),
            "position": event.position.map { .number(Int($0)) }, "type": .string(event.kind.rawValue),
        ])
    }

    private var result: (word: String, reason: String?) {
        switch tap.record.result {
        case .read: ("read", nil)
        case .failed(let code, let reason): ("failed", "\(code): \(reason)")
        }
    }

    /// Time, id, what came of it, and where it is on its way.
    var line: String {
        let parked = tap.parked.filter { !$0.value }.keys.sorted().compactMap { place -> String? in
            guard case .parked(_, let key) = tap.record.passes[place].outcome else { return nil }
            return "parked for key \(key)"
        }
        let waiting = parked.isEmpty && tap.events.contains { $0.position == nil } ? ["waiting for a basket"] : parked
        let sinks = Dictionary(grouping: tap.deliveries, by: \.sink).sorted { $0.key < $1.key }.map { sink, all in
            "\(sink) \(Set(all.map(\.state.rawValue)).sorted().joined(separator: "+"))"
        }
        let parts = [result.reason ?? "\(tap.events.count) event\(tap.events.count == 1 ? "" : "s")"] + waiting + sinks
        return "\(FeedTime.text(tap.record.began))  \(tap.record.id)  " + parts.joined(separator: ", ")
    }
}

/// One event at one sink, with its attempts.
struct DeliveryView {
    let row: DeliveryRow

    var json: JSON {
        .object([
            "event": .string(row.event.description), "tap": .string(row.tap.description),
            "position": .number(Int(row.position)), "sink": .string(row.sink), "state": .string(row.state.rawValue),
            "nextAttempt": .optional(row.nextAttempt.map(FeedTime.text)),
            "attempts": .array(
                row.attempts.map {
                    .object([
                        "number": .number($0.number), "at": .string(FeedTime.text($0.at)),
                        "verdict": .string($0.verdict), "status": $0.status.map { .number($0) },
                        "detail": .string($0.detail), "durationMs": .number(Int($0.milliseconds.rounded())),
                    ])
                }),
        ])
    }

    var lines: [String] {
        let next = row.nextAttempt.map { ", next at \(FeedTime.text($0))" } ?? ""
        return ["\(row.sink): \(row.event) \(row.state.rawValue)\(next)"]
            + row.attempts.map { attempt in
                let status = attempt.status.map { " \($0)" } ?? ""
                return "  \(FeedTime.text(attempt.at))  \(attempt.verdict)\(status): \(attempt.detail)"
            }
    }
}

/// How full an outbox is.
struct OutboxView {
    let statistics: OutboxStatistics

    var json: JSON {
        .object([
            "taps": .number(statistics.taps), "lastSequence": .number(Int(clamping: statistics.lastSequence)),
            "lastPosition": .number(Int(statistics.lastPosition)), "depth": .number(statistics.depth),
            "oldest": .optional(statistics.oldest.map(FeedTime.text)), "parked": .number(statistics.parked),
            "sinks": .array(statistics.sinks.map(Self.json)),
        ])
    }

    private static func json(_ sink: SinkStatistics) -> JSON {
        .object([
            "name": .string(sink.name), "cursor": .number(Int(sink.cursor)), "depth": .number(sink.depth),
            "oldest": .optional(sink.oldest.map(FeedTime.text)), "retrying": .number(sink.retrying),
            "dead": .number(sink.dead), "disabled": .bool(sink.isDisabled),
            "heldUntil": .optional(sink.heldUntil.map(FeedTime.text)),
        ])
    }

    var lines: [String] {
        let oldest = statistics.oldest.map { ", the oldest from \(FeedTime.text($0))" } ?? ""
        let whole = [
            "\(statistics.taps) taps, last sequence \(statistics.lastSequence)",
            "\(statistics.depth) events wait\(oldest)",
        ]
        let parked = statistics.parked > 0 ? ["\(statistics.parked) passes wait for their key"] : []
        return whole + parked
            + statistics.sinks.map { sink in
                var parts = ["\(sink.depth) waiting", "\(sink.retrying) tried again", "\(sink.dead) given up"]
                if sink.isDisabled { parts.append("disabled") }
                if let until = sink.heldUntil { parts.append("held until \(FeedTime.text(until))") }
                return "sink \(sink.name): " + parts.joined(separator: ", ")
            }
    }
}
