// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
public import Foundation
internal import GRDB
internal import HostSystem

extension Outbox {
    /// Removes old taps with their events, once every sink in use has them or gave them up.
    ///
    /// Taps with an event that waits stay. A sink that is disabled waits too: it is enabled again, or taken out of
    /// the configuration.
    /// - Parameter date: taps that began before then; nil is taps that began, and were sent anywhere for the last time,
    ///   ``OutboxOptions/keepDays`` ago.
    /// - Returns: how many taps were removed.
    @discardableResult
    public func purge(before date: Date? = nil) async throws(OutboxError) -> Int {
        let kept = Int64(options.keepDays) * 86_400_000
        let now = EventTime.milliseconds(options.clock.now())
        let limit: PurgeRows.Limit =
            if let date {
                .init(began: EventTime.milliseconds(date), sent: nil)
            } else {
                // What was sent far in the future was sent by a clock that stood wrong.
                .init(began: now - kept, sent: (now - kept)...(now + kept))
            }
        var total = 0
        // A piece at a time, so that a tap in between does not wait long.
        while true {
            let count = try await writer.write { db, _ in try PurgeRows.purge(db, before: limit) }
            total += count
            if count < PurgeRows.piece { break }
        }
        if total > 0 { listeners.tell([.several]) }
        return total
    }

    /// How full it is.
    public func statistics() async throws(OutboxError) -> OutboxStatistics {
        let now = EventTime.milliseconds(options.clock.now())
        return try await read { db in try StatisticsRows.fetch(db, now: now) }
    }

    /// Copies the outbox while it is used: SQLite's backup, as of one moment, to a new file of mode 0600.
    ///
    /// - Throws: `exists` when there is a file already, `notAllowed`, `full`.
    public func backup(to path: String) async throws(OutboxError) {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw OutboxError(.exists, "\(path) exists", hint: "name a file that does not")
        }
        let draft = "\(path).\(UUID().uuidString)"
        try OutboxDirectory.claim(draft)
        defer {
            for end in ["", "-wal", "-shm", "-journal"] { try? FileManager.default.removeItem(atPath: draft + end) }
        }
        let database = writer.database
        do {
            // Reading and writing a whole file blocks: not on a thread that tasks share.
            let queue = DispatchQueue(label: "countertop.outbox.backup")
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                queue.async {
                    continuation.resume(
                        with: Result {
                            let copy = try DatabaseQueue(path: draft)
                            try database.backup(to: copy)
                            try copy.close()
                        })
                }
            }
        } catch {
            throw OutboxError(error)
        }
        try OutboxDirectory.put(draft, at: path)
    }

    /// Checks the whole file as SQLite does, and that the numbers have no holes; empty when all is well.
    public func check() async throws(OutboxError) -> [String] {
        try await read { db in
            let found = try String.fetchAll(db, sql: "PRAGMA integrity_check")
            return found.filter { $0 != "ok" } + (try CheckRows.findings(db))
        }
    }
}

/// Taps that may go.
private enum PurgeRows {
    static let piece = 500

    /// Which taps are old.
    struct Limit: Sendable {
        /// Those that began before then,
        var began: Int64
        /// except what was sent within these times.
        var sent: ClosedRange<Int64>?
    }

    static func purge(_ db: Database, before limit: Limit) throws -> Int {
        try db.execute(sql: "CREATE TEMP TABLE IF NOT EXISTS gone (number INTEGER PRIMARY KEY)")
        try db.execute(sql: "DELETE FROM temp.gone")
        try db.execute(
            sql: """
                INSERT INTO temp.gone SELECT t.number FROM tap t WHERE t.began < ?1 AND NOT EXISTS (
                    SELECT 1 FROM event e WHERE e.tap = t.number AND (e.position IS NULL
                        OR EXISTS (SELECT 1 FROM sink s WHERE s.active AND s.cursor < e.position)
                        OR EXISTS (SELECT 1 FROM delivery d JOIN sink s ON s.name = d.sink
                            WHERE d.position = e.position AND d.state = 1 AND s.active)
                        OR EXISTS (SELECT 1 FROM attempt a WHERE a.position = e.position AND a.at BETWEEN ?3 AND ?4)))
                ORDER BY t.number LIMIT ?2
                """, arguments: [limit.began, piece, limit.sent?.lowerBound, limit.sent?.upperBound])
        let count = db.changesCount
        guard count > 0 else { return 0 }
        // Read here, not from this process's memory: another process may be the counter.
        try OutboxCounters(db).keep(db)
        let positions = """
            position IN (SELECT position FROM event WHERE tap IN (SELECT number FROM temp.gone))
            """
        for sql in [
            "DELETE FROM attempt WHERE " + positions, "DELETE FROM delivery WHERE " + positions,
            "DELETE FROM event WHERE tap IN (SELECT number FROM temp.gone)",
            "DELETE FROM tap WHERE number IN (SELECT number FROM temp.gone)",
        ] { try db.execute(sql: sql) }
        return count
    }
}

