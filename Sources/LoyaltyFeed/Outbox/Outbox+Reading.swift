// SPDX-License-Identifier: Apache-2.0

internal import GRDB

extension Outbox {
    /// Taps after a cursor, oldest first.
    ///
    /// - Parameters:
    ///   - cursor: the ``StoredTap/cursor`` of the last one seen; nil begins with the first that is kept.
    ///   - limit: how many at most.
    public func taps(after cursor: Int64?, limit: Int) async throws(OutboxError) -> [StoredTap] {
        try await read { db in
            try TapRows.fetch(
                db, "WHERE number > ? ORDER BY number LIMIT ?", [cursor ?? Int64.min, max(0, limit)])
        }
    }

    /// The latest taps, oldest of them first.
    ///
    /// - Parameters:
    ///   - limit: how many at most.
    ///   - before: only taps before this ``StoredTap/cursor``.
    public func latestTaps(limit: Int, before: Int64? = nil) async throws(OutboxError) -> [StoredTap] {
        try await read { db in
            Array(
                try TapRows.fetch(
                    db, "WHERE number < ? ORDER BY number DESC LIMIT ?", [before ?? Int64.max, max(0, limit)]
                ).reversed())
        }
    }

    /// One tap; nil when it is not there, or no longer.
    public func tap(_ id: ULID) async throws(OutboxError) -> StoredTap? {
        try await read { db in try TapRows.fetch(db, "WHERE id = ?", [id.description]).first }
    }

    /// The redacted trace of a tap in the `.apdu` form; nil when there is none.
    public func trace(of id: ULID) async throws(OutboxError) -> String? {
        try await read { db in
            try Row.fetchOne(db, sql: "SELECT trace FROM tap WHERE id = ?", arguments: [id.description])?[0]
        }
    }

    /// Released events after a position, in the order in which they go out. One whose body cannot be read is left out.
    public func events(after position: Int64, limit: Int) async throws(OutboxError) -> [StoredEvent] {
        var (events, last): ([StoredEvent], Int64) = ([], position)
        while events.count < limit {
            let rows = try await rows(after: last, limit: limit - events.count)
            guard let end = rows.last?.position else { break }
            events += rows.compactMap(\.event)
            last = end
        }
        return events
    }

    /// One event, released or waiting.
    public func event(_ id: ULID) async throws(OutboxError) -> OutgoingEvent? {
        try await read { db in
            let body = try String.fetchOne(db, sql: "SELECT body FROM event WHERE id = ?", arguments: [id.description])
            return try body.map { try OutgoingEvent(body: Array($0.utf8)) }
        }
    }
}

/// A released event whose body is none: written by another version, or by a damaged disk.
struct BrokenEvent: Hashable, Sendable {
    let position: Int64
    let id: ULID?
    let reason: String
}

/// A released event as it is read.
enum EventRow: Hashable, Sendable {
    case event(StoredEvent)
    case broken(BrokenEvent)

    init(position: Int64, body: String, id: String) {
        do throws(EventError) {
            self = .event(StoredEvent(position: position, outgoing: try OutgoingEvent(body: Array(body.utf8))))
        } catch {
            self = .broken(BrokenEvent(position: position, id: ULID(id), reason: error.description))
        }
    }

    var event: StoredEvent? { if case .event(let event) = self { event } else { nil } }
    var broken: BrokenEvent? { if case .broken(let broken) = self { broken } else { nil } }
    var position: Int64 { event?.position ?? broken?.position ?? 0 }
}

/// Events as they are read.
enum EventRows {
    static func fetch(_ db: Database, _ condition: String, _ arguments: StatementArguments) throws -> [EventRow] {
        let sql = "SELECT position, body, id FROM event " + condition
        return try Row.fetchAll(db.cachedStatement(sql: sql), arguments: arguments).map { row in
            EventRow(position: row[0], body: row[1], id: row[2])
        }
    }
}

/// Taps as they are read.
enum TapRows {
    private static let columns = """
        SELECT number, id, began, reader, code, reason, wallet, mode, latency, scheme, outcome, passes,
            trace IS NOT NULL AS hasTrace FROM tap
        """

    static func fetch(_ db: Database, _ condition: String, _ arguments: StatementArguments) throws -> [StoredTap] {
        let rows = try Row.fetchAll(
            db.cachedStatement(sql: columns + " " + condition), arguments: arguments)
        let numbers = rows.map { $0["number"] as Int64 }
        guard let first = numbers.min(), let last = numbers.max() else { return [] }
        let events = try events(db, first...last)
        let deliveries = try deliveries(db, first...last)
        return try rows.map { row in
            let number: Int64 = row["number"]
            return StoredTap(
                cursor: number, record: try record(row), hasTrace: row["hasTrace"], events: events[number] ?? [],
                deliveries: deliveries[number] ?? [])
        }
    }

    private static func record(_ row: Row) throws -> TapRecord {
        let code: String? = row["code"]
        var record = TapRecord(
            id: try id(row["id"]), began: EventTime.date(milliseconds: row["began"]), readerName: row["reader"],
            result: code.map { .failed(code: $0, reason: row["reason"] ?? "") } ?? .read, mode: row["mode"],
            latencyMilliseconds: row["latency"], passes: PassText.read(row["passes"]))
        record.wallet = row["wallet"]
        if let scheme: String = row["scheme"] {
            record.payment = TapEvent.Payment(scheme: scheme, outcome: row["outcome"] ?? "")
        }
        return record
    }

    private static func events(_ db: Database, _ taps: ClosedRange<Int64>) throws -> [Int64: [EventSummary]] {
        let sql = """
            SELECT tap, id, sequence, position, type FROM event WHERE tap BETWEEN ? AND ? ORDER BY sequence
            """
        var events: [Int64: [EventSummary]] = [:]
        for row in try Row.fetchAll(
            db.cachedStatement(sql: sql), arguments: [taps.lowerBound, taps.upperBound])
        {
            let summary = EventSummary(
                id: try id(row[1]), sequence: UInt64(row[2] as Int64), position: row[3],
                kind: TapEvent.Kind(rawValue: row[4]))
            events[row[0], default: []].append(summary)
        }
        return events
    }

    private static func deliveries(_ db: Database, _ taps: ClosedRange<Int64>) throws -> [Int64: [DeliverySummary]] {
        let sql = """
            SELECT e.tap, e.id, s.name, \(DeliveryRows.state) FROM event e JOIN sink s ON s.active
            LEFT JOIN delivery d ON d.position = e.position AND d.sink = s.name
            WHERE e.tap BETWEEN ? AND ? AND e.position IS NOT NULL ORDER BY e.sequence, s.name
            """
        var deliveries: [Int64: [DeliverySummary]] = [:]
        for row in try Row.fetchAll(
            db.cachedStatement(sql: sql), arguments: [taps.lowerBound, taps.upperBound])
        {
            let summary = DeliverySummary(
                event: try id(row[1]), sink: row[2], state: DeliveryState(rawValue: row[3]) ?? .pending)
            deliveries[row[0], default: []].append(summary)
        }
        return deliveries
    }

    static func id(_ text: String) throws -> ULID {
        guard let id = ULID(text) else { throw OutboxError(.damaged, "an identifier in the outbox is no ULID") }
        return id
    }
}
