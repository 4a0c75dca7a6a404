// SPDX-License-Identifier: Apache-2.0

internal import LoyaltyFeed

/// `/v1/events` as a stream: every event that was released after a position, in order, each once.
///
/// Nothing is kept in memory for a client: what it has not taken stays in the outbox, and its own cursor says where it
/// goes on.
actor FeedEvents: EventSource {
    private static let batch = 100

    private let outbox: Outbox
    private let changes: AsyncStream<OutboxChange>
    private var position: Int64

    /// The changes begin here, before anything is read, so that none is missed in between.
    init(_ outbox: Outbox, after position: Int64) {
        (self.outbox, self.position) = (outbox, position)
        changes = outbox.changes
    }

    nonisolated func watch(_ ring: @escaping @Sendable () -> Void) async {
        for await change in changes {
            switch change {
            case .event, .several: ring()
            case .tap, .delivery: break
            }
        }
    }

    func next() async throws -> [ServerEvent] {
        let events = try await outbox.events(after: position, limit: Self.batch)
        position = events.last?.position ?? position
        return events.map {
            ServerEvent(id: $0.position, $0.outgoing.event.kind.rawValue, $0.outgoing.body)
        }
    }
}
