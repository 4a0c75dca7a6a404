// SPDX-License-Identifier: Apache-2.0

/// Time that only goes forward, as recorders and timers use it by default.
public enum MonotonicTime {
    private static let origin = ContinuousClock.now

    /// Time since the first use in this process.
    @Sendable public static func now() -> Duration { origin.duration(to: .now) }

    /// Whole milliseconds of a duration, rounded to the nearest; 0 for a negative one.
    public static func milliseconds(_ duration: Duration) -> Int {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0, seconds < 1 << 40 else { return 0 }
        return Int(seconds) * 1000 + Int((attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000)
    }
}
