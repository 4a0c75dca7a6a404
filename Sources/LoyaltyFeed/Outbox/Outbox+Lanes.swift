// SPDX-License-Identifier: Apache-2.0

internal import GRDB

/// What the engine reads and writes for its sinks.
extension Outbox {
    /// A sink as it is kept.
    struct KeptLane: Sendable {
        var cursor: Int64
        var tries: Int
        var due: Int64
        var delay: Int64
        var isDisabled: Bool
    }

    /// An event aside whose time has come.
    struct AsideEvent: Sendable {
        var row: EventRow
        var tries: Int
    }

    /// Says which sinks are in use. A new one begins with the oldest event that is kept; those not named are no longer
    /// in use, and keep their cursor.
    ///
    /// - Returns: which sinks were in use until now, and how many events each still waits for.
    @discardableResult
    func register(sinks: [String]) async throws(OutboxError) -> [String: Int] {
        try await writer.write { db, _ in
            let marks = databaseQuestionMarks(count: sinks.count)
            let left = try Row.fetchAll(
                db,
                sql: """
                    SELECT s.name, (SELECT count(*) FROM event e WHERE e.position > s.cursor)
                        + (SELECT count(*) FROM delivery d WHERE d.sink = s.name AND d.state = 1)
                    FROM sink s WHERE s.active AND s.name NOT IN (\(marks))
                    """, arguments: StatementArguments(sinks))
            try db.execute(
                sql: "UPDATE sink SET active = 0 WHERE active AND name NOT IN (\(marks))",
                arguments: StatementArguments(sinks))
            for sink in sinks {
                try db.execute(
                    sql: """
                        INSERT INTO sink (name, cursor, active, disabled, tries, due, delay) VALUES (?1,
                            coalesce((SELECT min(position) FROM event), (SELECT CAST(value AS INTEGER) + 1 FROM meta
                                WHERE name = 'lastPosition'), 1) - 1, 1, 0, 0, 0, 0)
                        ON CONFLICT (name) DO UPDATE SET active = 1 WHERE NOT active
                        """, arguments: [sink])
            }
            return Dictionary(uniqueKeysWithValues: left.map { ($0[0] as String, $0[1] as Int) })
        }
    }

    func lane(of sink: String) async throws(OutboxError) -> KeptLane? {
        try await read { db in
            let sql = "SELECT cursor, tries, due, delay, disabled FROM sink WHERE name = ?"
            return try Row.fetchOne(db.cachedStatement(sql: sql), arguments: [sink]).map { row in
                KeptLane(cursor: row[0], tries: row[1], due: row[2], delay: row[3], isDisabled: row[4])
            }
        }
    }

    /// Events aside whose time has come, by position, and how long until the next one's does.
    ///
    /// A time that was set by a clock that stood further on than now's is not waited for.
    func aside(of sink: String, now: Int64, limit: Int) async throws(OutboxError) -> ([AsideEvent], next: Int64?) {
        try await read { db in
            let due = """
                SELECT d.tries, e.position, e.body, e.id FROM delivery d JOIN event e ON e.position = d.position
                WHERE d.sink = ?1 AND d.state = 1 AND (d.due <= ?2 OR d.due - d.delay > ?2) ORDER BY d.position LIMIT ?3
                """
            let rows = try Row.fetchAll(db.cachedStatement(sql: due), arguments: [sink, now, limit])
            let events = rows.map { row in
                AsideEvent(row: EventRow(position: row[1], body: row[2], id: row[3]), tries: row[0])
            }
            let next = "SELECT min(due) FROM delivery WHERE sink = ? AND state = 1"
            let first = try Int64.fetchOne(db.cachedStatement(sql: next), arguments: [sink])
            return (events, first.map { max(0, $0 - now) })
        }
    }

    /// Released events after a position, also those whose body cannot be read.
    func rows(after position: Int64, limit: Int) async throws(OutboxError) -> [EventRow] {
        try await read { db in
            try EventRows.fetch(db, "WHERE position > ? ORDER BY position LIMIT ?", [position, max(0, limit)])
        }
    }

    /// Writes what an attempt came to.
    func apply(
        _ update: LaneUpdate, sink: String, ids: [Int64: ULID], began: Int64, milliseconds: Double
    ) async throws(OutboxError) {
        try await writer.write { db, _ in
            try LaneRows.apply(update, sink, began, milliseconds, db)
        }
        listeners.tell(update.attempts.compactMap { ids[$0.position].map { .delivery($0, sink: sink) } })
    }

    /// Changes whenever another process wrote to the file.
    func outsideVersion() async throws(OutboxError) -> Int {
        let database = writer.database
        do {
            return try await database.writeWithoutTransaction { db in
                try Int.fetchOne(db.cachedStatement(sql: "PRAGMA data_version")) ?? 0
            }
        } catch {
            throw OutboxError(error)
        }
    }
}

private enum LaneRows {
    private static let attempt = """
        INSERT INTO attempt (position, sink, number, at, duration, verdict, status, detail)
        SELECT ?1, ?2, coalesce(max(number), 0) + 1, ?3, ?4, ?5, ?6, ?7 FROM attempt WHERE position = ?1 AND sink = ?2
        """
    private static let forget = """
        DELETE FROM attempt WHERE position = ?1 AND sink = ?2 AND number <=
        (SELECT max(number) FROM attempt WHERE position = ?1 AND sink = ?2) - \(DeliveryAttempt.kept)
        """
    private static let head = """
        UPDATE sink SET cursor = ?2, tries = ?3, due = ?4, delay = ?5, disabled = max(disabled, ?6) WHERE name = ?1
        """
    private static let aside = """
        INSERT OR REPLACE INTO delivery (position, sink, state, tries, due, delay) VALUES (?, ?, ?, ?, ?, ?)
        """

    static func apply(
        _ update: LaneUpdate, _ sink: String, _ began: Int64, _ milliseconds: Double, _ db: Database
    ) throws {
        for attempt in update.attempts {
            let report = attempt.report
            try db.cachedStatement(sql: Self.attempt).execute(arguments: [
                attempt.position, sink, began, milliseconds, report.verdict.name, report.status, report.detail,
            ])
            if report.verdict != .delivered {
                try db.cachedStatement(sql: forget).execute(arguments: [attempt.position, sink])
            }
        }
        for event in update.aside {
            try db.cachedStatement(sql: aside).execute(arguments: [
                event.position, sink, event.isDead ? 2 : 1, event.tries, event.due, event.delay,
            ])
        }
        for position in update.done {
            try db.cachedStatement(sql: "DELETE FROM delivery WHERE position = ? AND sink = ?").execute(
                arguments: [position, sink])
        }
        try db.cachedStatement(sql: head).execute(arguments: [
            sink, update.cursor, update.tries, update.due, update.delay, update.isDisabled ? 1 : 0,
        ])
    }
}
