// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What a wallet takes for the time: the wall clock's date, and a way to wait. A test puts its own here.
public struct WalletTime: Sendable {
    /// The date.
    public var now: @Sendable () -> Date
    /// A time that only grows, for deadlines.
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
    public static let system = WalletTime(
        now: { Date() }, uptime: { processStart.duration(to: .now) }, sleep: { try? await Task.sleep(for: $0) })

    private static let processStart = ContinuousClock.now
}

/// How long Wallet waits for an app.
///
/// 20 seconds for a request is Apple's documentation; 100 ms for `status` and 20 s for the entries are vendors' guides
/// (Thales, Codename One), so all of them can be changed.
public struct WalletDeadlines: Hashable, Sendable {
    /// For a delegate's, and an extension's, sealed card.
    public var request = Duration.seconds(20)
    /// For an extension's `status`. Later answers are reported, and taken nevertheless.
    public var status = Duration.milliseconds(100)
    /// For an extension's entries; later is as no cards. Also how long a late `status` is waited for.
    public var entries = Duration.seconds(20)
    /// For the user's authentication in an extension's screen. A vendor advises 5 minutes.
    public var authorization = Duration.seconds(300)
    /// From here on an answer in time is called slow.
    public var slow = Duration.seconds(10)

    /// The defaults.
    public init() {}
}
