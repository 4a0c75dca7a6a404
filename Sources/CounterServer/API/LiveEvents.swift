// SPDX-License-Identifier: Apache-2.0

internal import LoyaltyFeed
internal import Synchronization

/// `/v1/live`: what the pages show, as it happens. A page that comes back says which tap it has seen last.
actor LiveEvents: EventSource {
    /// How many things wait for a slow page; then all of them become one `refresh`.
    private static let bound = 512
    private static let batch = 100

    private struct Waiting {
        var state: CounterState?
        var changes: [OutboxChange] = []
        var isLate = false
        var hasOtherWallet = false
    }

    private let outbox: Outbox
    private let control: any CounterControl
    private let changes: AsyncStream<OutboxChange>
    private let wallets: AsyncStream<Void>
    private let waiting = Mutex(Waiting())
    /// The last tap that was sent; nil until it is known where the page stands.
    private var cursor: Int64?
    private var recent: [ULID] = []
    private var readers: [ReaderStatus] = []
    private var told: CounterState?

    init(_ outbox: Outbox, _ control: any CounterControl, _ bell: WalletBell, after cursor: Int64?) {
        (self.outbox, self.control, self.cursor) = (outbox, control, cursor)
        wallets = bell.rings
        changes = outbox.changes
        waiting.withLock { $0.state = control.state }
    }

    nonisolated func watch(_ ring: @escaping @Sendable () -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await state in self.control.states {
                    self.waiting.withLock { $0.state = state }
                    ring()
                }
            }
            group.addTask {
                for await change in self.changes {
                    self.take(change)
                    ring()
                }
            }
            group.addTask {
                for await _ in self.wallets {
                    self.waiting.withLock { $0.hasOtherWallet = true }
                    ring()
                }
            }
            // Without the counter or the outbox nothing more will come.
            await group.next()
            group.cancelAll()
        }
    }

    private nonisolated func take(_ change: OutboxChange) {
        waiting.withLock { waiting in
            if waiting.changes.count < Self.bound, change != .several { return waiting.changes.append(change) }
            (waiting.changes, waiting.isLate) = ([], true)
        }
    }

    func next() async throws -> [ServerEvent] {
        let now = waiting.withLock { waiting in
            defer { waiting = Waiting() }
            return waiting
        }
        var events: [ServerEvent] = []
        if let state = now.state { events += await tell(state) }
        if now.hasOtherWallet { events.append(ServerEvent("wallet", .object([:]))) }
        if now.isLate { events.append(ServerEvent("refresh", .object([:]))) }
        events += try await taps()
        for change in now.changes { events += try await tell(change) }
        return events
    }

    private func tell(_ state: CounterState) async -> [ServerEvent] {
        guard state != told else { return [] }
        told = state
        let event = ServerEvent(
            "state", .object(["state": .string(state.phase.rawValue), "text": .string(state.text)]))
        let found = await control.readers()
        guard found != readers else { return [event] }
        readers = found
        return [event] + found.map { ServerEvent("reader", CounterViews.json($0)) }
    }

    private func taps() async throws -> [ServerEvent] {
        guard let after = cursor else {
            cursor = try await outbox.latestTaps(limit: 1).last?.cursor ?? 0
            return []
        }
        return try await outbox.taps(after: after, limit: Self.batch).map(tell)
    }

    private func tell(_ tap: StoredTap) -> ServerEvent {
        cursor = max(cursor ?? 0, tap.cursor)
        if tap.events.allSatisfy({ $0.position != nil }) { recent = recent.suffix(64) + [tap.record.id] }
        return ServerEvent(id: cursor, "tap", CounterViews.json(tap))
    }

    private func tell(_ change: OutboxChange) async throws -> [ServerEvent] {
        switch change {
        case .tap, .several: return []
        case .event(let position):
            // A tap whose events waited for a key or a basket is told again.
            guard let event = try await outbox.events(after: position - 1, limit: 1).first?.outgoing.event,
                !recent.contains(event.tap), let tap = try await outbox.tap(event.tap)
            else { return [] }
            return [tell(tap)]
        case .delivery(let event, let sink):
            let filter = DeliveryFilter(sink: sink, event: event, limit: 1)
            guard let row = try await outbox.deliveries(filter).first else { return [] }
            return [
                ServerEvent(
                    "delivery",
                    .object([
                        "event": .string(event.description), "sink": .string(sink),
                        "state": .string(row.state.rawValue), "attempts": .number(row.attempts.last?.number ?? 0),
                    ]))
            ]
        }
    }
}
