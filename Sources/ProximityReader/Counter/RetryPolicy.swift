// SPDX-License-Identifier: Apache-2.0

public import struct Foundation.Date

/// How patient a read is. Apple publishes no time-outs; these are the counter's.
public struct RetryPolicy: Sendable, Hashable {
    /// How long the sheet waits for a tap before it closes as if the merchant had closed it; nil waits for ever.
    public var tapTimeout: Duration?
    /// How many torn taps a read lives through; nil: any number on a reader that people tap, three on an emulated phone
    /// or a trace, which would tear in the same place for ever.
    public var maximumTornTaps: Int?
    /// How long a locked phone may take to release its pass.
    public var activationWindow: Duration = .seconds(3)
    /// How many taps a locked phone gets in that window; nil: any number on a reader that people tap, one on an
    /// emulated phone or a trace.
    public var activationTaps: Int?
    /// The pause between two looks at a locked phone, and after a torn tap.
    public var pollInterval: Duration = .milliseconds(100)
    /// How long to wait for the card to go after `removeCard`; zero goes on at once.
    public var removalWait: Duration = .zero

    /// The defaults.
    public init() {}
}

/// What a counter takes for the time: the wall clock's date, and a way to wait. A test puts its own here.
public struct CounterTime: Sendable {
    /// The date, for tokens.
    public var now: @Sendable () -> Date
    /// A time that only grows, for windows and durations.
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
    public static let system = CounterTime(
        now: { Date() }, uptime: { processStart.duration(to: .now) }, sleep: { try? await Task.sleep(for: $0) })

    private static let processStart = ContinuousClock.now
}
