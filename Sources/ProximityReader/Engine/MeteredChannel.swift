// SPDX-License-Identifier: Apache-2.0

internal import ISO7816

/// Counts and times the commands of one tap. Lives on the reader's thread, inside one `withCard`.
final class MeteredChannel: CardChannel {
    private let base: any CardChannel
    private let uptime: @Sendable () -> Duration
    private(set) var durations: [Duration] = []

    init(_ base: any CardChannel, uptime: @escaping @Sendable () -> Duration) {
        (self.base, self.uptime) = (base, uptime)
    }

    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        let start = uptime()
        defer { durations.append(uptime() - start) }
        return try base.transmit(command)
    }
}
