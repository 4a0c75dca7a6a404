// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite struct ConfigCommandTests {
    static let good = """
        [counter]
        id = "c1"
        reader = "emulated:phone.json"
        state = "state"
        [[pass]]
        id = "pass.com.example.club"
        key = "key.pem"
        """

    private func bench(_ text: String) throws -> Bench {
        let bench = try Bench()
        try bench.write("c.toml", Array(text.utf8))
        return bench
    }

    @Test func `a good configuration ends with 0`() async throws {
        let outcome = try await bench(Self.good).run("config check @c.toml")
        #expect(outcome.status == 0 && outcome.error.isEmpty)
        #expect(outcome.output.hasSuffix("c.toml: ok: counter c1, 1 pass, 0 sinks, 127.0.0.1:8787\n"))
    }

    @Test func `a bad one ends with 78 and says all at once`() async throws {
        let bench = try bench(Self.good + "\n[http]\nlisen = 1\n[log]\nlevel = 1\n")
        let outcome = await bench.run("config check @c.toml")
        #expect(outcome.status == 78 && outcome.error.isEmpty)
        let lines = outcome.output.replacing(bench.folder + "/", with: "").split(separator: "\n").map(String.init)
        #expect(lines.first == "c.toml:9:1: http.lisen: [http] has no such key")
        #expect(lines.dropFirst().first == "  hint: did you mean listen?")
        #expect(lines.contains { $0.hasPrefix("c.toml:11:1: log.level: must be one of") })
        let object = try await bench.run("config check @c.toml --json").object()
        #expect(object["ok"] as? Bool == false)
        let problems = try #require(object["problems"] as? [[String: Any]])
        #expect(problems.map { $0["line"] as? Int } == [9, 11])
        #expect(problems.map { $0["code"] as? String } == ["unknownKey", "invalidValue"])
    }

    @Test(arguments: [("open.pem", 77), ("not.pem", 78), ("none.pem", 78)])
    func `files that are named are looked at`(file: String, status: Int32) async throws {
        let outcome = try await bench(Self.good.replacing("key.pem", with: file)).run("config check @c.toml")
        #expect(outcome.status == status)
        #expect(outcome.output.contains("c.toml:7:1: pass[0].key: "))
    }

    @Test func `a file that is missing ends with 66`() async throws {
        let outcome = try await bench("").run("config check @none.toml")
        #expect(outcome.status == 66 && outcome.output.contains("none.toml cannot be read"))
    }

    @Test func `standard input is checked with a minus`() async throws {
        let outcome = try await bench("").run("config check -", input: "[counter]\nid = 1\n")
        #expect(outcome.status == 78)
        #expect(outcome.output.contains("standard input:2:1: counter.id: must be a text"))
    }

    @Test func `print shows flags over environment over file over defaults`() async throws {
        let bench = try bench(Self.good)
        let line = "config print --config @c.toml --listen 127.0.0.1:1"
        let outcome = await bench.run(line, environment: ["COUNTERTOP_COUNTER_KEEP_DAYS": "3"])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("listen = \"127.0.0.1:1\"  # --listen\n"))
        #expect(outcome.output.contains("keep_days = 3  # COUNTERTOP_COUNTER_KEEP_DAYS\n"))
        #expect(outcome.output.contains("c.toml:2:1\n") && !outcome.output.contains("# default"))
        #expect(await bench.run(line + " --effective").output.contains("window = \"0s\"  # default\n"))
        let object = try await bench.run(line + " --effective --json").object()
        let settings = try #require(object["settings"] as? [[String: Any]])
        let listen = settings.first { $0["key"] as? String == "http.listen" }
        #expect(listen?["origin"] as? String == "flag" && listen?["place"] as? String == "--listen")
    }

    @Test func `the file is found by variable, and its absence said with what to do`() async throws {
        let bench = try bench(Self.good)
        let found = await bench.run("config print", environment: ["COUNTERTOP_CONFIG": bench.path("c.toml")])
        #expect(found.status == 0)
        let none = await bench.run("config print", environment: ["XDG_CONFIG_HOME": bench.path("none")])
        #expect(none.status == 78 && none.error.contains("countertop config example"))
    }

    @Test func `another command says the first fault, and how many more there are`() async throws {
        let outcome = try await bench("[counter]\nid = 1\nstate = 2\n").run("config print --config @c.toml")
        #expect(outcome.status == 78)
        #expect(outcome.error.contains("c.toml:1: pass: no pass is asked for; 2 more: see `countertop config check`"))
    }

    @Test func `the example is checked well but for its files`() async throws {
        let bench = try bench(Self.good)
        let example = await bench.run("config example")
        #expect(example.status == 0)
        try bench.write("c.toml", Array(example.output.replacing("club.pem", with: "key.pem").utf8))
        let outcome = await bench.run("config check @c.toml", environment: ["HOME": bench.folder])
        #expect(outcome.status == 0, "\(outcome.output)")
    }
}
