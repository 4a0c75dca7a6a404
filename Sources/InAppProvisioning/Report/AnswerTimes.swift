// SPDX-License-Identifier: Apache-2.0

/// How long a back end took for its answers, over several runs.
public struct AnswerTimes: Hashable, Sendable {
    /// Seconds of each answer, the fastest first.
    public private(set) var seconds: [Double] = []

    /// No answer yet.
    public init() {}

    /// Takes down one more.
    public mutating func add(_ time: Double) {
        seconds.insert(time, at: seconds.firstIndex { $0 > time } ?? seconds.count)
    }

    /// The time within which this part (0...1) of the answers came, by the nearest rank; nil without answers.
    public func percentile(_ part: Double) -> Double? {
        let rank = Int((Double(seconds.count) * part).rounded(.up))
        return seconds.isEmpty ? nil : seconds[min(max(rank, 1), seconds.count) - 1]
    }

    /// Whether nineteen of twenty came in less than half of `limit` seconds.
    public func result(limit: Double) -> ConformanceResult {
        let check = ConformanceCheck.mostlyFast
        guard let most = percentile(0.95), let half = percentile(0.5), let last = seconds.last else {
            return ConformanceResult(check, .notVerifiable, "no answers")
        }
        let text = HandlerChecks.seconds
        return ConformanceResult(
            check, most <= limit / 2 ? .pass : check.violation,
            "\(seconds.count) answers: p50 \(text(half)), p95 \(text(most)), slowest \(text(last)) of \(text(limit))")
    }
}
