// SPDX-License-Identifier: Apache-2.0

import CardTesting
import CounterServer
import Testing

/// Any bytes give a configuration or an error with a place; never a trap, never a long time.
@Suite struct HostileConfigurationTests {
    typealias Bench = ConfigurationBench

    private func fault(_ bytes: [UInt8]) -> String? {
        do {
            _ = try CounterConfiguration.parse(bytes, file: "c.toml")
            return nil
        } catch { return "\(error)" }
    }

    static let documents: [(name: String, text: String, fault: String)] = [
        ("nothing", "", "c.toml:1: counter.id: is missing"),
        ("brackets", "a = " + String(repeating: "[", count: 100_000), "c.toml:1:37: values nest at most 32 deep"),
        ("tables", "a = " + String(repeating: "{a=", count: 100_000), "c.toml:1:101: values nest at most 32 deep"),
        (
            "a name of many parts", String(repeating: "a.", count: 200_000) + "a = 1",
            "c.toml:1:34: a name has at most 16 parts"
        ),
        (
            "a header of many parts", "[" + String(repeating: "a.", count: 200_000) + "a]",
            "c.toml:1:35: a name has at most 16 parts"
        ),
        ("a text without an end", "a = \"" + String(repeating: "x", count: 500_000), "c.toml:1:"),
        ("a long text without an end", "a = \"\"\"\n" + String(repeating: "x\n", count: 200_000), "c.toml:"),
        ("a number out of range", "[counter]\nkeep_days = 99999999999999999999999", "c.toml:2:"),
        ("a date that is none", "a = 2026-99-99", "c.toml:1:"),
        ("a surrogate", "a = \"\\uD800\"", "c.toml:1:"),
        ("a table twice", "[counter]\n[counter]", "c.toml:2:"),
        ("a value as a table", "counter = 1\n[counter.x]", "c.toml:2:"),
        ("a carriage return", "a = 1\rb = 2", "c.toml:1:"),
        ("a NUL", "[counter]\nid = \"a\u{0}b\"", "c.toml:2:8: a NUL is no character"),
        ("an escaped NUL", "[counter]\nid = \"a\\u0000b\"", "c.toml:2:8: a text cannot hold a NUL"),
    ]

    @Test(arguments: documents.indices) func `a hostile document gives a fault with a place`(index: Int) {
        let (name, text, expected) = Self.documents[index]
        let found = fault(Array(text.utf8))
        #expect(found?.hasPrefix(expected) ?? false, "\(name): \(found?.prefix(200) ?? "no fault")")
    }

    @Test func `many keys and many tables take no long time`() {
        let keys = (0..<5_000).map { "k\($0) = \($0)\n" }.joined()
        let tables = String(repeating: "[[pass]]\nid = \"a\"\n", count: 1_000)
        let clock = ContinuousClock()
        let time = clock.measure {
            #expect(fault(Array(("[counter]\n" + keys).utf8)) != nil)
            #expect(fault(Array(tables.utf8)) != nil)
        }
        #expect(time < .seconds(30))
    }

    @Test func `a file beyond the limit is refused`() {
        let bytes = [UInt8](repeating: UInt8(ascii: "\n"), count: (1 << 20) + 1)
        #expect(fault(bytes) == "c.toml: a configuration has at most 1 MiB")
    }

    @Test func `bytes that are no UTF-8 are said with their place`() {
        let found = fault(Array("[counter]\nid = \"é".utf8) + [0xFF, 0x22])
        #expect(found?.hasPrefix("c.toml:2:8: this is not UTF-8") ?? false, "\(found ?? "")")
    }

    @Test func `random bytes and changed documents never trap`() {
        var random = SeededRandom(seed: 5)
        let seeds = [Array(ConfigurationTests.whole.utf8), Array(CounterConfiguration.example().utf8)]
        for round in 0..<600 {
            _ = fault(random.mutate(seeds[round % 2]))
            let count = Int.random(in: 0...80, using: &random)
            _ = fault((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
        }
    }
}
