// SPDX-License-Identifier: Apache-2.0

import CounterServer
import LoyaltyFeed
import Testing

@Suite struct ConfigurationErrorTests {
    typealias Bench = ConfigurationBench

    struct Fault: Sendable, CustomTestStringConvertible {
        let lines: String
        let fault: String
        var testDescription: String { fault }
    }

    /// Appended to the smallest configuration, which has six lines: the first line here is line 7.
    static let faults = [
        Fault(
            lines: "[http]\nlisten = 5", fault: "c.toml:8:1: http.listen: must be a text in quotes, not a whole number"),
        Fault(
            lines: "[http]\n  listen = \"nowhere\"",
            fault: "c.toml:8:3: http.listen: must be such as \"127.0.0.1:8787\", \"[::1]:8787\" or \"localhost:0\""),
        Fault(
            lines: "[http]\nallowed_hosts = [\"counter.example\", \"https://counter.example\"]",
            fault: "c.toml:8:1: http.allowed_hosts: must be names such as"),
        Fault(lines: "[http]\nlanguage = \"fr\"", fault: "c.toml:8:1: http.language: must be one of en, de"),
        Fault(lines: "[htpp]", fault: "c.toml:7:1: htpp: there is no such table or key"),
        Fault(lines: "[http]\nlisten_to = \"x\"", fault: "c.toml:8:1: http.listen_to: [http] has no such key"),
        Fault(lines: "[log]\nlevel = \"loud\"", fault: "c.toml:8:1: log.level: must be one of"),
        Fault(lines: "[basket]\nwindow = \"soon\"", fault: "c.toml:8:1: basket.window: \"soon\" is no time"),
        Fault(lines: "[basket]\nwindow = 2026-01-01", fault: "c.toml:8:1: basket.window: no setting is a date"),
        Fault(lines: "[[pass]]\nurl = \"https://a.example\"", fault: "c.toml:7:1: pass[1].id: is missing"),
        Fault(lines: "[[pass]]\nid = \"pass.com.example.club\"", fault: "c.toml:8:1: pass[1].id: there is another"),
        Fault(
            lines: "[[pass]]\nid = \"a\"\nkey = \"k\"\nkeys = [\"l\"]", fault: "c.toml:10:1: pass[1].keys: key and keys"
        ),
        Fault(lines: "[[pass]]\nid = \"a\"\nurl = \"ftp://x\"", fault: "c.toml:9:1: pass[1].url: must be an http"),
        Fault(lines: "[[sink]]\nname = \"a\"", fault: "c.toml:7:1: sink[0].type: is missing"),
        Fault(
            lines: "[[sink]]\nname = \"a\"\ntype = \"jsonk\"\nurl = 1",
            fault: "c.toml:9:1: sink[0].type: there is no such type"),
        Fault(lines: "[[sink]]\nname = \"a\"\ntype = \"jsonl\"", fault: "c.toml:7:1: sink[0].path: is missing"),
        Fault(
            lines: "[[sink]]\nname = \"a\"\ntype = \"jsonl\"\npath = \"x\"\npaht = \"y\"",
            fault: "c.toml:11:1: sink[0].paht: [[sink]] has no such key"),
        Fault(
            lines: "[[sink]]\nname = \"a b\"\ntype = \"jsonl\"\npath = \"-\"",
            fault: "c.toml:8:1: sink[0].name: must be 1 to 64"),
        Fault(
            lines: "[http]\nlisten = \"0.0.0.0:1\"", fault: "c.toml:7:1: http.token_file: is missing: others can reach"),
        Fault(
            lines: "[http]\ntls_key = \"k\"", fault: "c.toml:7:1: http.tls_certificate: is missing: certificate and key"
        ),
        Fault(
            lines: "[http]\ntls_certificate = \"k\"", fault: "c.toml:7:1: http.tls_key: is missing: certificate and key"
        ),
        Fault(lines: "[http]\nlisten = \"127.0.0.1:1\"\nlisten = \"127.0.0.1:2\"", fault: "c.toml:9:"),
        Fault(lines: "pass = 1", fault: "c.toml:7:1: pass[0].pass: [[pass]] has no such key"),
        Fault(lines: "[http\n", fault: "c.toml:7:"),
        Fault(lines: "[log]\nlevel = \"info", fault: "c.toml:8:"),
        Fault(lines: "http = []", fault: "c.toml:7:1: pass[0].http: [[pass]] has no such key"),
    ]

    @Test(arguments: faults) func `a fault names file, line, key and reason`(fault: Fault) throws {
        let found = Bench.faults(Bench.minimal + fault.lines)
        #expect(found.first?.hasPrefix(fault.fault) ?? false, "\(found)")
    }

