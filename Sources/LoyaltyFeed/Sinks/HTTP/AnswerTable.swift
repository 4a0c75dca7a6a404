// SPDX-License-Identifier: Apache-2.0

/// What an HTTP status means for a delivery.
///
/// Source: Standard Webhooks, "Delivery success and failure": 2xx only, no redirects, 410 ends it, 429, 502 and 504 slow
/// down, `Retry-After` counts.
enum AnswerTable {
    /// One line of the table; the first that fits holds.
    struct Row: Sendable {
        let statuses: ClosedRange<Int>
        let verdict: @Sendable (Duration?) -> DeliveryReport.Verdict
        /// What it means, after the status.
        let meaning: String
        /// Whether the answer's `Retry-After` counts.
        var heedsRetryAfter = false
    }

    static let rows: [Row] = [
        Row(statuses: 200...299, verdict: { _ in .delivered }, meaning: "accepted"),
        Row(
            statuses: 300...399, verdict: { _ in .refused(retryAfter: nil) },
            meaning: "a redirect, which is not followed; put the final address into the configuration"),
        Row(
            statuses: 401...401, verdict: { _ in .refused(retryAfter: nil) },
            meaning: "it does not accept our credentials"),
        Row(statuses: 403...403, verdict: { _ in .refused(retryAfter: nil) }, meaning: "it forbids this"),
        Row(
            statuses: 404...404, verdict: { _ in .refused(retryAfter: nil) },
            meaning: "there is nothing at this address"),
        Row(
            statuses: 408...408, verdict: { .unavailable(retryAfter: $0) }, meaning: "it waited too long for us",
            heedsRetryAfter: true),
        Row(
            statuses: 410...410, verdict: { _ in .disabled },
            meaning: "it wants no more events; enable the sink again when that has changed"),
        Row(
            statuses: 425...425, verdict: { .unavailable(retryAfter: $0) }, meaning: "too early for it",
            heedsRetryAfter: true),
        Row(
            statuses: 429...429, verdict: { .unavailable(retryAfter: $0) }, meaning: "too many requests",
            heedsRetryAfter: true),
        Row(statuses: 400...499, verdict: { _ in .refused(retryAfter: nil) }, meaning: "it does not take this event"),
        Row(
            statuses: 502...504, verdict: { .unavailable(retryAfter: $0) }, meaning: "it is overloaded or down",
            heedsRetryAfter: true),
        Row(statuses: 500...599, verdict: { .unavailable(retryAfter: $0) }, meaning: "it failed"),
    ]

    /// The report of an answer.
    static func report(status: Int, retryAfter: Duration?) -> DeliveryReport {
        guard let row = rows.first(where: { $0.statuses.contains(status) }) else {
            return DeliveryReport(.refused(retryAfter: nil), status: status, detail: "HTTP \(status): no final answer")
        }
        let wait = row.heedsRetryAfter ? retryAfter : nil
        let asked = wait.map { "; it asks to wait \(SettingDuration.text($0))" } ?? ""
        return DeliveryReport(row.verdict(wait), status: status, detail: "HTTP \(status): \(row.meaning)\(asked)")
    }
}
