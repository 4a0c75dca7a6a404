// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Which answers mean that a provider has the event.
struct SuccessRule: Hashable, Sendable {
    /// A member of the answer and the value it must have.
    struct Member: Hashable, Sendable {
        /// A JSON pointer (RFC 6901).
        var pointer: String
        /// Its value as text: `true`, `0`, `ok`.
        var value: String
    }

    /// nil for any 2xx.
    var statuses: Set<Int>?
    /// Answers that mean "I have this one already".
    var duplicates: Set<Int> = []
    var member: Member?

    /// What an answer means.
    func report(_ answer: EndpointAnswer) -> DeliveryReport {
        if duplicates.contains(answer.status) {
            return DeliveryReport(
                .delivered, status: answer.status, detail: "HTTP \(answer.status): it has this event already")
        }
        guard statuses.map({ $0.contains(answer.status) }) ?? (200...299).contains(answer.status) else {
            let report = AnswerTable.report(status: answer.status, retryAfter: answer.retryAfter)
            guard report.verdict == .delivered else { return report }
            return DeliveryReport(
                .refused(retryAfter: nil), status: answer.status,
                detail: "HTTP \(answer.status) is not one of the statuses that mean success")
        }
        guard let member else {
            return DeliveryReport(.delivered, status: answer.status, detail: "HTTP \(answer.status): accepted")
        }
        guard let body = answer.body else {
            return DeliveryReport(
                .unavailable(retryAfter: nil), status: answer.status,
                detail: "HTTP \(answer.status), but the answer did not end in time or is longer than 64 kB")
        }
        guard Self.text(at: member.pointer, in: body) == member.value else {
            return DeliveryReport(
                .refused(retryAfter: nil), status: answer.status,
                detail: "HTTP \(answer.status), but \(member.pointer) of the answer is not what means success")
        }
        return DeliveryReport(.delivered, status: answer.status, detail: "HTTP \(answer.status): accepted")
    }

    /// The value at a pointer as text; nil when the body is no JSON or has none.
    static func text(at pointer: String, in body: [UInt8]) -> String? {
        guard let document = try? JSONSerialization.jsonObject(with: Data(body), options: .fragmentsAllowed),
            let value = JSONValues.value(at: pointer, in: document)
        else { return nil }
        return JSONValues.template(value)?.text
    }
}