    @Test(arguments: [
        ("id = \"c1\"", "id = \"c 1\"", "c.toml:2:1: counter.id: must be 1 to 64 letters"),
        ("id = \"c1\"\n", "", "c.toml:1:1: counter.id: is missing"),
        ("reader = \"emulated:phone.json\"", "reader = \"usb\"", "c.toml:3:1: counter.reader: must be pcsc"),
        ("reader = \"emulated:phone.json\"", "tap = \"every 2s\"", "c.toml:3:1: counter.tap: only an emulated"),
        ("state = \"state\"", "tap = \"every 0s\"", "c.toml:4:1: counter.tap: must be \"manual\""),
        ("state = \"state\"", "mode = \"pay\"\nstate = \"s\"", "c.toml:1:1: counter.amount: is missing: mode pay"),
        ("state = \"state\"", "amount = \"1.00\"\nstate = \"s\"", "c.toml:4:1: counter.amount: mode vas reads no"),
        ("state = \"state\"", "amount = \"1,00\"\nstate = \"s\"", "c.toml:4:1: counter.amount: must be an amount"),
        ("state = \"state\"", "keep_days = 0\nstate = \"s\"", "c.toml:4:1: counter.keep_days: must be 1 to 3650"),
        ("state = \"state\"", "", "c.toml:1:1: counter.state: is missing"),
        ("[[pass]]\nid = \"pass.com.example.club\"\n", "", "c.toml:1: pass: no pass is asked for"),
        ("[[pass]]", "[pass]", "c.toml:5:1: pass: must be written [[pass]]"),
        ("[counter]", "counter = 1\n[x]", "c.toml:1:1: counter: must be a table"),
    ])
    func `the counter's own table is checked`(old: String, new: String, fault: String) {
        let found = Bench.faults(Bench.minimal.replacing(old, with: new))
        #expect(found.contains { $0.hasPrefix(fault) }, "\(found)")
    }

    @Test func `everything is said at once, by line`() {
        let text = """
            [counter]
            id = "?"
            raeder = "pcsc"
            state = "s"
            [http]
            listen = 1
            [[sink]]
            name = "a"
            type = "jsonl"
            [log]
            level = 2
            """
        let lines = Bench.faults(text).map { $0.split(separator: ":").dropFirst().first.map(String.init) ?? "" }
        #expect(lines == ["1", "2", "3", "6", "7", "11"])
    }

    @Test(arguments: [
        ("[http]\nlisen = \"x\"", "did you mean listen?"), ("[lgo]", "did you mean [log]?"),
        ("[http]\nkeep_days = 1", "it belongs into [counter]"),
        ("[[sink]]\nname=\"a\"\ntype=\"jsnol\"", "did you mean \"jsonl\"?"),
        ("[log]\nxyzzy = 1", "[log] has level, format"),
        ("[[sink]]\nname=\"a\"\ntype=\"jsonl\"\npath=\"-\"\nshedule=[]", "did you mean schedule?"),
    ])
    func `a hint names what was meant`(lines: String, hint: String) {
        #expect(Bench.hints(Bench.minimal + lines).contains(hint), "\(Bench.hints(Bench.minimal + lines))")
    }

    @Test(arguments: [
        ("[[sink]]\nname=\"a\"\ntype=\"jsonl\"\npath=\"-\"\nsecret = \"whsec_c2VjcmV0\"", "sink[0].secret"),
        ("[[sink]]\nname=\"a\"\ntype=\"jsonl\"\npath=\"whsec_c2VjcmV0\"", "sink[0].path"),
        (
            "[[sink]]\nname=\"a\"\ntype=\"unknown\"\nheaders = { Authorization = \"Bearer c2VjcmV0\" }",
            "sink[0].headers"
        ),
        ("[[sink]]\nname=\"a\"\ntype=\"unknown\"\nurl = \"nats://user:c2VjcmV0@example.com\"", "sink[0].url"),
        ("[http]\ntoken = \"c2VjcmV0\"", "http.token"), ("[http]\npassword = \"c2VjcmV0\"", "http.password"),
        ("[http]\ntls_key = \"-----BEGIN PRIVATE_ KEY-----c2VjcmV0\"", "http.tls_key"),
    ])
    func `a secret in the file is refused and not said again`(lines: String, key: String) throws {
        do {
            // Whole, it would be found in the names of tests.
            _ = try Bench.load(Bench.minimal + lines.replacing("PRIVATE_", with: "PRIVATE"))
            Issue.record("nothing was wrong")
        } catch {
            let problem = try #require(error.problems.first { $0.code == .inlineSecret })
            #expect(problem.key == key && problem.reason == "a secret must not stand in this file")
            #expect(problem.hint?.contains("chmod 600") ?? false)
            #expect(!"\(error)".contains("c2VjcmV0"))
        }
    }

    @Test func `the hint for a secret names the key for its file`() {
        #expect(Bench.hints(Bench.minimal + "[http]\ntoken = \"x\"").contains { $0.contains("token_file") })
    }

    @Test func `a template that takes the secret from elsewhere is no secret`() {
        let lines = "[[sink]]\nname=\"a\"\ntype=\"unknown\"\nheaders = { Authorization = \"Bearer {{secret}}\" }"
        #expect(Bench.faults(Bench.minimal + lines).map { $0.contains("secret must not") } == [false])
    }

    @Test func `a fault from outside the file names the flag or the variable`() {
        let variable = Bench.faults(Bench.minimal, environment: ["COUNTERTOP_HTTP_LISTEN": "x"])
        #expect(variable.first?.hasPrefix("COUNTERTOP_HTTP_LISTEN: http.listen: must be") ?? false)
        let flag = Bench.faults(Bench.minimal, overrides: [SettingOverride("log.level", "x", flag: "--log-level")])
        #expect(flag.first?.hasPrefix("--log-level: log.level: must be one of") ?? false)
    }

    @Test func `a variable that no setting has is said, and those of other commands are left alone`() {
        let environment = ["COUNTERTOP_HTTP_LISEN": "x", "COUNTERTOP_STORE": "/s", "COUNTERTOP_COUNTRY": "276"]
        #expect(
            Bench.faults(Bench.minimal, environment: environment)
                == ["COUNTERTOP_HTTP_LISEN: there is no such variable"])
    }

    @Test func `a file that is not there is said with its name`() {
        #expect {
            try CounterConfiguration.load(path: "/none/c.toml", environment: [:])
        } throws: { "\($0)".hasPrefix("/none/c.toml: /none/c.toml cannot be read") }
    }
}
