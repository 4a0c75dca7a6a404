// SPDX-License-Identifier: Apache-2.0

import CounterServer
import Foundation
import Logging
import LoyaltyFeed
import ProximityReader
import Testing

@Suite struct ConfigurationTests {
    typealias Bench = ConfigurationBench

    @Test func `the smallest file has the defaults of everything else`() throws {
        let configuration = try Bench.load(Bench.minimal)
        #expect(configuration.counter.id == "c1")
        #expect(configuration.counter.tap == .manual)
        #expect(configuration.counter.mode == .vas)
        #expect(configuration.counter.keepDays == 7)
        #expect(configuration.counter.tenant == "default" && configuration.counter.store == "default")
        #expect(configuration.http.listen == ListenAddress(host: "127.0.0.1", port: 8787))
        #expect(configuration.http.language == "en")
        #expect(configuration.basket.window == .zero)
        #expect(configuration.log.level == .info && configuration.log.format == .text)
        #expect(configuration.sinks.isEmpty)
        #expect(configuration.passes == [.init(id: "pass.com.example.club")])
    }

    static let whole = """
        [counter]
        id = "shop-1_a"
        reader = "emulated:phones/a.json"
        tap = "every 2s"
        state = "/var/lib/c"
        tenant = "acme"
        store = "s7"
        mode = "vasAndPay"
        amount = "12.50"
        currency = "EUR"
        psp_key = "psp.pem"
        keep_days = 30
        [[pass]]
        id = "pass.a"
        key = "a.pem"
        [[pass]]
        id = "pass.b"
        keys = ["b1.pem", "/k/b2.pem"]
        url = "https://example.com/b"
        [http]
        listen = "0.0.0.0:8443"
        token_file = "tokens"
        tls_certificate = "tls.pem"
        tls_key = "tls-key.pem"
        allowed_hosts = ["counter.example.com"]
        language = "de"
        [basket]
        window = "90s"
        [log]
        level = "debug"
        format = "json"
        [[sink]]
        name = "lines"
        type = "jsonl"
        path = "events.jsonl"
        schedule = ["0s", "1s"]
        """

    @Test func `every setting arrives, with whole paths`() throws {
        let configuration = try Bench.load(Self.whole)
        let counter = configuration.counter
        #expect(counter.id == "shop-1_a" && counter.tenant == "acme" && counter.store == "s7")
        guard case .emulated(let file) = counter.reader else {
            Issue.record("the reader is another one")
            return
        }
        #expect(file == "/etc/c/phones/a.json")
        #expect(counter.tap == .every(.seconds(2)) && counter.mode == .vasAndPay && counter.keepDays == 30)
        #expect(counter.amount == Decimal(string: "12.5") && counter.currency == "EUR")
        #expect(counter.pspKey == "/etc/c/psp.pem" && counter.state == "/var/lib/c")
        #expect(configuration.passes[0].keys == ["/etc/c/a.pem"])
        #expect(configuration.passes[1].keys == ["/etc/c/b1.pem", "/k/b2.pem"])
        #expect(configuration.passes[1].url == "https://example.com/b")
        let http = configuration.http
        #expect(http.listen == ListenAddress(host: "0.0.0.0", port: 8443) && http.language == "de")
        #expect(http.tokenFile == "/etc/c/tokens" && http.allowedHosts == ["counter.example.com"])
        #expect(http.tlsCertificate == "/etc/c/tls.pem" && http.tlsKey == "/etc/c/tls-key.pem")
        #expect(configuration.basket.window == .seconds(90))
        #expect(configuration.log.level == .debug && configuration.log.format == .json)
        let sink = try #require(configuration.sinks.first)
        #expect(sink.name == "lines" && sink.type == "jsonl")
        #expect(sink.values["path"] == .string("/etc/c/events.jsonl"))
        #expect(sink.values["schedule"] == .array([.string("0s"), .string("1s")]))
    }

