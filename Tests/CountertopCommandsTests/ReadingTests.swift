// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite struct ReadingTests {
    static let read = "--pass \(Bench.passID) --key @key.pem"

    private func entry(_ outcome: Outcome) throws -> [String: Any] {
        try #require((try outcome.object()["entries"] as? [[String: Any]])?.first)
    }

    @Test func readGivesTheFixedShape() async throws {
        let bench = try Bench()
        let outcome = await bench.run("read \(Self.read) --reader emulated:@phone.json --timeout 5 --json")
        #expect(outcome.status == 0)
        #expect(try outcome.object()["id"] is String)
        let entry = try entry(outcome)
        #expect(entry["id"] as? String == Bench.passID)
        #expect(entry["status"] as? String == "success")
        #expect(entry["statusWord"] as? String == "9000")
        #expect(entry["message"] as? String == Bench.message)
        #expect((entry["timestamp"] as? String)?.hasSuffix("Z") == true)
        #expect((entry["keyId"] as? String)?.count == 8)
        #expect(Data(base64Encoded: entry["customerVASData"] as? String ?? "")?.count == 56 + Bench.message.count)
    }

    @Test func decryptOpensWhatReadLeavesClosed() async throws {
        let bench = try Bench()
        let read = await bench.run("read --pass \(Bench.passID) --reader emulated:@phone.json --json")
        let data = try #require(Data(base64Encoded: entry(read)["customerVASData"] as? String ?? ""))
        let hex = data.map { String(format: "%02x", $0) }.joined()
        for line in ["--key @key.pem \(hex)", "--key @other.pem @key.pem --json \(hex)", "--key @key.pem --json -"] {
            let outcome = await bench.run("decrypt --pass \(Bench.passID) --json \(line)", input: hex + "\n")
            #expect(outcome.status == 0)
            #expect(try outcome.object()["message"] as? String == Bench.message)
            #expect(try outcome.object()["method"] as? Int == 1)
            #expect(try outcome.object()["passTypeIdentifier"] as? String == Bench.passID)
        }
        let unknown = await bench.run("decrypt --pass \(Bench.passID) --key @other.pem --json \(hex)")
        #expect(unknown.status == 1)
        #expect(try unknown.object()["code"] as? String == "unknownKey")
        let wrong = await bench.run("decrypt --pass pass.other --key @key.pem --json \(hex)")
        #expect(wrong.status == 1)
        #expect(try wrong.object()["code"] as? String == "authenticationFailed")
    }

    @Test func aRecordedTapReplays() async throws {
        let bench = try Bench()
        let record = await bench.run("record \(Self.read) --reader emulated:@phone.json --output @tap.apdu")
        #expect(record.status == 0)
        for extra in ["", "--strict"] {
            let replay = await bench.run("replay @tap.apdu \(Self.read) --json \(extra)")
            #expect(try entry(replay)["message"] as? String == Bench.message, "\(replay.error)")
        }
        let other = await bench.run("replay @tap.apdu --pass pass.other --json")
        #expect(other.status == 1)
        let show = await bench.run("trace show @tap.apdu")
        #expect(show.output.contains("GET VAS DATA"))
        let again = await bench.run("record \(Self.read) --reader emulated:@phone.json --output @tap2.apdu")
        #expect(again.status == 0)
        #expect(await bench.run("trace diff @tap.apdu @tap2.apdu").status == 0)
        #expect(await bench.run("trace diff @tap.apdu @tap2.apdu --exact").status == 1)
    }

    @Test func watchTellsEveryEvent() async throws {
        let bench = try Bench()
        let outcome = await bench.run("watch --jsonl \(Self.read) --reader emulated:@phone.json --count 1")
        #expect(outcome.status == 0)
        let lines = try outcome.output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        let events = lines.compactMap { $0["event"] as? String }
        #expect(
            events == ["readyForTap", "cardDetected", "removeCard", "readCompleted", "userInterfaceDismissed"])
        #expect(lines.last?["result"] is [String: Any])
    }

    @Test func cancellingEndsWatchWithSuccess() async throws {
        let bench = try Bench()
        let task = Task { await bench.run("watch --jsonl \(Self.read) --reader emulated:@phone.json") }
        try await Task.sleep(for: .milliseconds(300))
        task.cancel()
        #expect(await task.value.status == 0)
    }

    @Test func aPhoneThatLeavesIsAskedAgain() async throws {
        let bench = try Bench(phoneExtra: "\"leavesFieldAt\":2,")
        let outcome = await bench.run("read \(Self.read) --reader emulated:@phone.json --json")
        #expect(outcome.status == 75)
        #expect(try outcome.object()["code"] as? String == "cardReadFailed")
        #expect(outcome.error.contains("readRetry"))
    }
}
