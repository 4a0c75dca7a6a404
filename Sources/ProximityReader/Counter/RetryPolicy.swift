// SPDX-License-Identifier: Apache-2.0

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
