// SPDX-License-Identifier: Apache-2.0

internal import GRDB

package import struct Foundation.Date
package import struct Foundation.UUID

/// A read as the store keeps it: sealed data, and whose they are.
package struct StoredRead: Hashable, Sendable {
    /// The read's identifier, that of its result.
    package var id: String
    /// When it was read.
    package var date: Date
    /// Who issued the token of the online session it rests on.
    package var issuer: String
    /// That token's merchant.
    package var merchant: String
    /// Base64, sealed for the provider.
    package var paymentCardData: String
    /// Base64 of the objects anybody may see.
    package var generalCardData: String

    /// A read by its parts.
    package init(
        id: String, date: Date, issuer: String, merchant: String, paymentCardData: String, generalCardData: String
    ) {
        (self.id, self.date, self.issuer, self.merchant) = (id, date, issuer, merchant)
        (self.paymentCardData, self.generalCardData) = (paymentCardData, generalCardData)
    }

    fileprivate init(_ row: Row) {
        self.init(
            id: row["id"], date: Date(timeIntervalSince1970: row["stored"]), issuer: row["issuer"],
            merchant: row["merchant"], paymentCardData: row["paymentCardData"],
            generalCardData: row["generalCardData"])
    }
}

/// What became of a read that was to be taken back.
enum StoredReadRemoval: Sendable {
    case removed, isBatched, notFound
}

extension StoreFile {
    /// Keeps a read: when this returns, it is on the disk.
    package func add(_ read: StoredRead) async throws(StoreFailure) {
        try await transaction { db in
            try db.execute(
                sql: """
                    INSERT INTO read (id, stored, issuer, merchant, paymentCardData, generalCardData)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    read.id, read.date.timeIntervalSince1970, read.issuer, read.merchant, read.paymentCardData,
                    read.generalCardData,
                ])
        }
    }

    /// How many reads there are, in a batch or not.
    package func count() async throws(StoreFailure) -> Int {
        try await transaction { db in try Self.count(db) }
    }

    private static func count(_ db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM read") ?? 0
    }

    /// Whose tokens the stored reads rest on.
    func issuers() async throws(StoreFailure) -> Set<String> {
        try await transaction { db in Set(try String.fetchAll(db, sql: "SELECT DISTINCT issuer FROM read")) }
    }

    /// Takes one read out again, unless it is in a batch.
    func remove(_ id: String) async throws(StoreFailure) -> StoredReadRemoval {
        try await transaction { db in
            guard let row = try Row.fetchOne(db, sql: "SELECT batch FROM read WHERE id = ?", arguments: [id]) else {
                return .notFound
            }
            let batch: String? = row["batch"]
            guard batch == nil else { return .isBatched }
            try db.execute(sql: "DELETE FROM read WHERE id = ?", arguments: [id])
            return .removed
        }
    }

    /// Everything there is, oldest first.
    package func all() async throws(StoreFailure) -> [StoredRead] {
        try await transaction { db in
            try Row.fetchAll(db, sql: "SELECT * FROM read ORDER BY number").map(StoredRead.init)
        }
    }

    /// What SQLite's own check of the whole file says: `ok`.
    package func integrity() async throws(StoreFailure) -> String {
        try await transaction { db in try String.fetchOne(db, sql: "PRAGMA integrity_check") ?? "" }
    }

    /// How SQLite writes: its journal mode, and the number of `synchronous` (2 is FULL).
    func durability() async throws(StoreFailure) -> (journal: String, synchronous: Int) {
        try await transaction { db in
            (
                try String.fetchOne(db, sql: "PRAGMA journal_mode") ?? "",
                try Int.fetchOne(db, sql: "PRAGMA synchronous") ?? -1
            )
        }
    }
}

// MARK: - Batches

extension StoreFile {
    /// Puts the oldest reads into a batch: `size` of them, or all when it is 0.
    func makeBatch(size: Int, at date: Date) async throws(StoreFailure) -> (id: String, reads: [StoredRead]) {
        try await transaction { db in
            guard try String.fetchOne(db, sql: "SELECT id FROM batch") == nil else {
                throw StoreFailure(.batchExists, "there is a batch already; resolve it or reset it first")
            }
            let count = try Self.count(db)
            guard count > 0 else { throw StoreFailure(.resultsNotFound, "nothing is stored") }
            guard (0...count).contains(size) else {
                throw StoreFailure(.batchSizeInvalid, "a batch of \(size) cannot be made of \(count) stored reads")
            }
            let id = UUID().uuidString
            try db.execute(
                sql: "INSERT INTO batch (id, made) VALUES (?, ?)", arguments: [id, date.timeIntervalSince1970])
            try db.execute(
                sql: "UPDATE read SET batch = ? WHERE number IN (SELECT number FROM read ORDER BY number LIMIT ?)",
                arguments: [id, size == 0 ? count : size])
            let rows = try Row.fetchAll(db, sql: "SELECT * FROM read WHERE batch = ? ORDER BY number", arguments: [id])
            return (id, rows.map(StoredRead.init))
        }
    }

    /// Dissolves the batch and keeps its reads.
    func resetBatch() async throws(StoreFailure) {
        try await transaction { db in
            try db.execute(sql: "DELETE FROM batch")
            guard db.changesCount > 0 else { throw StoreFailure(.batchNotFound, "there is no batch") }
        }
    }

    /// The batch there is; nil when there is none.
    func activeBatch() async throws(StoreFailure) -> String? {
        try await transaction { db in try String.fetchOne(db, sql: "SELECT id FROM batch") }
    }

    /// Drops a batch and its reads, and tells how many reads remain.
    func resolveBatch(_ id: String) async throws(StoreFailure) -> Int {
        try await transaction { db in
            try db.execute(sql: "DELETE FROM read WHERE batch = ?", arguments: [id])
            try db.execute(sql: "DELETE FROM batch WHERE id = ?", arguments: [id])
            guard db.changesCount > 0 else { throw StoreFailure(.batchNotFound, "there is no such batch") }
            return try Self.count(db)
        }
    }
}
