// SPDX-License-Identifier: Apache-2.0

/// The ledger's tables, and the statements that fill them.
struct LedgerSchema {
    /// The schema's name, quoted.
    let name: String

    /// A schema by name: a small letter or `_`, then letters, digits and `_`, at most 63.
    init(_ name: String) throws(BrokerError) {
        guard name.utf8.count <= 63, name.wholeMatch(of: /[a-z_][a-z0-9_]*/) != nil else {
            throw BrokerError(.invalidSetting, "a schema's name has small letters, digits and _ only, at most 63")
        }
        self.name = "\"\(name)\""
    }

    /// Steps from nothing to the newest form, in order. A step that was published is never changed.
    private var steps: [[String]] {
        [
            [
                """
                CREATE TABLE \(name).taps (
                    id text PRIMARY KEY,
                    tap text NOT NULL,
                    counter text NOT NULL,
                    source text NOT NULL,
                    type text NOT NULL,
                    sequence bigint NOT NULL,
                    time timestamptz NOT NULL,
                    pass_type text,
                    member text,
                    subject text NOT NULL,
                    stream_sequence bigint,
                    body jsonb NOT NULL,
                    received_at timestamptz NOT NULL DEFAULT now())
                """,
                "CREATE INDEX taps_source_sequence ON \(name).taps (source, sequence)",
                "CREATE INDEX taps_time ON \(name).taps (time)",
                """
                CREATE TABLE \(name).rejected (
                    stream text NOT NULL,
                    stream_sequence bigint NOT NULL,
                    subject text NOT NULL,
                    reason text NOT NULL,
                    body bytea NOT NULL,
                    received_at timestamptz NOT NULL DEFAULT now(),
                    PRIMARY KEY (stream, stream_sequence, reason))
                """,
            ]
        ]
    }

    /// One statement stores a whole batch: it is its own transaction. What is there stays as it is.
    var insert: String {
        """
        INSERT INTO \(name).taps (id, tap, counter, source, type, sequence, time, pass_type, member, subject,
            stream_sequence, body)
        SELECT id, tap, counter, source, type, sequence, time, pass_type, member, subject, stream_sequence, body
        FROM jsonb_to_recordset($1::jsonb) AS row(id text, tap text, counter text, source text, type text,
            sequence bigint, time timestamptz, pass_type text, member text, subject text, stream_sequence bigint,
            body jsonb)
        ON CONFLICT (id) DO NOTHING
        """
    }

    /// Keeps a message that is no event, for people to look at.
    var reject: String {
        """
        INSERT INTO \(name).rejected (stream, stream_sequence, subject, reason, body)
        VALUES ($1, $2::bigint, $3, $4, decode($5, 'hex')) ON CONFLICT DO NOTHING
        """
    }

    /// Makes or updates the tables. Several ledgers may do it at once: a lock makes the others wait.
    func prepare(_ connection: PostgresConnection, by deadline: Deadline) throws(BrokerError) {
        // A commit that the disk does not have must not be acknowledged.
        try connection.run(
            "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
            by: deadline)
        try connection.run("BEGIN", by: deadline)
        do throws(BrokerError) {
            try migrate(connection, by: deadline)
            try connection.run("COMMIT", by: deadline)
        } catch {
            _ = try? connection.run("ROLLBACK", by: deadline)
            throw error
        }
    }

    private func migrate(_ connection: PostgresConnection, by deadline: Deadline) throws(BrokerError) {
        try connection.run("SELECT pg_advisory_xact_lock(hashtext('countertop ledger'))", by: deadline)
        let known = try connection.run(
            "SELECT to_regclass($1)", ["\(name).migrations"], by: deadline)
        if known.rows.first?.first ?? nil == nil {
            // Who may not make schemas can be given one.
            let schema = try connection.run("SELECT to_regnamespace($1)", [name], by: deadline)
            if schema.rows.first?.first ?? nil == nil { try connection.run("CREATE SCHEMA \(name)", by: deadline) }
            try connection.run(
                """
                CREATE TABLE \(name).migrations (
                    version int PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())
                """, by: deadline)
        }
        let highest = try connection.run("SELECT coalesce(max(version), 0) FROM \(name).migrations", by: deadline)
        let version = highest.rows.first?.first.flatMap { $0 }.flatMap { Int($0) } ?? 0
        guard version <= steps.count else {
            throw BrokerError(
                .invalidSetting, "the ledger's tables are of a newer countertop (version \(version))",
                hint: "use that version")
        }
        for step in version..<steps.count {
            for statement in steps[step] { try connection.run(statement, by: deadline) }
            try connection.run(
                "INSERT INTO \(name).migrations (version) VALUES ($1::int)", ["\(step + 1)"], by: deadline)
        }
    }
}
