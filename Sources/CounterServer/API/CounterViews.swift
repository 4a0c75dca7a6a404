// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import ISO7816
internal import LoyaltyFeed

/// What the counter keeps and is, as JSON.
enum CounterViews {
    private static let timeStyle = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    static func time(_ date: Date) -> JSON { .string(date.formatted(timeStyle)) }

    /// The first and the last character; a short one shows nothing. Member numbers stand in no page and no list.
    static func masked(_ member: String) -> String {
        guard member.count > 4, let first = member.first, let last = member.last else { return "…" }
        return "\(first)…\(last)"
    }

    // MARK: taps

    static func json(_ tap: StoredTap) -> JSON {
        let record = tap.record
        return .object([
            "id": .string(record.id.description), "time": time(record.began), "reader": .string(record.readerName),
            "wallet": .string(record.wallet), "mode": .string(record.mode), "result": .string(result(record.result)),
            "reason": reason(record.result), "latencyMs": .decimal(record.latencyMilliseconds),
            "passes": .array(record.passes.enumerated().map { json($1, isOpened: tap.parked[$0] ?? false) }),
            "payment": record.payment.map {
                .object(["scheme": .string($0.scheme), "outcome": .string($0.outcome)])
            } ?? .null,
            "events": .array(tap.events.map(json)), "deliveries": .array(tap.deliveries.map(json)),
            "hasTrace": .bool(tap.hasTrace),
        ])
    }

    private static func result(_ result: TapRecord.Result) -> String {
        if case .read = result { "read" } else { "failed" }
    }

    private static func reason(_ result: TapRecord.Result) -> JSON {
        guard case .failed(let code, let text) = result else { return .null }
        return reason(code, text)
    }

    private static func reason(_ code: String, _ text: String) -> JSON {
        .object([
            "code": .string(code), "text": .string(text),
            "hint": TapReason.hint(for: code).map { .string($0) } ?? .null,
        ])
    }

    /// - Parameter isOpened: whether it was parked, and its key has come since.
    private static func json(_ pass: PassRecord, isOpened: Bool) -> JSON {
        let head: KeyValuePairs<String, JSON?>
        let (type, status): (JSON, JSON) = (
            .string(pass.passTypeIdentifier), .string(StatusWord(rawValue: pass.statusWord).description)
        )
        switch pass.outcome {
        case .read(let member, let keyID, let deviceTime):
            head = [
                "passTypeIdentifier": type, "statusWord": status, "result": "read",
                "member": member.map { .string(masked($0)) } ?? .null, "keyId": .string(keyID),
                "deviceTime": time(deviceTime), "reason": .null,
            ]
        case .parked(_, let keyID) where isOpened:
            // What was in it is in its event only.
            head = [
                "passTypeIdentifier": type, "statusWord": status, "result": "read", "member": .null,
                "keyId": .string(keyID), "deviceTime": .null, "reason": .null,
            ]
        case .parked(_, let keyID):
            head = [
                "passTypeIdentifier": type, "statusWord": status, "result": "parked", "member": .null,
                "keyId": .string(keyID), "deviceTime": .null,
                "reason": reason("unknownKey", "there is no private key here for key id \(keyID)"),
            ]
        case .failed(let code, let text):
            head = [
                "passTypeIdentifier": type, "statusWord": status, "result": "failed", "member": .null,
                "keyId": .null, "deviceTime": .null, "reason": reason(code, text),
            ]
        }
        return .object(head)
    }

    private static func json(_ event: EventSummary) -> JSON {
        .object([
            "id": .string(event.id.description), "sequence": .number(Int(clamping: event.sequence)),
            "position": event.position.map { .number(Int($0)) } ?? .null, "type": .string(event.kind.rawValue),
        ])
    }

    private static func json(_ delivery: DeliverySummary) -> JSON {
        .object([
            "event": .string(delivery.event.description), "sink": .string(delivery.sink),
            "state": .string(delivery.state.rawValue),
        ])
    }

    // MARK: deliveries

    static func json(_ row: DeliveryRow) -> JSON {
        .object([
            "event": .string(row.event.description), "tap": .string(row.tap.description),
            "sequence": .number(Int(clamping: row.sequence)), "position": .number(Int(row.position)),
            "sink": .string(row.sink), "state": .string(row.state.rawValue),
            "attempts": .array(row.attempts.map(json)), "nextAttempt": row.nextAttempt.map(time) ?? .null,
        ])
    }

    private static func json(_ attempt: DeliveryAttempt) -> JSON {
        .object([
            "number": .number(attempt.number), "at": time(attempt.at), "verdict": .string(attempt.verdict),
            "status": attempt.status.map { .number($0) } ?? .null, "detail": .string(attempt.detail),
            "durationMs": .decimal(attempt.milliseconds),
        ])
    }

    static func json(_ sink: SinkStatistics) -> JSON {
        let state = sink.isDisabled ? "disabled" : sink.heldUntil == nil ? "active" : "waiting"
        return .object([
            "name": .string(sink.name), "state": .string(state), "cursor": .number(Int(sink.cursor)),
            "depth": .number(sink.depth), "oldest": sink.oldest.map(time) ?? .null,
            "retrying": .number(sink.retrying), "dead": .number(sink.dead),
            "nextAttempt": sink.heldUntil.map(time) ?? .null, "reason": sink.trouble.map { .string($0) } ?? .null,
        ])
    }

    // MARK: the counter

    static func json(_ reader: ReaderStatus) -> JSON {
        .object([
            "name": .string(reader.name), "kind": .string(reader.kind), "used": .bool(reader.isUsed),
            "connected": .bool(reader.isConnected), "wakesPhone": .bool(reader.advice == nil),
            "detail": (reader.problem ?? reader.advice).map { .string($0) } ?? .null,
            "recoveries": .number(reader.recoveries),
        ])
    }

    static func json(_ wallet: WalletView) -> JSON {
        .object([
            "passes": .array(
                wallet.passes.map {
                    .object([
                        "passTypeIdentifier": .string($0.passTypeIdentifier),
                        "serialNumber": $0.serialNumber.map { .string($0) } ?? .null,
                        "readable": .bool($0.isReadable),
                    ])
                }),
            "chosen": wallet.chosen.map { .string($0) } ?? .null, "locked": .bool(wallet.isLocked),
            "leavesFieldAt": wallet.leavesFieldAt.map { .number($0) } ?? .null,
            "answerDelayMs": .number(wallet.answerDelayMilliseconds),
            "paymentNetwork": wallet.paymentNetwork.map { .string($0) } ?? .null,
            "paymentArmed": .bool(wallet.isPaymentArmed), "taps": .number(wallet.tapCount),
            "receivedURLs": .array(wallet.receivedURLs.map { .string($0) }),
        ])
    }

    static func json(_ report: HealthReport, withText: Bool) -> JSON {
        .object([
            "ok": .bool(report.isFine),
            "checks": .array(
                report.checks.map {
                    .object([
                        "name": .string($0.name), "ok": .bool($0.isFine), "text": withText ? .string($0.text) : nil,
                    ])
                }),
        ])
    }
}
