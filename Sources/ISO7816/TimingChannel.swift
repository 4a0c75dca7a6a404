// SPDX-License-Identifier: Apache-2.0

/// Measures every exchange and reports it, answered or not.
public struct TimingChannel<Base: CardChannel>: CardChannel {
    private let base: Base
    private let now: @Sendable () -> Duration
    private let report: (_ command: [UInt8], _ duration: Duration) -> Void

    /// Measures over this channel.
    ///
    /// - Parameters:
    ///   - base: the channel that carries the commands.
    ///   - now: time since any fixed moment, from a clock that never goes back.
    ///   - report: is called on the channel's thread after each exchange.
    public init(
        _ base: Base, now: @escaping @Sendable () -> Duration = MonotonicTime.now,
        report: @escaping (_ command: [UInt8], _ duration: Duration) -> Void
    ) {
        (self.base, self.now, self.report) = (base, now, report)
    }

    /// The base's response.
    public func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        let start = now()
        defer { report(command, now() - start) }
        return try base.transmit(command)
    }
}
