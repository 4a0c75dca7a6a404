// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import TestSupport
import Testing
import WalletCrypto

@testable import LoyaltyFeed

/// From counters through a real `nats-server` into a real PostgreSQL.
@Suite(
    .enabled(if: NATSServer.program != nil, "nats-server is not installed (Debian: nats-server)"),
    .enabled(if: PostgresServer.program != nil, "postgres is not installed (Debian: postgresql)"))
struct LedgerTests {
    /// Runs a ledger until the stream has nothing more.
    private func drain(_ options: LedgerOptions) async throws -> LedgerCounts {
        var options = options
        options.once = true
        return try await Ledger(options) { _ in }.run()
    }

    @Test func eachEventIsOneRow() async throws {
        let (nats, postgres) = (try NATSServer(), try PostgresServer())
        let sink = try BrokerBench.sink(nats)
        let events = try BrokerBench.events(1...600)
        try await BrokerBench.deliver(events, to: sink)
        let options = try BrokerBench.ledgerOptions(nats, postgres)
        let counts = try await drain(options)
        #expect(counts.stored == 600 && counts.known == 0 && counts.rejected == 0)
        let row = try postgres.query(
            """
            SELECT id, tap, counter, source, type, sequence, time AT TIME ZONE 'UTC', pass_type, member, subject,
            stream_sequence, body->>'id', received_at > now() - interval '5 minutes'
            FROM countertop.taps WHERE sequence = 42
            """)
        let id = events[41].event.id.description
        let expected = [
            id, id, "c1", "/stores/0042/counters/c1", "dev.countertop.loyalty.tap.v1", "42", "2026-11-21 01:40:00.123",
            "pass.com.example.club", "M-1", "taps.acme.0042.c1", "42", id, "t",
        ]
        #expect(row == expected.joined(separator: "|"))
        // Nothing more to do, and nothing twice.
        #expect(try await drain(options).stored == 0)
        try await BrokerBench.deliver(Array(events.prefix(100)), to: sink)
        #expect(try await drain(options).last == 0)
        await sink.close()
        #expect(try postgres.query("SELECT count(*), min(sequence), max(sequence) FROM countertop.taps") == "600|1|600")
    }

    /// The stream's window for ids is over, or the stream was lost and filled again: the table knows.
    @Test func anIDThatTheStreamForgotIsKnownToTheTable() async throws {
        let (nats, postgres) = (try NATSServer(), try PostgresServer())
        let events = try BrokerBench.events(1...50)
        var stream = NATSStreamOptions()
        stream.duplicateWindow = .milliseconds(200)
        for round in 1...2 {
            let sink = NATSSink(
                name: "fleet", options: try NATSOptions(url: nats.url), subject: "taps.acme.0042.c1", making: stream)
            try await BrokerBench.deliver(events, to: sink)
            await sink.close()
            let counts = try await drain(try BrokerBench.ledgerOptions(nats, postgres))
            #expect(counts.stored == (round == 1 ? 50 : 0) && counts.known == (round == 1 ? 0 : 50))
            try await Task.sleep(for: .seconds(1))
        }
        #expect(try postgres.query("SELECT count(*) FROM countertop.taps") == "50")
    }

