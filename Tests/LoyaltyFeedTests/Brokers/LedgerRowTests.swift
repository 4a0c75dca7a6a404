// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import Testing

@testable import LoyaltyFeed

/// Which messages are events.
@Suite struct LedgerRowTests {
    private func row(_ change: (inout [String: Any]) -> Void) throws -> LedgerRow {
        let event = try BrokerBench.event(7)
        var object = try #require(
            try JSONSerialization.jsonObject(with: Data(event.body)) as? [String: Any])
        change(&object)
        let body = Array(try JSONSerialization.data(withJSONObject: object))
        return try LedgerRow(body, subject: "taps.acme.0042.c1", streamSequence: 9)
    }

    @Test func anEvent() throws {
        let row = try row { $0["member"] = 1 }
        #expect(row.counter == "c1" && row.sequence == 7 && row.passType == "pass.com.example.club")
        #expect(row.member == "M-1" && row.tap == row.id && row.streamSequence == 9)
        let tap = "01JD0000000000000000000000"
        #expect(try self.row { $0["correlationid"] = tap }.tap == tap)
        #expect(
            try self.row {
                $0["type"] = "some.later.type"; $0["data"] = nil
            }.member == nil)
    }

    static let faults: [(String, String)] = [
        ("specversion", "0.3"), ("id", "1"), ("id", ""), ("correlationid", "x"), ("sequence", "x"),
        ("sequence", "-1"), ("sequence", "99999999999999999999"), ("time", "yesterday"), ("time", "2026-11-21"),
        ("time", "2026-11-21T01:40:00+01:00"), ("source", ""), ("source", "/"), ("type", ""),
        ("source", "/counters/" + String(repeating: "c", count: 503)), ("type", String(repeating: "t", count: 513)),
    ]

    @Test(arguments: faults) func noEvent(_ key: String, _ value: String) {
        #expect(throws: LedgerRow.Malformed.self) { try row { $0[key] = value } }
    }

    @Test func missing() {
        for key in ["specversion", "id", "source", "type", "time", "sequence"] {
            #expect(throws: LedgerRow.Malformed.self, "\(key)") { try row { $0[key] = nil } }
            #expect(throws: LedgerRow.Malformed.self, "\(key)") { try row { $0[key] = 5 } }
        }
    }

    @Test func neverTraps() throws {
        var random = SeededRandom(seed: 20_261_121)
        let seed = try BrokerBench.event(1).body
        var taken = 0
        for round in 0..<5_000 {
            let bytes = round.isMultiple(of: 4) ? random.bytes(Int(random.next() % 300)) : random.mutate(seed)
            guard let row = try? LedgerRow(bytes, subject: "s", streamSequence: random.next()) else { continue }
            taken += 1
            // Readers differ in what they forgive; what PostgreSQL does not take is set aside.
            guard let json = LedgerRow.json([(row, bytes)]),
                let list = try? JSONSerialization.jsonObject(with: Data(json.utf8)) as? [Any]
            else { continue }
            #expect(list.count == 1)
        }
        #expect(taken > 100)
    }

    @Test func aBatchIsOneDocument() throws {
        let events = try BrokerBench.events(1...3)
        let rows = try events.map { (try LedgerRow($0.body, subject: "s", streamSequence: nil), $0.body) }
        let json = try #require(LedgerRow.json(rows))
        let list = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
        #expect(list.count == 3 && list[2]["id"] as? String == events[2].event.id.description)
        #expect((list[0]["body"] as? [String: Any])?["specversion"] as? String == "1.0")
    }

    @Test func namesOfSchemas() throws {
        #expect(try LedgerSchema("countertop").name == "\"countertop\"")
        for wrong in ["", "A", "1a", "a-b", "a\"b", String(repeating: "a", count: 64)] {
            #expect(throws: BrokerError.self) { try LedgerSchema(wrong) }
        }
    }
}
