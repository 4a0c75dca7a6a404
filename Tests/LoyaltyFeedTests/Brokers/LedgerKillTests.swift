// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import LoyaltyFeed

/// Servers killed under load: every event is in the ledger, once. `make chaos` runs the long forms.
@Suite(
    .enabled(if: NATSServer.program != nil, "nats-server is not installed (Debian: nats-server)"),
    .enabled(if: PostgresServer.program != nil, "postgres is not installed (Debian: postgresql)"))
struct LedgerKillTests {
    /// Two counters deliver and two ledgers store while `kill` happens again and again.
    private func run(
        kills: Int, _ nats: NATSServer, _ postgres: PostgresServer, _ kill: @escaping @Sendable () throws -> Void
    ) async throws {
        let options = try BrokerBench.ledgerOptions(nats, postgres)
        let notes = LedgerNotes()
        let ledgers = try (0..<2).map { _ in try Ledger(options, report: notes.report) }
        let work = ledgers.map { ledger in Task { try await ledger.run() } }
        defer { work.forEach { $0.cancel() } }
        let done = StopFlag()
        let counters = (1...2).map { number in
            Task { try await Self.load(nats, counter: "c\(number)", until: done) }
        }
        for _ in 0..<kills {
            try await Task.sleep(for: .milliseconds(Int.random(in: 100...700)))
            try kill()
        }
        try await Task.sleep(for: .milliseconds(300))
        done.set()
        var sent: Set<String> = []
        for counter in counters { sent.formUnion(try await counter.value) }
        try await BrokerBench.waits("\(sent.count) rows", timeout: .seconds(120)) {
            (try? postgres.query("SELECT count(*) FROM countertop.taps")).flatMap { Int($0) } ?? 0 >= sent.count
        }
        work.forEach { $0.cancel() }
        for task in work { _ = try await task.value }
        let rows = try postgres.query("SELECT id FROM countertop.taps").split(separator: "\n").map(String.init)
        #expect(rows.count == sent.count && Set(rows) == sent)
        #expect(sent.count > 20 * kills)
        #expect(try postgres.query("SELECT count(*) FROM countertop.rejected") == "0")
        print("killed \(kills) times: \(sent.count) events acknowledged, \(rows.count) rows, each once")
    }

    /// Events one batch after another, each sent until it is acknowledged.
    private static func load(_ nats: NATSServer, counter: String, until done: StopFlag) async throws -> Set<String> {
        let sink = try BrokerBench.sink(nats, counter: counter)
        var sent: Set<String> = []
        var number = 1
        while !done.isSet {
            let events = try BrokerBench.events(number...(number + 9), counter: counter)
            try await BrokerBench.deliver(events, to: sink)
            sent.formUnion(events.map(\.event.id.description))
            number += 10
            try await Task.sleep(for: .milliseconds(5))
        }
        await sink.close()
        return sent
    }

    @Test func natsIsKilled() async throws {
        let (nats, postgres) = (try NATSServer(), try PostgresServer())
        try await run(kills: BrokerBench.isLong ? 20 : 3, nats, postgres) {
            try nats.process.restart(pause: .milliseconds(Int.random(in: 0...300)))
        }
    }

    @Test func postgresIsKilled() async throws {
        let (nats, postgres) = (try NATSServer(), try PostgresServer())
        try await run(kills: BrokerBench.isLong ? 10 : 2, nats, postgres) {
            try postgres.process.restart(pause: .milliseconds(Int.random(in: 0...300)))
        }
    }

    @Test func bothHang() async throws {
        let (nats, postgres) = (try NATSServer(), try PostgresServer())
        try await run(kills: BrokerBench.isLong ? 6 : 1, nats, postgres) {
            for server in [nats.process, postgres.process] {
                server.freeze(true)
                usleep(400_000)
                server.freeze(false)
            }
        }
    }
}
