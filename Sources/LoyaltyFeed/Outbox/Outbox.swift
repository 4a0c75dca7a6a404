// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import HostSystem
internal import ISO7816
internal import Synchronization
internal import WalletCrypto

/// The counter's own store of taps and of the events that go out: a SQLite database in the state directory.
///
/// What a call wrote is on the disk when it returns (write-ahead log, `synchronous` FULL), or the call throws and
/// nothing of it is. All methods may be called from any task; a write is finished even when its task is cancelled.
/// Events have two numbers: a `sequence` from their commit, and a `position` from their release, which is at the commit
/// too unless they are parked or wait for a basket. Cursors count positions.
public final class Outbox: Sendable {
    let directory: OutboxDirectory
    let identity: CounterIdentity
    let options: OutboxOptions
    let writer: OutboxWriter
    let ids: ULIDGenerator
    let partitionSecret: SecretBytes
    let listeners = OutboxListeners()
    /// How long the counter has run, for passes that wait for their key.
    let running: RunningTime
    /// Ends of basket windows of this process's taps, by the time that only grows.
    let windows = Mutex<[Int64: Duration]>([:])
    // Declared last: released after the database is closed.
    private let lock: ProcessLock?

    /// The counter's own outbox, made when there is none. One process at a time has it.
    ///
    /// - Parameters:
    ///   - directory: the state directory.
    ///   - counter: which counter its events come from.
    ///   - options: what can be set.
    /// - Throws: `busy` when another process has it, `notAllowed`, `full`, `unsuitable`, `damaged`.
    public convenience init(
        directory path: String, counter: CounterIdentity, options: OutboxOptions = .init()
    ) throws(OutboxError) {
        let directory = try OutboxDirectory(making: path)
        let lock = try directory.lock()
        // SQLite gives its other files the mode of this one.
        try OutboxDirectory.claim(directory.database)
        try self.init(directory, counter, options, lock)
    }

    /// An outbox that exists, to look after it while the counter runs or when it does not: list, show, resend, purge,
    /// back up. It does not commit taps.
    ///
    /// - Throws: `notFound`, `notAllowed`, `unsuitable`, `damaged`.
    public convenience init(
        existingIn path: String, options: OutboxOptions = .init()
    ) throws(OutboxError) {
        try self.init(try OutboxDirectory(existing: path), CounterIdentity(id: ""), options, nil)
    }

    private init(
        _ directory: OutboxDirectory, _ identity: CounterIdentity, _ options: OutboxOptions, _ lock: ProcessLock?
    ) throws(OutboxError) {
        (self.directory, self.identity, self.options, self.lock) = (directory, identity, options, lock)
        ids = ULIDGenerator(clock: options.clock.now, random: options.random)
        do {
            let database = try OutboxFile.open(directory.database, options)
            let own = try OutboxFile.partitionSecret(database, random: options.random)
            partitionSecret = options.partitionSecret ?? SecretBytes(copying: own)
            writer = OutboxWriter(database, counters: try database.read(OutboxCounters.init))
            running = RunningTime(before: try database.read(ParkedRows.ranFor), uptime: options.clock.uptime)
        } catch {
            throw OutboxError(error)
        }
    }

    deinit { try? writer.database.close() }

    /// The ``StoredTap/cursor`` of the last tap that was committed here or is on the disk since the opening; 0 before
    /// the first.
    public var lastTap: Int64 { writer.lastNumbers.tap }

    /// The ``StoredEvent/position`` of the last event that was released, likewise.
    public var lastPosition: Int64 { writer.lastNumbers.position }

    /// What changes from now on. Each call makes a stream of its own; it ends when nobody reads it, or with the outbox.
    public var changes: AsyncStream<OutboxChange> { listeners.stream() }

    /// Reads beside the writer.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(OutboxError) -> Value {
        do { return try await writer.database.read(body) } catch { throw OutboxError(error) }
    }
}

/// Opening the file.
enum OutboxFile {
    static func open(_ path: String, _ options: OutboxOptions) throws -> DatabasePool {
        var configuration = GRDB.Configuration()
        configuration.label = "countertop.outbox"
        configuration.foreignKeysEnabled = false
        configuration.maximumReaderCount = 3
        configuration.busyMode = .timeout(5)
        let (pageSize, checkpointPages) = (options.pageSize, options.checkpointPages)
        configuration.prepareDatabase { db in
            // A page size is taken by a new database only, before its first page.
            if !db.configuration.readonly { try db.execute(sql: "PRAGMA page_size = \(pageSize)") }
        }
        let database = try DatabasePool(path: path, configuration: configuration)
        try database.writeWithoutTransaction { db in
            // After the library's own set-up, which makes it NORMAL.
            try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = \(checkpointPages)")
            if let pages = options.maximumPages { try db.execute(sql: "PRAGMA max_page_count = \(pages)") }
            // FULL is 2 (https://www.sqlite.org/pragma.html#pragma_synchronous).
            guard try Int.fetchOne(db, sql: "PRAGMA synchronous") == 2,
                try String.fetchOne(db, sql: "PRAGMA journal_mode") == "wal"
            else { throw OutboxError(.unsuitable, "\(path) cannot be written safely: no write-ahead log, or no sync") }
        }
        let migrator = OutboxSchema.migrator
        if try database.read(migrator.hasBeenSuperseded) {
            throw OutboxError(
                .unsuitable, "\(path) was written by a newer version of countertop", hint: "use that version")
        }
        if try !database.read(migrator.hasCompletedMigrations) { try migrator.migrate(database) }
        return database
    }

    /// The outbox's own secret, made once.
    static func partitionSecret(_ database: DatabasePool, random: @Sendable (Int) -> [UInt8]) throws -> [UInt8] {
        let sql = "SELECT value FROM meta WHERE name = 'partitionSecret'"
        if let text = try database.read({ try String.fetchOne($0, sql: sql) }), let bytes = try? Hex.decode(text) {
            return bytes
        }
        let fresh = Hex.encode(random(32))
        let kept = try database.write { db in
            try db.execute(
                sql: "INSERT OR IGNORE INTO meta (name, value) VALUES ('partitionSecret', ?)", arguments: [fresh])
            return try String.fetchOne(db, sql: sql)
        }
        return kept.flatMap { try? Hex.decode($0) } ?? []
    }
}
