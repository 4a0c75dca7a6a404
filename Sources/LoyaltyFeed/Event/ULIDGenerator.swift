// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
public import WalletCrypto

public import struct Foundation.Date

/// Makes ULIDs that only grow, whatever the clock does: within one millisecond, and while the clock stands behind the
/// last one, the random part is counted up (github.com/ulid/spec, "Monotonicity"). Usable from any thread.
public final class ULIDGenerator: Sendable {
    private struct Last {
        var milliseconds: UInt64 = 0
        var random: [UInt8] = []
    }

    private let last = Mutex(Last())
    private let clock: @Sendable () -> Date
    private let random: @Sendable (Int) -> [UInt8]

    /// A generator.
    ///
    /// - Parameters:
    ///   - clock: the wall clock.
    ///   - random: gives so many random bytes.
    public init(
        clock: @escaping @Sendable () -> Date = { Date() },
        random: @escaping @Sendable (Int) -> [UInt8] = { RandomBytes.generate($0) }
    ) {
        (self.clock, self.random) = (clock, random)
    }

    /// The next one, greater than all before it.
    public func next() -> ULID {
        let now = UInt64(max(0, EventTime.milliseconds(clock())))
        return last.withLock { last in
            if now > last.milliseconds {
                last = Last(milliseconds: now, random: Self.padded(random(10)))
            } else if !Self.increment(&last.random) {
                // All 80 bits were set: the next millisecond has come a little early.
                last = Last(milliseconds: last.milliseconds + 1, random: Self.padded(random(10)))
            }
            return ULID(milliseconds: last.milliseconds, random: last.random)
        }
    }

    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](repeating: 0, count: max(0, 10 - bytes.count)) + bytes.suffix(10)
    }

    /// Adds one; false when it ran over, or there was nothing to add it to.
    private static func increment(_ bytes: inout [UInt8]) -> Bool {
        for index in bytes.indices.reversed() {
            bytes[index] &+= 1
            if bytes[index] != 0 { return true }
        }
        return false
    }
}
