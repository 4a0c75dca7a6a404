// SPDX-License-Identifier: Apache-2.0

public import ISO7816
import Synchronization

/// A channel whose card leaves at an exchange that is chosen, and stays away.
public final class CutChannel<Base: CardChannel>: CardChannel {
    private let base: Base
    private let cut: Int
    private let count = Mutex(0)

    /// Works for the first `exchanges` exchanges; the next throws `cardGone` before the base sees it.
    public init(_ base: Base, after exchanges: Int) { (self.base, cut) = (base, exchanges) }

    /// How many commands came, answered or not.
    public var received: Int { count.withLock { $0 } }

    /// The base's response, until the cut.
    public func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        let number = count.withLock { count in
            count += 1
            return count
        }
        guard number <= cut else {
            throw CardChannelError(.cardGone, reason: "the card left the field at exchange \(number)")
        }
        return try base.transmit(command)
    }
}
