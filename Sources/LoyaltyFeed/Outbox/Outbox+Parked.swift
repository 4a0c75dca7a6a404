// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import HostSystem
internal import Synchronization

/// How long a counter has run, over all its processes: what a pass waits for its key by. The wall clock would not do: a
/// machine without one of its own starts in 1970, and a moment later all that it holds looks half a century old.
final class RunningTime: Sendable {
    /// How much may be lost when power goes.
    static let saveEvery = Duration.seconds(600).milliseconds

    private let uptime: @Sendable () -> Duration
    private let start: Duration
    private let before: Int64
    private let saved: Mutex<Int64>

    /// - Parameter before: milliseconds of the processes before this one.
    init(before: Int64, uptime: @escaping @Sendable () -> Duration) {
        (self.before, self.uptime, start) = (before, uptime, uptime())
        saved = Mutex(before)
    }

    /// In milliseconds.
    var now: Int64 { before + max(.zero, uptime() - start).milliseconds }

    /// Whether it should be written down again.
    func isSaveDue(at time: Int64) -> Bool { time - saved.withLock { $0 } >= Self.saveEvery }

    func didSave(_ time: Int64) { saved.withLock { $0 = max($0, time) } }
}

extension Outbox {
    /// Until when a pass that is parked now waits, by the time that the counter has run.
    var parkedUntil: Int64 { running.now + Int64(options.parkedDays) * 86_400_000 }

    /// Drops passes that waited too long for their key: ``OutboxOptions/parkedDays`` during which the counter ran,
    /// whatever the clock says. Their numbers are not given again.
    ///
    /// - Returns: how many were dropped.
    @discardableResult
    public func dropParked() async throws(OutboxError) -> Int {
        try requireCounter("drops parked passes of")
        let now = running.now
        let isSaveDue = running.isSaveDue(at: now)
        guard try await read({ db in try ParkedRows.hasWork(db, at: now, isSaveDue: isSaveDue) }) else { return 0 }
        let limit = parkedUntil
        let count = try await writer.write { db, numbers in
            try ParkedRows.save(db, now)
            try db.execute(
                sql: "UPDATE event SET until = ? WHERE waits > 0 AND waits = 1 AND until IS NULL", arguments: [limit])
            try db.execute(sql: "DELETE FROM event WHERE waits > 0 AND waits = 1 AND until < ?", arguments: [now])
            let count = db.changesCount
            if count > 0 { try numbers.keep(db) }
            return count
        }
        running.didSave(now)
        if count > 0 { listeners.tell([.several]) }
        return count
    }
}

/// The time that the counter has run, as it is kept.
enum ParkedRows {
    static func save(_ db: Database, _ time: Int64) throws {
        try db.execute(sql: "INSERT OR REPLACE INTO meta (name, value) VALUES ('ranFor', ?)", arguments: ["\(time)"])
    }

    static func ranFor(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'ranFor'") ?? 0
    }

    /// Whether a pass waits too long, or has no time yet; or whether any waits, and the time should be written down.
    static func hasWork(_ db: Database, at now: Int64, isSaveDue: Bool) throws -> Bool {
        let sql = """
            SELECT EXISTS (SELECT 1 FROM event WHERE waits > 0 AND waits = 1 AND (?1 OR until IS NULL OR until < ?2))
            """
        return try Bool.fetchOne(db.cachedStatement(sql: sql), arguments: [isSaveDue, now]) ?? false
    }
}
