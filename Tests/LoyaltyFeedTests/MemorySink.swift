// SPDX-License-Identifier: Apache-2.0

import LoyaltyFeed
import Synchronization

/// A sink in memory: takes what a script lets it, and remembers everything.
final class MemorySink: Sink {
    typealias Script = @Sendable (OutgoingEvent, _ attempt: Int) -> DeliveryReport.Verdict

    private struct State {
        var taken: [OutgoingEvent] = []
        var attempts: [ULID: Int] = [:]
        var script: Script
        var isClosed = false
    }

    let name: String
    let batchLimit: Int
    private let state: Mutex<State>
    private let hold: @Sendable () async -> Void

    init(
        _ name: String = "memory", batchLimit: Int = 1, script: @escaping Script = { _, _ in .delivered },
        hold: @escaping @Sendable () async -> Void = {}
    ) {
        (self.name, self.batchLimit, self.hold) = (name, batchLimit, hold)
        state = Mutex(State(script: script))
    }

    func deliver(_ events: [OutgoingEvent]) async -> [DeliveryReport] {
        await hold()
        return state.withLock { state in
            return events.map { event in
                state.attempts[event.event.id, default: 0] += 1
                let verdict = state.script(event, state.attempts[event.event.id] ?? 0)
                if verdict == .delivered { state.taken.append(event) }
                return DeliveryReport(verdict, status: 200, detail: "by script")
            }
        }
    }

    func close() async { state.withLock { $0.isClosed = true } }

    func change(_ script: @escaping Script) { state.withLock { $0.script = script } }

    var sequences: [UInt64] { state.withLock { $0.taken.map(\.event.sequence) } }
    var events: [OutgoingEvent] { state.withLock { $0.taken } }
    var attempts: Int { state.withLock { $0.attempts.values.reduce(0, +) } }
    var isClosed: Bool { state.withLock { $0.isClosed } }
}
