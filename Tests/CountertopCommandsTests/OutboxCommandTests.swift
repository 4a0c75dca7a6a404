// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import LoyaltyFeed
import Testing

@Suite struct OutboxCommandTests {
    static let first = ULID(milliseconds: 1_795_225_200_000, random: [1])
    static let second = ULID(milliseconds: 1_795_225_201_000, random: [2])

    /// A counter's outbox with a read tap that a sink has, and a failed one; the counter may still run.
    private func fill(_ bench: Bench) async throws -> Outbox {
        let outbox = try Outbox(directory: bench.path("state"), counter: CounterIdentity(id: "c1"))
        let pass = PassRecord(
            passTypeIdentifier: Bench.passID, statusWord: 0x9000,
            outcome: .read(member: "M-1", keyID: "beef7375", deviceTime: Date(timeIntervalSince1970: 1_795_225_199)))
        let began = Date(timeIntervalSince1970: 1_795_225_200)
        _ = try await outbox.commit(
            TapRecord(
                id: Self.first, began: began, readerName: "r", result: .read, mode: "vas", latencyMilliseconds: 1,
                passes: [pass]))
        _ = try await outbox.commit(
            TapRecord(
                id: Self.second, began: began, readerName: "r",
                result: .failed(code: "locked", reason: "the phone is locked"), mode: "vas", latencyMilliseconds: 1))
        let engine = DeliveryEngine(
            outbox: outbox, sinks: [TakingSink()], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let run = Task { await engine.run() }
        for _ in 0..<1_000 where try await outbox.statistics().sinks.first?.cursor != 1 {
            try await Task.sleep(for: .milliseconds(5))
        }
        run.cancel()
        await run.value
        return outbox
    }

    @Test func `list, show, status and export, while the counter has the outbox`() async throws {
        let bench = try Bench()
        let outbox = try await fill(bench)
        let list = await bench.run("outbox list --state @state")
        #expect(list.status == 0)
        #expect(list.output.contains("\(Self.first)  1 event, crm delivered"))
        #expect(list.output.contains("\(Self.second)  locked: the phone is locked"))
        #expect(!list.output.contains("M-1"))
        #expect(await bench.run("outbox list --state @state --limit 1").output.contains("\(Self.second)"))
        let all = try await bench.run("outbox list --state @state --after 0 --json").object()["taps"] as? [Any]
        #expect(all?.count == 2)
        let show = await bench.run("outbox show \(Self.first) --state @state")
        #expect(show.output.contains(#""member":"M-1""#))
        #expect(show.output.contains("delivered 200: taken"))
        let status = try await bench.run("outbox status --state @state --json").object()
        #expect(status["depth"] as? Int == 0)
        let export = await bench.run("outbox export --state @state")
        let body = try await #require(outbox.events(after: 0, limit: 1).first).outgoing.body
        #expect(export.output == String(decoding: body, as: UTF8.self) + "\n")
        #expect(await bench.run("outbox check --state @state").output == "the outbox is sound\n")
    }

    @Test func `resend, purge and backup, when the counter does not run`() async throws {
        let bench = try Bench()
        _ = try await fill(bench)
        for choice in ["--event \(Self.first)", "--since 2026-11-01", "--since 2026-11-21T00:00:00Z --sink crm"] {
            let resent = await bench.run("outbox resend \(choice) --state @state --json")
            #expect(try resent.object()["resent"] as? Int == 1, "\(choice): \(resent.error)")
        }
        #expect(await bench.run("outbox resend --dead --state @state").output == "0 to send\n")
        #expect(await bench.run("outbox list --state @state").output.contains("crm retrying"))
        // What is to be sent again stays.
        #expect(await bench.run("outbox purge --before 2030-01-01 --state @state").output == "1 removed\n")
        #expect(await bench.run("outbox backup @copy.sqlite --state @state").status == 0)
        let again = await bench.run("outbox backup @copy.sqlite --state @state")
        #expect(again.status == 77)
    }

    @Test func `the state directory stands in the counter's configuration`() async throws {
        let bench = try Bench()
        _ = try await fill(bench)
        let toml = """
            [counter]
            id = "c1"
            reader = "emulated:phone.json"
            state = "state"
            [[pass]]
            id = "\(Bench.passID)"
            key = "key.pem"
            """
        try bench.write("counter.toml", Array(toml.utf8))
        let list = await bench.run("outbox list --config @counter.toml --json")
        #expect(list.status == 0, "\(list.error)")
    }

    @Test(arguments: [
        ("outbox list --state @none", 66), ("outbox list --state @state --config @x", 64),
        ("outbox list --state @state --limit 0", 64), ("outbox show nonsense --state @state", 64),
        ("outbox show 01KAHZWQC00000000000000009 --state @state", 66), ("outbox resend --state @state", 64),
        ("outbox resend --dead --since 1h --state @state", 64), ("outbox resend --dead --sink x --state @state", 64),
        ("outbox resend --event 01KAHZWQC00000000000000009 --state @state", 66),
        ("outbox purge --before soon --state @state", 64), ("outbox list --config @none.toml", 66),
    ])
    func wrong(line: String, status: Int32) async throws {
        let bench = try Bench()
        _ = try await fill(bench)
        let outcome = await bench.run(line)
        #expect(outcome.status == status, "\(outcome.error)")
        #expect(outcome.error.hasPrefix("countertop: "))
    }

    @Test(arguments: ["list", "show ID", "status", "resend --dead", "purge", "backup @b", "check"])
    func `JSON is what the page says`(command: String) async throws {
        let bench = try Bench()
        _ = try await fill(bench)
        let line = "outbox \(command.replacing("ID", with: Self.first.description)) --state @state --json"
        let section = "outbox \(command.prefix { $0 != " " })"
        let text = try #require(JSONDocumentTests.sections[section], "JSON.md has no section for \(section)")
        for name in members(try await bench.run(line).object()) {
            #expect(text.contains("\"\(name)\"") || text.contains("`\(name)`"), "JSON.md, \(section): \(name)")
        }
    }

    private func members(_ value: Any) -> Set<String> {
        switch value {
        case let list as [Any]: list.reduce(into: []) { $0.formUnion(members($1)) }
        case let object as [String: Any]:
            object.reduce(into: Set(object.keys)) { $0.formUnion(members($1.value)) }
        default: []
        }
    }
}

/// Takes everything.
private struct TakingSink: Sink {
    let name = "crm"
    let batchLimit = 8

    func deliver(_ events: [OutgoingEvent]) async -> [DeliveryReport] {
        events.map { _ in DeliveryReport(.delivered, status: 200, detail: "taken") }
    }

    func close() async {}
}
