// SPDX-License-Identifier: Apache-2.0

/// When an event is tried, and tried again, before it is given up.
public struct DeliverySchedule: Hashable, Sendable {
    /// The time before each attempt, counted from the one before; the first is before the first attempt.
    public let steps: [Duration]

    /// A schedule of at least one step; nil without one, or with a time below zero.
    public init?(_ steps: [Duration]) {
        guard !steps.isEmpty, steps.allSatisfy({ $0 >= .zero }) else { return nil }
        self.steps = steps
    }

    private init(standard steps: [Duration]) { self.steps = steps }

    /// Ten attempts in about three days: the example of Standard Webhooks ("Deliverability and reliability").
    public static let standard = DeliverySchedule(
        standard: [.zero, .seconds(5), .seconds(300), .seconds(1800)]
            + [2, 5, 10, 14, 20, 24].map { .seconds($0 * 3600) })

    /// The schedule that a sink's table sets with `schedule = ["0s", "5s", "5m"]`; ``standard`` when it sets none.
    ///
    /// - Throws: when the setting is no list of durations.
    public init(_ table: SinkTable) throws(SettingError) {
        self = try SinkFactory.schedule(table).flatMap { DeliverySchedule($0) } ?? .standard
    }

    /// How long to wait after so many attempts; nil when the schedule is used up.
    func delay(after tries: Int) -> Duration? { steps.indices.contains(tries) ? steps[tries] : nil }
}
