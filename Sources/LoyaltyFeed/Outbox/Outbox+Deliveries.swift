// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import HostSystem

extension Outbox {
    /// Deliveries of released events at the sinks in use, the newest event first.
    public func deliveries(_ filter: DeliveryFilter = DeliveryFilter()) async throws(OutboxError) -> [DeliveryRow] {
        try await read { db in try DeliveryRows.fetch(db, filter) }
    }

    /// What was tried with an event, oldest first, at one sink or at all.
    public func attempts(event: ULID, sink: String? = nil) async throws(OutboxError) -> [DeliveryAttempt] {
        try await deliveries(DeliveryFilter(sink: sink, event: event)).flatMap(\.attempts)
    }

    /// Sends events again. A running counter notices by itself, also when another process asks.
    ///
    /// - Returns: how many deliveries go out again or for the first time.
    @discardableResult
    public func resend(_ selection: Resend) async throws(OutboxError) -> Int {
        let now = EventTime.milliseconds(options.clock.now())
        let count = try await writer.write { db, _ in
            let sink: String? =
                switch selection {
                case .event(_, let sink), .since(_, let sink), .deadLetters(let sink): sink
                }
            try DeliveryRows.wake(db, sink)
            switch selection {
            case .event(let id, _): return try DeliveryRows.resend(db, "e.id = ?", [id.description], sink, now)
            case .since(let date, _):
                return try DeliveryRows.resend(
                    db, "e.tap IN (SELECT number FROM tap WHERE began >= ?)", [EventTime.milliseconds(date)], sink, now)
            case .deadLetters: return try DeliveryRows.reviveDead(db, sink, now)
            }
        }
        listeners.tell([.several])
        return count
    }

    /// Lets a sink that said that it wants no more have events again.
    ///
    /// - Returns: whether there is a sink of this name.
    @discardableResult
    public func enable(sink: String) async throws(OutboxError) -> Bool {
        let isKnown = try await writer.write { db, _ in
            try DeliveryRows.wake(db, sink)
            return db.changesCount > 0
        }
        listeners.tell([.several])
        return isKnown
    }
}

/// Deliveries as they are read and planned.
enum DeliveryRows {
    /// How far event `e` is at sink `s`, with `d` what is kept of it when it went aside.
    static let state = """
        CASE WHEN d.state = 1 THEN 'retrying' WHEN d.state = 2 THEN 'dead' WHEN e.position <= s.cursor THEN 'delivered'
        WHEN e.position = s.cursor + 1 AND EXISTS
            (SELECT 1 FROM attempt a WHERE a.position = e.position AND a.sink = s.name) THEN 'retrying'
        ELSE 'pending' END
        """

    static func fetch(_ db: Database, _ filter: DeliveryFilter) throws -> [DeliveryRow] {
        var conditions = ["e.position IS NOT NULL"]
        var arguments = StatementArguments()
        func add(_ condition: String, _ value: (any DatabaseValueConvertible)?) {
            guard let value else { return }
            conditions.append(condition)
            arguments += [value]
        }
        add("s.name = ?", filter.sink)
        add("e.id = ?", filter.event?.description)
        add("t.id = ?", filter.tap?.description)
        add("e.position < ?", filter.before)
        add("(\(state)) = ?", filter.state?.rawValue)
        // The few that went aside are found by themselves, not by looking at every event.
        let join = filter.state == .dead ? "JOIN" : "LEFT JOIN"
        let sql = """
            SELECT e.position, e.id, e.sequence, t.id AS tap, s.name, \(state) AS state, d.due,
                s.cursor, s.due AS held FROM event e JOIN tap t ON t.number = e.tap JOIN sink s ON s.active
            \(join) delivery d ON d.position = e.position AND d.sink = s.name
            WHERE \(conditions.joined(separator: " AND ")) ORDER BY e.position DESC, s.name LIMIT ?
            """
        arguments += [max(0, filter.limit)]
        return try Row.fetchAll(db, sql: sql, arguments: arguments).map { try delivery(db, $0) }
    }

    private static func delivery(_ db: Database, _ row: Row) throws -> DeliveryRow {
        let (position, sink): (Int64, String) = (row["position"], row["name"])
        let state = DeliveryState(rawValue: row["state"]) ?? .pending
        let isHead = position == (row["cursor"] as Int64) + 1
        let due: Int64? = state == .retrying ? row["due"] ?? (isHead ? row["held"] : nil) : nil
        return DeliveryRow(
            event: try TapRows.id(row["id"]), tap: try TapRows.id(row["tap"]),
            sequence: UInt64(row["sequence"] as Int64),
            position: position, sink: sink, state: state, attempts: try attempts(db, position, sink),
            nextAttempt: due.flatMap { $0 > 0 ? EventTime.date(milliseconds: $0) : nil })
    }

    private static func attempts(_ db: Database, _ position: Int64, _ sink: String) throws -> [DeliveryAttempt] {
        let sql = """
            SELECT number, at, duration, verdict, status, detail FROM attempt WHERE position = ? AND sink = ?
            ORDER BY number
            """
        return try Row.fetchAll(db.cachedStatement(sql: sql), arguments: [position, sink]).map { row in
            DeliveryAttempt(
                number: row[0], at: EventTime.date(milliseconds: row[1]), milliseconds: row[2], verdict: row[3],
                status: row[4], detail: row[5])
        }
    }
}

extension DeliveryRows {
    private static let ofSink = "(?1 IS NULL OR s.name = ?1)"

    /// Enables sinks, and ends their waiting.
    static func wake(_ db: Database, _ sink: String?) throws {
        try db.execute(
            sql: "UPDATE sink AS s SET disabled = 0, due = 0, delay = 0 WHERE \(ofSink)", arguments: [sink])
    }

    /// Puts aside what the cursors have passed, to go out at once; what they have not is on its way anyhow.
    static func resend(
        _ db: Database, _ condition: String, _ value: StatementArguments, _ sink: String?, _ now: Int64
    ) throws -> Int {
        let selected =
            "FROM event e JOIN sink s ON s.active WHERE \(ofSink) AND e.position IS NOT NULL AND "
            + condition.replacing("?", with: "?2")
        let arguments: StatementArguments = [sink] + value
        let count = try Int.fetchOne(db, sql: "SELECT count(*) " + selected, arguments: arguments) ?? 0
        try db.execute(
            sql: """
                INSERT OR REPLACE INTO delivery (position, sink, state, tries, due, delay)
                SELECT e.position, s.name, 1, 0, ?3, 0 \(selected) AND e.position <= s.cursor
                """, arguments: arguments + [now])
        return count
    }

    static func reviveDead(_ db: Database, _ sink: String?, _ now: Int64) throws -> Int {
        try db.execute(
            sql: """
                UPDATE delivery AS d SET state = 1, tries = 0, due = ?2, delay = 0 WHERE state = 2 AND sink IN
                (SELECT s.name FROM sink s WHERE s.active AND \(ofSink))
                """, arguments: [sink, now])
        return db.changesCount
    }
}
