// SPDX-License-Identifier: Apache-2.0

import Foundation
import LoyaltyFeed
import TestSupport
import Testing

/// `countertop ledger` as a process, with real servers.
@Suite(
    .enabled(if: NATSServer.program != nil, "nats-server is not installed (Debian: nats-server)"),
    .enabled(if: PostgresServer.program != nil, "postgres is not installed (Debian: postgresql)"))
struct LedgerProcessTests {
    static let isLong = ProcessInfo.processInfo.environment["COUNTERTOP_CHAOS"] == "1"

    private static let ids = ULIDGenerator()

    private func events(_ numbers: ClosedRange<Int>) -> [OutgoingEvent] {
        numbers.map { number in
            var event = TapEvent(
                id: Self.ids.next(), source: "/counters/c1", kind: .loyalty, time: Date(), sequence: UInt64(number),
                readerName: "bench", mode: "vas", latencyMilliseconds: 1)
            event.member = "M-1"
            return OutgoingEvent(event: event, body: event.body)
        }
    }

    private func sink(_ nats: NATSServer) throws -> NATSSink {
        NATSSink(
            name: "fleet", options: try NATSOptions(url: nats.url),
            subject: try NATSSink.subject(tenant: "default", store: "default", counter: "c1"), stream: "TAPS",
            making: NATSStreamOptions())
    }

    private func arguments(_ nats: NATSServer, _ postgres: PostgresServer, _ more: [String] = []) -> [String] {
        [
            "ledger", "--nats", nats.url, "--postgres", postgres.connection, "--postgres-password-file",
            postgres.passwordFile, "--create-stream", "--ack-wait", "1s",
        ] + more
    }

    @Test func onceAndAsAService() async throws {
        let folder = try TemporaryFolder()
        let (nats, postgres) = (try NATSServer(), try PostgresServer())
        let sink = try sink(nats)
        #expect(await sink.deliver(events(1...40)).allSatisfy { $0.verdict == .delivered })
        let once = try await ToolProcess.run(arguments(nats, postgres, ["--once"]), in: folder)
        #expect(once.status == 0 && once.output == "40 stored, 0 there already, 0 rejected\n", "\(once.talk)")
        let tool = try ToolProcess(arguments(nats, postgres, ["--json"]), in: folder)
        #expect(await sink.deliver(events(41...60)).allSatisfy { $0.verdict == .delivered })
        let end = Date(timeIntervalSinceNow: 30)
        while try postgres.query("SELECT count(*) FROM countertop.taps") != "60", Date() < end {
            try await Task.sleep(for: .milliseconds(50))
        }
        tool.signal(SIGTERM)
        let outcome = try await tool.outcome(timeout: 10)
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(outcome.status == 0 && lines.first == #"{"state":"ready"}"#, "\(outcome.talk)")
        #expect(lines.last == #"{"state":"ended","stored":20,"known":0,"rejected":0}"#)
        await sink.close()
    }

    /// Ledgers that are killed at any moment, one after the other, while events come.
    @Test func killedAgainAndAgain() async throws {
        let folder = try TemporaryFolder()
        let (nats, postgres) = (try NATSServer(), try PostgresServer())
        let sink = try sink(nats)
        var sent: Set<String> = []
        for round in 0..<(Self.isLong ? 40 : 6) {
            let tool = try ToolProcess(arguments(nats, postgres, ["--json", "--batch", "7"]), in: folder)
            let batch = events((round * 100 + 1)...(round * 100 + 100))
            for start in stride(from: 0, to: 100, by: 20) {
                let part = Array(batch[start..<(start + 20)])
                #expect(await sink.deliver(part).allSatisfy { $0.verdict == .delivered })
            }
            sent.formUnion(batch.map(\.event.id.description))
            try await tool.waits(forOutput: "ready")
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...150)))
            tool.signal(SIGKILL)
            _ = try await tool.outcome(timeout: 10)
        }
        // What the killed ones had in hand is given to the last when their time is over.
        let last = try await ToolProcess.run(arguments(nats, postgres, ["--once"]), in: folder)
        #expect(last.status == 0, "\(last.talk)")
        let rows = try postgres.query("SELECT id FROM countertop.taps").split(separator: "\n").map(String.init)
        #expect(rows.count == sent.count && Set(rows) == sent)
        await sink.close()
    }

    @Test func serversThatAreAwayAreWaitedFor() async throws {
        let folder = try TemporaryFolder()
        let (nats, postgres) = (try NATSServer(), try PostgresServer())
        nats.process.kill()
        let tool = try ToolProcess(arguments(nats, postgres), in: folder)
        try await tool.waits(for: "waiting: cannot connect to \(nats.url)")
        try nats.process.start()
        try await tool.waits(for: "ready: the ledger takes events")
        tool.signal(SIGINT)
        #expect(try await tool.outcome(timeout: 10).status == 0)
    }
}
