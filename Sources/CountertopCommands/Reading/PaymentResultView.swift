// SPDX-License-Identifier: Apache-2.0

internal import BERTLV
internal import CounterServer
internal import Foundation
internal import ISO7816
internal import ProximityReader

/// What a payment read brought, as the tool shows it. It holds nothing but what the app gets: sealed data, and objects
/// that identify no cardholder.
struct PaymentResultView {
    let payment: PaymentCardReadResult?
    let passes: ReadResultView?
    /// Why the payment part ended as it did.
    let reason: String?
    let events: [String]

    /// Status 1 for a card that was read and refused.
    var complaint: ToolError? {
        guard let payment, payment.outcome != .success else { return passes?.staleness }
        let name = Self.name(payment.outcome)
        return ToolError(.checkFailed, code: name, reason.map { "\(name): \($0)" } ?? name)
    }

    var json: JSON { .object(members) }

    /// The object of a read that threw: the error beside what there is.
    func json(_ error: ToolError) -> JSON {
        let words: [(String, String?)] = [
            ("error", error.reason), ("code", error.code), ("hint", error.hint), ("reason", reason),
        ]
        return .object(
            members + words.compactMap { name, text in text.map { JSON.Member(name: name, value: .string($0)) } })
    }

    private var members: [JSON.Member] {
        [
            JSON.Member(name: "payment", value: payment.map(json) ?? .null),
            JSON.Member(name: "vas", value: passes?.json ?? .null),
            JSON.Member(name: "events", value: .array(events.map { .string($0) })),
        ]
    }

    private func json(_ payment: PaymentCardReadResult) -> JSON {
        .object([
            "id": .string(payment.id), "outcome": .string(Self.name(payment.outcome)),
            "paymentCardData": payment.paymentCardData.map { .string($0) } ?? .null,
            "generalCardData": payment.generalCardData.map { .string($0) } ?? .null,
            "applicationTypeIdentifier": payment.applicationTypeIdentifier.map { .string($0) } ?? .null,
            "reason": reason.map { .string($0) } ?? .null,
        ])
    }

    private static func name(_ outcome: PaymentCardReadResult.ReadOutcome) -> String { "\(outcome)" }

    func text(_ talk: Talk) -> [String] {
        (payment.map { lines($0, talk) } ?? ["payment: none"]) + (passes?.text(talk) ?? [])
    }

    private func lines(_ payment: PaymentCardReadResult, _ talk: Talk) -> [String] {
        let paint: Paint = payment.outcome == .success ? .green : .yellow
        var lines = ["payment: \(talk.paint(Self.name(payment.outcome), paint)) (a read, not an approval)"]
        if let reason { lines.append("  reason:    \(reason)") }
        if let card = payment.generalCardData.flatMap(Self.card) { lines.append("  card:      \(card)") }
        if let kernel = payment.applicationTypeIdentifier { lines.append("  kernel:    \(kernel)") }
        lines.append("  id:        \(payment.id)")
        if let data = payment.paymentCardData { lines.append("  sealed:    \(data)") }
        if let data = payment.generalCardData { lines.append("  general:   \(data)") }
        return lines
    }

    /// `VISA CREDIT 411111…1111`, from what stands in the clear.
    private static func card(_ general: String) -> String? {
        guard let data = Data(base64Encoded: general), let objects = try? TLV.read(Array(data), rules: .lenient) else {
            return nil
        }
        let label = objects.first(0x50).map { Printable.text(String(decoding: $0.value, as: UTF8.self)) }
        let ends = [objects.first(0x42), objects.first(0x9F25)].compactMap { $0.map { Hex.encode($0.value) } }
        let words = [label, ends.count == 2 ? ends.joined(separator: "…") : nil].compactMap { $0 }
        return words.isEmpty ? nil : words.joined(separator: " ")
    }
}
