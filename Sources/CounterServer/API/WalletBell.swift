// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Rings at all pages when one of them, or a program, has changed the emulated phone.
final class WalletBell: Sendable {
    private let listeners = Mutex<(last: Int, all: [Int: AsyncStream<Void>.Continuation])>((0, [:]))

    /// A stream of rings from now on; it ends when nobody reads it any more.
    var rings: AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = listeners.withLock { listeners in
            listeners.last += 1
            listeners.all[listeners.last] = continuation
            return listeners.last
        }
        continuation.onTermination = { [weak self] _ in
            self?.listeners.withLock { _ = $0.all.removeValue(forKey: number) }
        }
        return stream
    }

    func ring() {
        for listener in listeners.withLock({ Array($0.all.values) }) { listener.yield() }
    }
}
