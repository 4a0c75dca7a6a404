// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WalletCrypto

/// Requests seen before, by a hash of nonce and signature; the oldest make room. Usable from any thread.
///
/// In memory: an issuer that starts again has forgotten them. A nonce belongs to one request of Wallet's and its
/// envelope opens on one device only, so what a replay could gain is a second envelope for the same device.
final class NonceLedger: Sendable {
    /// Enough for an hour of 100 requests a second, in 16 MiB.
    static let capacity = 360_000

    /// The first 16 bytes of a hash, without memory of their own.
    private struct Name: Hashable {
        var high: UInt64 = 0
        var low: UInt64 = 0

        init(_ hash: [UInt8]) {
            for byte in hash.prefix(8) { high = high << 8 | UInt64(byte) }
            for byte in hash.dropFirst(8).prefix(8) { low = low << 8 | UInt64(byte) }
        }
    }

    private struct State {
        var seen: Set<Name> = []
        var order: [Name] = []
        var oldest = 0
    }

    private let state: Mutex<State>
    private let capacity: Int

    init(capacity: Int = NonceLedger.capacity) {
        self.capacity = max(1, capacity)
        var state = State()
        // All of it at once: no request waits while the set grows.
        state.seen.reserveCapacity(self.capacity)
        state.order.reserveCapacity(self.capacity)
        self.state = Mutex(state)
    }

    /// Whether a request is the first with this nonce and signature; it is kept.
    func isFirst(nonce: [UInt8], signature: [UInt8]) -> Bool {
        let name = Name(Digest.sha256([UInt8(clamping: nonce.count)] + nonce + signature))
        return state.withLock { state in
            guard state.seen.insert(name).inserted else { return false }
            if state.order.count < capacity {
                state.order.append(name)
            } else {
                state.seen.remove(state.order[state.oldest])
                state.order[state.oldest] = name
                state.oldest = (state.oldest + 1) % capacity
            }
            return true
        }
    }
}
