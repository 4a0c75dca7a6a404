// SPDX-License-Identifier: Apache-2.0

import CounterServer
import LoyaltyFeed
import ProximityReader
import Testing

@Suite struct ConfigurationTextTests {
    typealias Bench = ConfigurationBench

    @Test func `what is printed reads as the same configuration`() throws {
        let first = try Bench.load(ConfigurationTests.whole)
        let second = try Bench.load(first.toml(effective: true))
        #expect(second.sources.settings.map(\.key).sorted() == first.sources.settings.map(\.key).sorted())
        let values = Dictionary(uniqueKeysWithValues: second.sources.settings.map { ($0.key, $0.value) })
        for setting in first.sources.settings { #expect(values[setting.key] == setting.value, "\(setting.key)") }
    }

    @Test func `each value has its origin, and defaults only when asked for`() throws {
        let configuration = try Bench.load(Bench.minimal, environment: ["COUNTERTOP_LOG_LEVEL": "debug"])
        let short = configuration.toml(effective: false)
        #expect(short.contains("id = \"c1\"  # /etc/c/counter.toml:2:1\n"))
        #expect(short.contains("[log]\nlevel = \"debug\"  # COUNTERTOP_LOG_LEVEL\n"))
        #expect(!short.contains("keep_days"))
        #expect(configuration.toml(effective: true).contains("keep_days = 7  # default\n"))
    }

    @Test func `what may be a secret is masked`() throws {
        var configuration = try Bench.load(Bench.minimal)
        #expect(configuration.maskedSettings(effective: true).count > 8)
        let text = """
            [[sink]]
            name = "a"
            type = "jsonl"
            path = "https://h.example/p?key=c2VjcmV0"
            """
        configuration = try Bench.load(Bench.minimal + text)
        #expect(configuration.toml(effective: true).contains("/p?***\""))
        #expect(!configuration.toml(effective: true).contains("c2VjcmV0"))
    }

    @Test func `texts of any characters survive`() throws {
        let text = Bench.minimal.replacing("phone.json", with: #"/a\"b\\c\td\u007Fé😀#"#)
        let again = try Bench.load(try Bench.load(text).toml(effective: false))
        var file: String?
        if case .emulated(file: let name) = again.counter.reader { file = name }
        #expect(file == "/a\"b\\c\td\u{7F}é😀#")
    }

    @Test func `the example is a configuration, and names every key`() throws {
        let example = CounterConfiguration.example()
        let configuration = try Bench.load(example, environment: ["HOME": "/h"])
        #expect(configuration.counter.id == "c1" && configuration.sinks.count == 1)
        for table in ConfigurationTable.all {
            for setting in table.settings + SinkFactory.common {
                #expect(example.contains("\(setting.key) = "), "\(setting.key)")
            }
        }
        for type in SinkFactory.types { #expect(example.contains("# type = \"\(type.name)\"")) }
        let uncommented = example.split(separator: "\n").filter { !$0.hasPrefix("#   ") && !$0.hasPrefix("# type") }
        #expect(uncommented.allSatisfy { $0.utf8.count <= 140 })
    }

    @Test func `every table of which there is one can come from the environment`() {
        #expect(ConfigurationTable.all.filter(\.isList).map(\.name) == ["pass", "sink"])
        let http = ConfigurationTable.all.first { $0.name == "http" }
        #expect(http?.variable(for: "listen") == "COUNTERTOP_HTTP_LISTEN")
        #expect(ConfigurationTable.all.first?.variable(for: "reader") == "COUNTERTOP_READER")
        #expect(ConfigurationTable.all.first(where: \.isList)?.variable(for: "id") == nil)
    }
}
