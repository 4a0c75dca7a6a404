// SPDX-License-Identifier: Apache-2.0

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
