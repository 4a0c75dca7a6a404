// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Everybody who wants to know what changes.
final class OutboxListeners: Sendable {
    private struct State {
        var next = 0
        var all: [Int: AsyncStream<OutboxChange>.Continuation] = [:]
    }

    /// How many changes wait for a slow listener; then the oldest go.
    private static let bound = 1024

    private let state = Mutex(State())

    func stream() -> AsyncStream<OutboxChange> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: OutboxChange.self, bufferingPolicy: .bufferingNewest(Self.bound))
        let key = state.withLock { state in
            state.next += 1
            state.all[state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in self?.remove(key) }
        return stream
    }

    private func remove(_ key: Int) { state.withLock { $0.all[key] = nil } }

    func tell(_ changes: [OutboxChange]) {
        let all = state.withLock { Array($0.all.values) }
        for continuation in all {
            for change in changes { continuation.yield(change) }
        }
    }

    deinit { for continuation in state.withLock({ Array($0.all.values) }) { continuation.finish() } }
}
