// SPDX-License-Identifier: Apache-2.0

import CounterServer
import Foundation
import LoyaltyFeed
import Testing

@testable import CountertopCommands

/// `ledger`: settings that are wrong, and what it prints. The work itself is tested with real servers elsewhere.
@Suite struct LedgerCommandTests {
    static let secret = "hunter2hunter2"
    static let nats = "--nats nats://127.0.0.1:1"
    static let wrong: [(line: String, status: Int32)] = [
        ("ledger", 64), ("ledger \(nats)", 64), ("ledger \(nats) --postgres dbname=a --batch 0", 64),
        ("ledger \(nats) --postgres dbname=a --ack-wait soon", 64),
        ("ledger \(nats) --postgres dbname=a --idle-exit 0s", 64),
        ("ledger \(nats) --postgres dbname=a --durable a.b", 64),
        ("ledger \(nats) --postgres dbname=a --nats-user u", 64),
        ("ledger \(nats) --postgres dbname=a --nats-user u --nats-token-file @token", 64),
        ("ledger --nats http://a --postgres dbname=a", 78),
        ("ledger \(nats) --postgres password=\(secret)", 78),
        ("ledger \(nats) --postgres dbname=a --schema A-B", 78),
        ("ledger \(nats) --postgres dbname=a --postgres-password-file @none", 66),
        ("ledger \(nats) --postgres dbname=a --postgres-password-file @open", 77),
        ("ledger \(nats) --postgres dbname=a --nats-token-file @empty", 65),
    ]

    @Test(arguments: wrong) func settings(_ line: String, _ status: Int32) async throws {
        let bench = try Bench()
        try bench.write("token", Array("\(Self.secret)\n".utf8), mode: 0o600)
        try bench.write("open", Array("\(Self.secret)\n".utf8), mode: 0o644)
        try bench.write("empty", [0x0A], mode: 0o600)
        let outcome = await bench.run(line)
        #expect(outcome.status == status, "\(outcome.error)")
        #expect(!(outcome.output + outcome.error).contains(Self.secret))
    }

    @Test func linesOfJSON() throws {
        var counts = LedgerCounts()
        (counts.stored, counts.known, counts.rejected, counts.last) = (3, 2, 1, 6)
        let reports: [(LedgerReport, String)] = [
            (.ready, #"{"state":"ready"}"#),
            (.stored(counts), #"{"state":"stored","stored":3,"known":2,"rejected":1}"#),
            (.rejected(streamSequence: 7, reason: "no"), #"{"state":"rejected","streamSequence":7,"reason":"no"}"#),
            (.rejected(streamSequence: nil, reason: "no"), #"{"state":"rejected","reason":"no"}"#),
            (
                .waiting(BrokerError(.unreachable, "away")),
                #"{"state":"waiting","code":"unreachable","reason":"away"}"#
            ),
        ]
        let page = try #require(JSONDocumentTests.sections["ledger"])
        for (report, text) in reports {
            #expect(LedgerView.json(report).compact == text)
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
            for member in object.keys { #expect(page.contains("\"\(member)\""), "\(member)") }
        }
    }
}
