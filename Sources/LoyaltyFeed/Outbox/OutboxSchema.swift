// SPDX-License-Identifier: Apache-2.0

internal import GRDB

/// The tables, by migration. Times are milliseconds since 1970. A released migration is never changed.
enum OutboxSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1", foreignKeyChecks: .immediate) { db in try db.execute(sql: version1) }
        // A parked pass's `until` was a date; now it is a time that the counter has run, which the next look gives it.
        migrator.registerMigration("v2", foreignKeyChecks: .immediate) { db in
            try db.execute(sql: "UPDATE event SET until = NULL WHERE waits = 1")
        }
        return migrator
    }

    /// `event.waits`: 0 released, 1 parked for its key, 2 waits for a basket. A body is final once there is a position.
    /// `event.until` ends the wait: a date for a basket, the time that the counter has run for a key (`ranFor` in meta).
    /// `sink.tries` counts the head event's attempts that used up its schedule; `due` and `delay` say until when, and
    /// for how long, the sink is held. `delivery` holds what went aside: `state` 1 is tried again, 2 is given up.
    private static let version1 = """
        CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

        CREATE TABLE tap (
            number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, began INTEGER NOT NULL, reader TEXT NOT NULL,
            code TEXT, reason TEXT, wallet TEXT NOT NULL, mode TEXT NOT NULL, latency REAL NOT NULL,
            scheme TEXT, outcome TEXT, passes TEXT NOT NULL, trace TEXT
        ) STRICT;

        CREATE TABLE event (
            sequence INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, tap INTEGER NOT NULL, position INTEGER,
            type TEXT NOT NULL, waits INTEGER NOT NULL, until INTEGER, body TEXT NOT NULL, cryptogram BLOB
        ) STRICT;
        CREATE UNIQUE INDEX event_position ON event (position) WHERE position IS NOT NULL;
        CREATE INDEX event_tap ON event (tap);
        CREATE INDEX event_waiting ON event (waits) WHERE waits > 0;

        CREATE TABLE sink (
            name TEXT PRIMARY KEY, cursor INTEGER NOT NULL, active INTEGER NOT NULL, disabled INTEGER NOT NULL,
            tries INTEGER NOT NULL, due INTEGER NOT NULL, delay INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE delivery (
            position INTEGER NOT NULL, sink TEXT NOT NULL, state INTEGER NOT NULL, tries INTEGER NOT NULL,
            due INTEGER NOT NULL, delay INTEGER NOT NULL, PRIMARY KEY (position, sink)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX delivery_due ON delivery (sink, state, due);

        CREATE TABLE attempt (
            position INTEGER NOT NULL, sink TEXT NOT NULL, number INTEGER NOT NULL, at INTEGER NOT NULL,
            duration REAL NOT NULL, verdict TEXT NOT NULL, status INTEGER, detail TEXT NOT NULL,
            PRIMARY KEY (position, sink, number)
        ) STRICT, WITHOUT ROWID;
        """
}

/// The last numbers that were given. They live in memory: one process is the counter.
struct OutboxCounters: Sendable {
    var tap: Int64 = 0
    var sequence: Int64 = 0
    var position: Int64 = 0

    /// Where each number stands, and under which name a purge keeps the last one that it removes.
    static let sources = [
        (name: "lastTap", sql: "SELECT max(number) FROM tap"),
        (name: "lastSequence", sql: "SELECT max(sequence) FROM event"),
        (name: "lastPosition", sql: "SELECT max(position) FROM event"),
    ]

    init() {}

    init(_ db: Database) throws {
        let values = try Self.sources.map { source in
            let kept = try Int64.fetchOne(
                db, sql: "SELECT CAST(value AS INTEGER) FROM meta WHERE name = ?", arguments: [source.name])
            return max(try Int64.fetchOne(db, sql: source.sql) ?? 0, kept ?? 0)
        }
        (tap, sequence, position) = (values[0], values[1], values[2])
    }

    /// Remembers the numbers, before rows that have them may go.
    func keep(_ db: Database) throws {
        for (source, value) in zip(Self.sources, [tap, sequence, position]) {
            try db.execute(
                sql: "INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", arguments: [source.name, "\(value)"])
        }
    }
}
