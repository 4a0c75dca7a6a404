// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Random numbers that repeat for the same seed: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). For tests only.
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// A generator with this seed.
    public init(seed: UInt64) { state = seed }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// So many random bytes.
    public mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<max(0, count)).map { _ in UInt8(truncatingIfNeeded: next() >> 32) }
    }

    /// `bytes` with one to four random changes: bytes replaced, inserted, removed, the end cut off.
    public mutating func mutate(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &self) {
            let position = bytes.isEmpty ? 0 : Int.random(in: 0..<bytes.count, using: &self)
            switch Int.random(in: 0..<5, using: &self) {
            case 0: bytes.insert(UInt8(truncatingIfNeeded: next()), at: position)
            case 1 where !bytes.isEmpty: bytes.remove(at: position)
            case 2 where !bytes.isEmpty: bytes[position] ^= 1 << UInt8.random(in: 0...7, using: &self)
            case 3 where Int.random(in: 0..<8, using: &self) == 0: bytes.removeSubrange(position...)
            case _ where !bytes.isEmpty: bytes[position] = UInt8(truncatingIfNeeded: next())
            default: break
            }
        }
        return bytes
    }

    /// A generator of bytes that can be called from any thread, which is how randomness is injected.
    public static func source(seed: UInt64) -> @Sendable (Int) -> [UInt8] {
        let source = Source(seed: seed)
        return { source.bytes($0) }
    }

    private final class Source: Sendable {
        private let random: Mutex<SeededRandom>
        init(seed: UInt64) { random = Mutex(SeededRandom(seed: seed)) }
        func bytes(_ count: Int) -> [UInt8] { random.withLock { $0.bytes(count) } }
    }
}