private enum StatisticsRows {
    /// Events that some sink still waits for, by two indexes rather than by looking at every event.
    private static func open(_ sinks: String) -> String {
        """
        SELECT sequence, tap FROM event WHERE position > (SELECT min(cursor) FROM sink s WHERE \(sinks))
        UNION SELECT e.sequence, e.tap FROM delivery d JOIN sink s ON s.name = d.sink
            JOIN event e ON e.position = d.position WHERE d.state = 1 AND \(sinks)
        """
    }

    static func fetch(_ db: Database, now: Int64) throws -> OutboxStatistics {
        let numbers = try OutboxCounters(db)
        let whole = try Row.fetchOne(
            db,
            sql: """
                SELECT count(*), min(t.began) FROM (
                    SELECT sequence, tap FROM event WHERE waits > 0 UNION \(open("s.active"))
                ) e JOIN tap t ON t.number = e.tap
                """)
        let sinks = try Row.fetchAll(db, sql: "SELECT * FROM sink s WHERE s.active ORDER BY name")
        return OutboxStatistics(
            taps: try Int.fetchOne(db, sql: "SELECT count(*) FROM tap") ?? 0,
            lastSequence: UInt64(numbers.sequence), lastPosition: numbers.position, depth: whole?[0] ?? 0,
            oldest: (whole?[1] as Int64?).map(EventTime.date(milliseconds:)),
            parked: try Int.fetchOne(db, sql: "SELECT count(*) FROM event WHERE waits > 0 AND waits = 1") ?? 0,
            sinks: try sinks.map { try sink(db, $0, now) })
    }

    private static func sink(_ db: Database, _ row: Row, _ now: Int64) throws -> SinkStatistics {
        let name: String = row["name"]
        let waiting = try Row.fetchOne(
            db,
            sql: """
                SELECT count(*), min(t.began) FROM (\(open("s.name = ?1"))) e JOIN tap t ON t.number = e.tap
                """, arguments: [name])
        func aside(_ state: Int) throws -> Int {
            try Int.fetchOne(
                db, sql: "SELECT count(*) FROM delivery WHERE sink = ? AND state = ?", arguments: [name, state]) ?? 0
        }
        let (due, isDisabled): (Int64, Bool) = (row["due"], row["disabled"])
        let trouble = """
            SELECT detail FROM attempt WHERE sink = ?1 AND position = ?2 + 1 ORDER BY number DESC LIMIT 1
            """
        let cursor: Int64 = row["cursor"]
        return SinkStatistics(
            name: name, cursor: cursor, depth: waiting?[0] ?? 0,
            oldest: (waiting?[1] as Int64?).map(EventTime.date(milliseconds:)), retrying: try aside(1),
            dead: try aside(2), isDisabled: isDisabled,
            trouble: isDisabled || due > now
                ? try String.fetchOne(db, sql: trouble, arguments: [name, cursor]) : nil,
            heldUntil: due > now ? EventTime.date(milliseconds: due) : nil)
    }
}

private enum CheckRows {
    /// The last number of which rows were removed.
    private static func removed(_ name: String) -> String {
        "coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE name = '\(name)'), 0)"
    }

    /// Each must be zero.
    private static let counts = [
        (
            "sequences have a hole",
            "SELECT max(sequence) - f - count(*) FROM event, (SELECT \(removed("lastSequence")) AS f) WHERE sequence > f"
        ),
        (
            "positions have a hole",
            "SELECT max(position) - f - count(*) FROM event, (SELECT \(removed("lastPosition")) AS f) WHERE position > f"
        ),
        ("events have no tap", "SELECT count(*) FROM event WHERE tap NOT IN (SELECT number FROM tap)"),
        ("events wait and have a position", "SELECT count(*) FROM event WHERE (waits = 0) = (position IS NULL)"),
    ]

    static func findings(_ db: Database) throws -> [String] {
        var findings: [String] = []
        for (text, sql) in counts where try Int.fetchOne(db, sql: sql) ?? 0 != 0 { findings.append(text) }
        let last = try OutboxCounters(db).position
        if try Int64.fetchOne(db, sql: "SELECT max(cursor) FROM sink") ?? 0 > last {
            findings.append("a sink is beyond the last position")
        }
        return findings
    }
}
