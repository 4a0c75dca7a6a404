// SPDX-License-Identifier: Apache-2.0

internal import ISO7816
internal import Synchronization

/// A channel that ends with the scope that handed it out.
final class ScopedChannel: CardChannel, Sendable {
    private let base: ReplayChannel
    private let isOver = Mutex(false)

    init(_ base: ReplayChannel) { self.base = base }

    func end() { isOver.withLock { $0 = true } }

    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        guard !isOver.withLock({ $0 }) else {
            throw CardChannelError(.unsupported, reason: "the access to this card is over")
        }
        return try base.transmit(command)
    }
}