    @Test func `flags stand above the environment, which stands above the file`() throws {
        let text = Bench.minimal + "[http]\nlisten = \"127.0.0.1:1\"\n"
        let environment = ["COUNTERTOP_HTTP_LISTEN": "127.0.0.1:2", "COUNTERTOP_COUNTER_KEEP_DAYS": "9"]
        #expect(try Bench.load(text).http.listen.port == 1)
        let second = try Bench.load(text, environment: environment)
        #expect(second.http.listen.port == 2 && second.counter.keepDays == 9)
        let third = try Bench.load(
            text, environment: environment,
            overrides: [SettingOverride("http.listen", "127.0.0.1:3", flag: "--listen")])
        #expect(third.http.listen.port == 3)
        let origins = Dictionary(uniqueKeysWithValues: third.sources.settings.map { ($0.key, $0.origin) })
        #expect(origins["http.listen"] == .flag("--listen"))
        #expect(origins["counter.keep_days"] == .environment("COUNTERTOP_COUNTER_KEEP_DAYS"))
        #expect(origins["counter.id"] == .file("/etc/c/counter.toml", line: 2, column: 1))
        #expect(origins["log.level"] == .fallback)
    }

    @Test func `lists come from the environment with commas, and an empty variable is none`() throws {
        let environment = [
            "COUNTERTOP_HTTP_ALLOWED_HOSTS": "a.example,b.example", "COUNTERTOP_LOG_LEVEL": "",
            "COUNTERTOP_READER": "pcsc:ACS",
        ]
        let configuration = try Bench.load(Bench.minimal, environment: environment)
        #expect(configuration.http.allowedHosts == ["a.example", "b.example"])
        #expect(configuration.log.level == .info)
        guard case .pcsc("ACS") = configuration.counter.reader else {
            Issue.record("the reader is another one")
            return
        }
    }

    @Test(arguments: [
        (["STATE_DIRECTORY": "/var/lib/countertop:/var/lib/other", "HOME": "/h"], "/var/lib/countertop"),
        (["XDG_STATE_HOME": "/x", "HOME": "/h"], "/x/countertop"),
        (["XDG_STATE_HOME": "relative", "HOME": "/h"], "/h/.local/state/countertop"),
    ])
    func `the state goes where systemd or the desktop says`(environment: [String: String], folder: String) throws {
        let text = Bench.minimal.replacing("state = \"state\"\n", with: "")
        #expect(try Bench.load(text, environment: environment).counter.state == folder)
        #expect(try Bench.load(Bench.minimal, environment: environment).counter.state == "/etc/c/state")
    }

    @Test(arguments: [
        ("500ms", Duration.milliseconds(500)), ("2s", .seconds(2)), ("5m", .seconds(300)), ("1h", .seconds(3600)),
        ("7d", .seconds(604_800)),
    ])
    func `times are texts`(text: String, time: Duration) throws {
        #expect(try Bench.load(Bench.minimal + "[basket]\nwindow = \"\(text)\"").basket.window == time)
        #expect(
            try Bench.load(Bench.minimal.replacing("state =", with: "tap = \"every \(text)\"\nstate =")).counter.tap
                == .every(time))
    }

    @Test func `a provider's key in the environment is for other commands when no card is read`() throws {
        #expect(try Bench.load(Bench.minimal, environment: ["COUNTERTOP_PSP_KEY": "/k"]).counter.mode == .vas)
    }

    @Test func `without a file, flags and environment are enough for a counter that only pays`() throws {
        let environment = [
            "COUNTERTOP_COUNTER_ID": "c9", "COUNTERTOP_COUNTER_MODE": "pay", "COUNTERTOP_COUNTER_AMOUNT": "1.00",
            "COUNTERTOP_COUNTER_CURRENCY": "EUR",
            "COUNTERTOP_PSP_KEY": "/k/psp.pem", "HOME": "/h",
        ]
        let configuration = try CounterConfiguration.load(path: nil, environment: environment)
        #expect(configuration.counter.id == "c9" && configuration.counter.pspKey == "/k/psp.pem")
    }
}