    @Test func whatIsNoEventIsSetAsideOnce() async throws {
        let (nats, postgres) = (try NATSServer(), try PostgresServer())
        let sink = try BrokerBench.sink(nats)
        try await BrokerBench.deliver(try BrokerBench.events(1...5), to: sink)
        let good = String(decoding: try BrokerBench.event(6).body, as: UTF8.self)
        let wrong = [
            [UInt8]("no JSON at all".utf8), [0xFF, 0x00, 0xFE], [],
            // Valid JSON that PostgreSQL's jsonb cannot hold, between good ones.
            Array(good.replacing("M-1", with: "M-\\u0000").utf8),
            Array(good.replacing("{\"wallet\"", with: "{\"n\":1e999999,\"wallet\"").utf8),
            Array(good.replacing("2026-11-21T01:40:00.123Z", with: "2026-13-41T01:40:00Z").utf8),
        ]
        let connection = try NATSConnection(try NATSOptions(url: nats.url))
        for body in wrong {
            try connection.publish(NATSMessage(subject: "taps.acme.0042.c9", reply: nil, headers: [], body: body))
        }
        try connection.flush(milliseconds: 5000)
        try await BrokerBench.deliver(try BrokerBench.events(7...11), to: sink)
        let notes = LedgerNotes()
        var options = try BrokerBench.ledgerOptions(nats, postgres)
        options.once = true
        let counts = try await Ledger(options, report: notes.report).run()
        #expect(counts.stored == 10 && counts.rejected == wrong.count)
        let said = notes.all.compactMap { if case .rejected(_, let reason) = $0 { reason } else { nil } }
        #expect(said.count == wrong.count && said.allSatisfy { !$0.contains("M-") })
        #expect(
            try postgres.query("SELECT count(*), count(DISTINCT stream_sequence) FROM countertop.rejected") == "6|6")
        #expect(
            try postgres.query("SELECT encode(body, 'hex') FROM countertop.rejected WHERE stream_sequence = 7")
                == "ff00fe")
        // The stream does not send them again.
        try await Task.sleep(for: .seconds(3))
        #expect(try await drain(options).rejected == 0)
        await sink.close()
    }

    /// 54000: an index takes no more than a third of a page (2,704 bytes) of what does not compress. Who took it for the
    /// server's trouble would try the same batch for ever.
    @Test(.timeLimit(.minutes(2))) func whatDoesNotFitAnIndexIsTheMessagesFault() async throws {
        let (nats, postgres) = (try NATSServer(), try PostgresServer())
        let sink = try BrokerBench.sink(nats)
        try await BrokerBench.deliver(try BrokerBench.events(1...3), to: sink)
        let long = SeededRandom.source(seed: 4)(3_000).map { String(format: "%02x", $0) }.joined()
        let good = String(decoding: try BrokerBench.event(4).body, as: UTF8.self)
        let body = Array(good.replacing("/stores/0042/", with: "/stores/\(long)/").utf8)
        let connection = try NATSConnection(try NATSOptions(url: nats.url))
        try connection.publish(NATSMessage(subject: "taps.acme.0042.c9", reply: nil, headers: [], body: body))
        try connection.flush(milliseconds: 5000)
        try await BrokerBench.deliver(try BrokerBench.events(5...7), to: sink)
        await sink.close()
        let options = try BrokerBench.ledgerOptions(nats, postgres)
        let counts = try await drain(options)
        #expect(counts.stored == 6 && counts.rejected == 1)
        // And the server's own word for it, should another column meet a limit.
        let database = try PostgresConnection(
            options.postgres, by: Deadline(in: .seconds(10), stop: StopFlag()))
        let error = #expect(throws: BrokerError.self) {
            try database.run(
                "INSERT INTO countertop.taps SELECT $1, id, counter, source, type, sequence, time, pass_type, member, "
                    + "subject, stream_sequence, body FROM countertop.taps LIMIT 1",
                [long], by: Deadline(in: .seconds(10), stop: StopFlag()))
        }
        #expect(error?.code == .invalidData && error?.reason.contains("54000") == true, "\(String(describing: error))")
    }

    @Test func severalShareTheWork() async throws {
        let (nats, postgres) = (try NATSServer(), try PostgresServer())
        let notes = (0..<3).map { _ in LedgerNotes() }
        var options = try BrokerBench.ledgerOptions(nats, postgres)
        options.batch = 20
        let ledgers = try notes.map { try Ledger(options, report: $0.report) }
        let work = ledgers.map { ledger in Task { try await ledger.run() } }
        try await BrokerBench.waits("ready") { notes.allSatisfy(\.isReady) }
        let sinks = try (1...4).map { try BrokerBench.sink(nats, counter: "c\($0)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, sink) in sinks.enumerated() {
                group.addTask {
                    let events = try BrokerBench.events(1...400, counter: "c\(index + 1)")
                    try await BrokerBench.deliver(events, to: sink)
                }
            }
            try await group.waitForAll()
        }
        try await BrokerBench.waits("all rows") {
            try postgres.query("SELECT count(*) FROM countertop.taps") == "1600"
        }
        work.forEach { $0.cancel() }
        var stored = 0
        for task in work { stored += try await task.value.stored }
        #expect(stored == 1600)
        let busy = notes.filter { $0.all.contains { if case .stored = $0 { true } else { false } } }
        #expect(busy.count >= 2)
        #expect(
            try postgres.query("SELECT counter, count(*), max(sequence) FROM countertop.taps GROUP BY 1 ORDER BY 1")
                == (1...4).map { "c\($0)|400|400" }.joined(separator: "\n"))
    }

    @Test func passwordsFromFiles() async throws {
        let (nats, postgres) = (try NATSServer(), try PostgresServer())
        var options = try BrokerBench.ledgerOptions(nats, postgres)
        options.postgres = try PostgresOptions(connection: postgres.connection)
        let password = String(try String(contentsOfFile: postgres.passwordFile, encoding: .utf8).dropLast())
        options.postgres.password = SecretBytes(copying: Array(password.utf8))
        _ = try await drain(options)
        options.postgres.password = SecretBytes(copying: Array("wrong".utf8))
        options.once = true
        let notes = LedgerNotes()
        let ledger = try Ledger(options, report: notes.report)
        let work = Task { try await ledger.run() }
        try await BrokerBench.waits("the refusal") { !notes.waits.isEmpty }
        work.cancel()
        _ = try await work.value
        #expect(notes.waits.allSatisfy { $0.reason.contains("password authentication failed") })
    }

    @Test func tablesOfALaterVersionAreLeftAlone() async throws {
        let (nats, postgres) = (try NATSServer(), try PostgresServer())
        let options = try BrokerBench.ledgerOptions(nats, postgres)
        _ = try await drain(options)
        _ = try postgres.query("INSERT INTO countertop.migrations (version) VALUES (99)")
        await #expect(throws: BrokerError.self) { try await drain(options) }
    }

    @Test func aRoleThatMayNotMakeSchemasCanBeGivenOne() async throws {
        let (nats, postgres) = (try NATSServer(), try PostgresServer())
        _ = try postgres.query("CREATE ROLE clerk LOGIN; CREATE SCHEMA loyalty AUTHORIZATION clerk")
        var options = try BrokerBench.ledgerOptions(nats, postgres)
        options.schema = "loyalty"
        options.postgres = try PostgresOptions(
            connection: postgres.localConnection.replacing("user=tester", with: "user=clerk"))
        let sink = try BrokerBench.sink(nats)
        try await BrokerBench.deliver(try BrokerBench.events(1...3), to: sink)
        await sink.close()
        #expect(try await drain(options).stored == 3)
        #expect(try postgres.query("SELECT count(*) FROM loyalty.taps") == "3")
    }

    @Test func endsWhenItIsIdleOrCancelled() async throws {
        let (nats, postgres) = (try NATSServer(), try PostgresServer())
        var options = try BrokerBench.ledgerOptions(nats, postgres)
        options.idleExit = .seconds(1)
        let began = ContinuousClock.now
        _ = try await Ledger(options) { _ in }.run()
        #expect(ContinuousClock.now - began < .seconds(10))
        options.idleExit = nil
        postgres.process.freeze(true)
        let ledger = try Ledger(options) { _ in }
        let work = Task { try await ledger.run() }
        try await Task.sleep(for: .milliseconds(300))
        let cancelled = ContinuousClock.now
        work.cancel()
        _ = try await work.value
        #expect(ContinuousClock.now - cancelled < .seconds(3))
        postgres.process.freeze(false)
    }
}
