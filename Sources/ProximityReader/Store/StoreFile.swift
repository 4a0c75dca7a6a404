// SPDX-License-Identifier: Apache-2.0

package import Foundation
internal import GRDB
internal import HostSystem
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A store on disk, open in this process: a SQLite database beside the device's key.
///
/// What a call wrote is on the disk when it returns (write-ahead log, `synchronous` FULL). One object for each directory
/// in a process, and one process at a time. Usable from any thread.
package final class StoreFile: Sendable {
    static let fileName = "store.sqlite"

    let directory: StoreDirectory
    let identity: DeviceIdentity
    private let queue: DatabaseQueue
    // Declared last: released after the database is closed.
    private let lock: ProcessLock

    private init(_ directory: StoreDirectory, _ lock: ProcessLock, at date: Date) throws(StoreFailure) {
        (self.directory, self.lock) = (directory, lock)
        identity = try DeviceIdentity(in: directory, at: date)
        // SQLite gives its other files the mode of this one.
        try directory.claim(Self.fileName)
        queue = try Self.openDatabase(directory.file(Self.fileName))
    }

    deinit { try? queue.close() }

    private static func openDatabase(_ path: String) throws(StoreFailure) -> DatabaseQueue {
        var configuration = GRDB.Configuration()
        configuration.label = "countertop.store"
        configuration.journalMode = .wal
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            let migrator = StoreSchema.migrator
            // After the library's own set-up, which makes it NORMAL.
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
            }
            guard try !queue.read(migrator.hasBeenSuperseded) else {
                throw StoreFailure(.notAllowed, "\(path) was written by a newer version of countertop")
            }
            try migrator.migrate(queue)
            return queue
        } catch {
            throw StoreFailure(error)
        }
    }

    /// One transaction. It is finished even when the caller's task is cancelled: what was asked to be kept is kept.
    func transaction<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws(StoreFailure) -> Result {
        let work = Task { [queue] in try await queue.write(body) }
        do { return try await work.value } catch { throw StoreFailure(error) }
    }
}

extension StoreFile {
    private struct Weak: Sendable {
        weak let store: StoreFile?
    }

    private static let opened = Mutex<[StoreDirectory: Weak]>([:])

    /// The store in a directory, made when there is none.
    ///
    /// - Parameters:
    ///   - path: the directory.
    ///   - date: now, for certificates that are made.
    /// - Throws: `busy` when another process has it, `notAllowed`, `full`, `other`.
    package static func open(_ path: String, at date: Date) throws(StoreFailure) -> StoreFile {
        let directory = try StoreDirectory(path)
        let result = opened.withLock { opened in
            Result { () throws(StoreFailure) in
                if let store = opened[directory]?.store { return store }
                // One that nobody holds any more may still be closing.
                let isClosing = opened[directory] != nil
                let lock = try lock(directory, attempts: isClosing ? 500 : 1)
                let store = try StoreFile(directory, lock, at: date)
                opened[directory] = Weak(store: store)
                return store
            }
        }
        return try result.get()
    }

    private static func lock(_ directory: StoreDirectory, attempts: Int) throws(StoreFailure) -> ProcessLock {
        for _ in 1..<max(attempts, 1) {
            if let lock = try? directory.lock() { return lock }
            usleep(2_000)
        }
        return try directory.lock()
    }
}
