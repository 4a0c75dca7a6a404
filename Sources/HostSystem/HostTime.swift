// SPDX-License-Identifier: Apache-2.0

public import struct Foundation.Date

/// What is taken for the time: the wall clock's date, a time that only grows, and a way to wait. A test puts its own
/// here.
public struct HostTime: Sendable {
    /// The date: for what people see, for tokens and certificates, and for schedules that outlive the process.
    public var now: @Sendable () -> Date
    /// A time that only grows, for windows, deadlines and durations.
    public var uptime: @Sendable () -> Duration
    /// Waits; returns early when the task is cancelled.
    public var sleep: @Sendable (Duration) async -> Void

    /// A time of one's own.
    public init(
        now: @escaping @Sendable () -> Date, uptime: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async -> Void
    ) {
        (self.now, self.uptime, self.sleep) = (now, uptime, sleep)
    }

    /// The real time.
    public static let system = HostTime(
        now: { Date() }, uptime: { processStart.duration(to: .now) }, sleep: { try? await Task.sleep(for: $0) })

    private static let processStart = ContinuousClock.now
}
