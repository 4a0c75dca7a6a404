// SPDX-License-Identifier: Apache-2.0

import AppleVAS
import Foundation
import Testing

@testable import CountertopCommands

@Suite struct FreshnessTests {
    static let read = "--pass \(Bench.passID) --key @key.pem"

    @Test func isSaidOnlyWhenAsked() async throws {
        let bench = try Bench()
        #expect(try await bench.readEntry()["freshness"] == nil)
        #expect(try await bench.readEntry("--key @key.pem --max-age 60")["freshness"] as? String == "fresh")
        #expect(try await bench.readEntry("--key @other.pem --max-age 60")["freshness"] == nil)
        let keyless = await bench.run("read --pass p --reader emulated:@phone.json --max-age 5")
        #expect(keyless.status == 64)
        #expect(keyless.error.contains("--max-age needs the --key"))
    }

    @Test func staleDataEndsWithOne() async throws {
        let bench = try Bench()
        // Time stamps are whole seconds: everything is older than nothing.
        for command in ["read \(Self.read)", "record \(Self.read) --output @tap.apdu"] {
            let outcome = await bench.run("\(command) --reader emulated:@phone.json --max-age 0 --json")
            #expect(outcome.status == 1)
            let entry = try #require((try outcome.object()["entries"] as? [[String: Any]])?.first)
            #expect(entry["freshness"] as? String == "tooOld")
            #expect(entry["message"] as? String == Bench.message)
            #expect(outcome.error.contains("more than --max-age allows"))
        }
        #expect(FileManager.default.fileExists(atPath: bench.path("tap.apdu")))
        // A trace is old by nature: nothing is judged unless asked.
        #expect(await bench.run("replay @tap.apdu \(Self.read)").status == 0)
        #expect(await bench.run("replay @tap.apdu \(Self.read) --max-age 0").status == 1)
    }

    @Test func decryptJudgesToo() async throws {
        let bench = try Bench()
        let hex = try await bench.data()
        let cases: [(option: String, status: Int32, word: String?)] = [
            ("", 0, nil), ("--max-age 100", 0, "fresh"), ("--max-age 0", 1, "tooOld"),
            ("--max-age 0 --clock-skew 100", 0, "fresh"),
        ]
        for (option, status, word) in cases {
            let outcome = await bench.run("decrypt \(Self.read) \(option) --json \(hex)")
            #expect(outcome.status == status, "\(option): \(outcome.error)")
            #expect(try outcome.object()["freshness"] as? String == word)
            #expect(try outcome.object()["message"] as? String == Bench.message)
            let text = await bench.run("decrypt \(Self.read) \(option) \(hex)")
            #expect(text.output.contains("freshness:") == (word != nil))
        }
    }

    @Test func watchRemembersOverTaps() async throws {
        let bench = try Bench()
        #expect(
            await bench.run("record \(Self.read) --reader emulated:@phone.json --output @tap.apdu").status == 0)
        let tap = try String(contentsOfFile: bench.path("tap.apdu"), encoding: .utf8)
        let body = tap.split(separator: "\n").filter { !$0.hasPrefix("#") }.joined(separator: "\n")
        try bench.write("twice.apdu", Array("\(tap)\n# FIELD: off\n\(body)\n".utf8))
        let outcome = await bench.run(
            "watch --jsonl \(Self.read) --reader replay:@twice.apdu --max-age 100 --count 2")
        #expect(outcome.status == 0, "\(outcome.error)")
        let words = try outcome.output.split(separator: "\n").compactMap { line -> String? in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            let result = object?["result"] as? [String: Any]
            return (result?["entries"] as? [[String: Any]])?.first?["freshness"] as? String
        }
        #expect(words == ["fresh", "replayed"])
    }

    static let verdicts: [(VASFreshness.Verdict, String, String?)] = [
        (.fresh, "fresh", nil), (.replayed, "replayed", "the pass data was seen before"),
        (.tooOld(age: 10.2), "tooOld", "the pass data is 11 s old, more than --max-age allows"),
        (.fromTheFuture(by: 90), "fromTheFuture", "the pass data is dated 90 s ahead of this clock"),
        (.tooOld(age: .infinity), "tooOld", nil),
    ]

    @Test(arguments: verdicts) func verdictsAreWords(_ verdict: VASFreshness.Verdict, _ name: String, _ text: String?) {
        #expect(verdict.name == name)
        #expect(verdict.text.hasPrefix(name))
        #expect((verdict.complaint == nil) == (verdict == .fresh))
        if let complaint = verdict.complaint {
            #expect(complaint.status == .checkFailed)
            #expect(complaint.code == name)
            if let text { #expect(complaint.reason == text) }
        }
    }
}
