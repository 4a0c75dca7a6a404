// SPDX-License-Identifier: Apache-2.0

internal import GRDB

/// The store's tables. A change is a new migration at the end; those that were published never change.
enum StoreSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.execute(
                sql: """
                    CREATE TABLE batch (
                        id TEXT PRIMARY KEY NOT NULL,
                        made DOUBLE NOT NULL,
                        -- One row at most: one active batch for each store.
                        active INTEGER NOT NULL UNIQUE DEFAULT 1 CHECK (active = 1)
                    );
                    CREATE TABLE read (
                        -- The order in which they were stored; never used twice.
                        number INTEGER PRIMARY KEY AUTOINCREMENT,
                        id TEXT NOT NULL UNIQUE,
                        stored DOUBLE NOT NULL,
                        issuer TEXT NOT NULL,
                        merchant TEXT NOT NULL,
                        paymentCardData TEXT NOT NULL,
                        generalCardData TEXT NOT NULL,
                        batch TEXT REFERENCES batch(id) ON DELETE SET NULL
                    );
                    CREATE INDEX readOfBatch ON read(batch);
                    """)
        }
        return migrator
    }
}
