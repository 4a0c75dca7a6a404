// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import Synchronization
internal import WalletCrypto

/// Tells fresh pass data from old and repeated data.
///
/// Neither nonce of the protocol is bound into the payload, so captured pass data opens again at any time; only its
/// time stamp and a memory of what was seen protect (kormax/apple-vas README, security notes). Usable from any thread.
public final class VASFreshness: Sendable {
    /// The verdict on one payload.
    public enum Verdict: Hashable, Sendable {
        /// In the window and not seen before.
        case fresh
        /// Older than allowed, by its own time stamp; the age in seconds.
        case tooOld(age: TimeInterval)
        /// Newer than allowed: the phone's clock or ours is wrong; seconds ahead.
        case fromTheFuture(by: TimeInterval)
        /// The same bytes were judged fresh before.
        case replayed
    }

    /// How far the time stamp may lie from now either way, in seconds, apart from ``clockSkew``. Ten seconds is the
    /// rule in Zebra's VAS SDK documentation.
    public let window: TimeInterval
    /// How far phone and counter clocks may differ, in seconds; it widens the window both ways.
    public let clockSkew: TimeInterval
    /// How many payloads are remembered; the oldest is forgotten for a new one.
    public let capacity: Int
    private let seen: Mutex<ReplayCache>

    /// A judge with an empty memory.
    ///
    /// - Parameters:
    ///   - window: how far the time stamp may lie from now either way, in seconds.
    ///   - clockSkew: how far the two clocks may differ, in seconds.
    ///   - capacity: at least 1; the memory does not grow beyond it. 4,096 taps cannot happen within the default
    ///     window, so nothing is forgotten while it is still fresh.
    public init(window: TimeInterval = 10, clockSkew: TimeInterval = 0, capacity: Int = 4_096) {
        (self.window, self.clockSkew, self.capacity) = (window, clockSkew, max(1, capacity))
        seen = Mutex(ReplayCache(capacity: max(1, capacity)))
    }

    /// Judges a payload and remembers it when it is fresh.
    ///
    /// - Parameters:
    ///   - payload: what was opened.
    ///   - cryptogram: the whole value of tag 9F27 from which `payload` was opened.
    ///   - now: when it was read.
    public func check(_ payload: VASPayload, cryptogram: [UInt8], now: Date = Date()) -> Verdict {
        let digest = ReplayCache.Key(cryptogram)
        let age = now.timeIntervalSince(payload.timestamp)
        return seen.withLock { cache in
            if cache.contains(digest) { return .replayed }
            if age > window + clockSkew { return .tooOld(age: age) }
            if -age > window + clockSkew { return .fromTheFuture(by: -age) }
            cache.insert(digest)
            return .fresh
        }
    }
}

/// A ring of digests with a set beside it, both of fixed size.
private struct ReplayCache {
    /// SHA-256 as four words, so that an entry needs no storage of its own.
    struct Key: Hashable {
        let words: SIMD4<UInt64>

        init(_ bytes: [UInt8]) {
            var words = SIMD4<UInt64>()
            for (index, byte) in Digest.sha256(bytes).prefix(32).enumerated() {
                words[index / 8] = words[index / 8] << 8 | UInt64(byte)
            }
            self.words = words
        }
    }

    private let capacity: Int
    private var ring: [Key] = []
    private var oldest = 0
    private var members: Set<Key> = []

    init(capacity: Int) { self.capacity = capacity }

    func contains(_ key: Key) -> Bool { members.contains(key) }

    mutating func insert(_ key: Key) {
        members.insert(key)
        guard ring.count == capacity else { return ring.append(key) }
        members.remove(ring[oldest])
        ring[oldest] = key
        oldest = (oldest + 1) % capacity
    }
}
