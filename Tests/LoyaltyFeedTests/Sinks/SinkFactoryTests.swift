// SPDX-License-Identifier: Apache-2.0

import LoyaltyFeed
import TestSupport
import Testing

@Suite struct SinkFactoryTests {
    struct Wrong: Sendable, CustomTestStringConvertible {
        let type: String
        let values: [String: SettingValue]
        let key: String
        var word = ""
        var testDescription: String { "\(type) \(key) \(word)" }
    }

    static let url = SettingValue.string("https://example.com/hook")

    static let wrong: [Wrong] = [
        Wrong(type: "smoke", values: [:], key: "type", word: "no sink of the type"),
        Wrong(type: "webhok", values: [:], key: "type", word: "no sink of the type"),
        Wrong(type: "jsonl", values: [:], key: "path", word: "needs it"),
        Wrong(type: "jsonl", values: ["path": .integer(1)], key: "path", word: "a text in quotes"),
        Wrong(type: "jsonl", values: ["path": .string("")], key: "path", word: "empty"),
        Wrong(type: "jsonl", values: ["path": .string("-"), "paht": .string("x")], key: "paht", word: "no such key"),
        Wrong(
            type: "jsonl", values: ["path": .string("-"), "schedule": .array([.string("soon")])], key: "schedule",
            word: "no time such as"),
        Wrong(type: "webhook", values: ["url": url], key: "secret_file", word: "needs it"),
        Wrong(
            type: "webhook", values: ["url": url, "secret_file": .string("short")], key: "secret_file", word: "24 to 64"
        ),
        Wrong(
            type: "webhook", values: ["url": url, "secret_file": .string("long")], key: "secret_file", word: "24 to 64"),
        Wrong(
            type: "webhook", values: ["url": url, "secret_file": .string("none")], key: "secret_file", word: "no secret"
        ),
        Wrong(
            type: "webhook", values: ["url": url, "secret_file": .string("other")], key: "secret_file",
            word: "begins with"),
        Wrong(
            type: "webhook", values: ["url": url, "secret_file": .string("gone")], key: "secret_file",
            word: "cannot be read"),
        Wrong(
            type: "webhook", values: ["url": .string("http://example.com/"), "secret_file": .string("good")],
            key: "url",
            word: "https://"),
        Wrong(
            type: "webhook", values: ["url": .string("ftp://example.com/"), "secret_file": .string("good")], key: "url",
            word: "https:// or http://"),
        Wrong(
            type: "webhook", values: ["url": .string("https://me:hush@example.com/"), "secret_file": .string("good")],
            key: "url", word: "user name"),
        Wrong(
            type: "webhook", values: ["url": .string("https://exa mple.com/"), "secret_file": .string("good")],
            key: "url", word: "blanks"),
        Wrong(
            type: "webhook", values: ["url": .string("example.com"), "secret_file": .string("good")], key: "url",
            word: "no URL"),
        Wrong(
            type: "webhook", values: ["url": url, "secret_file": .string("good"), "timeout": .string("1h")],
            key: "timeout", word: "2m"),
        Wrong(
            type: "webhook",
            values: ["url": url, "secret_file": .string("good"), "headers": .table(["webhook-id": .string("1")])],
            key: "headers", word: "webhook-id"),
        Wrong(
            type: "webhook",
            values: ["url": url, "secret_file": .string("good"), "headers": .table(["x": .string("a\r\nb: c")])],
            key: "headers", word: "characters"),
        Wrong(
            type: "webhook",
            values: ["url": url, "secret_file": .string("good"), "ca_file": .string("good")], key: "ca_file",
            word: "no certificates"),
    ]

    private func settled(_ values: [String: SettingValue], _ folder: TemporaryFolder) throws -> [String: SettingValue] {
        let files = [
            "short": "whsec_AAAA", "long": "whsec_" + String(repeating: "AAAA", count: 22), "none": "# nothing\n\n",
            "other": "hush-hush", "good": testSecret,
        ]
        for (name, text) in files { try folder.write(name, text) }
        return values.mapValues { value in
            if case .string(let text) = value, files[text] != nil { .string(folder.path(text)) } else { value }
        }
    }

    @Test(arguments: wrong) func `a wrong table is refused with its key`(_ example: Wrong) throws {
        let folder = try TemporaryFolder()
        let values = try settled(example.values, folder)
        let error = #expect(throws: SettingError.self) { try makeSink(example.type, values) }
        #expect(error?.key == example.key)
        #expect(error?.reason.contains(example.word) == true, "\(String(describing: error))")
        for secret in ["hush", "AAAA"] {
            #expect(error?.reason.contains(secret) == false && error?.hint?.contains(secret) != true)
        }
    }

    @Test func `names are plain words`() {
        for name in ["", "a b", "über", String(repeating: "x", count: 65), "a/b"] {
            #expect(throws: SettingError.self) { try makeSink("jsonl", ["path": .string("-")], name: name) }
        }
    }

    @Test func `the minimal webhook of a loopback receiver needs two keys`() throws {
        let folder = try TemporaryFolder()
        let file = SettingValue.string(try folder.write("s", testSecret))
        for url in ["http://127.0.0.1:9000/", "http://localhost:9000/", "http://[::1]:9000/"] {
            #expect(try makeSink("webhook", ["url": .string(url), "secret_file": file]).name == "shop")
        }
    }

    @Test func `a type that is nearly right gets a hint`() {
        let error = #expect(throws: SettingError.self) { try makeSink("webhok", [:]) }
        #expect(error?.hint == "did you mean \"webhook\"?")
    }

    @Test func `every type says what it is, and where that is written`() {
        var names: Set<String> = []
        for type in SinkFactory.types {
            #expect(names.insert(type.name).inserted)
            #expect(!type.help.isEmpty && !type.source.isEmpty && !type.help.contains("\n"))
            var keys = Set(["name", "type"])
            for setting in SinkFactory.common + type.settings {
                #expect(keys.insert(setting.key).inserted, "\(type.name) has \(setting.key) twice")
                #expect(!setting.help.isEmpty && !setting.kind.name.isEmpty)
                if let fallback = setting.fallback { #expect(setting.kind.fault(fallback) == nil, "\(setting.key)") }
                #expect(!(setting.isRequired && setting.fallback != nil))
            }
        }
    }

    @Test func `a schedule of one's own`() throws {
        let table = SinkTable(
            name: "a", type: "jsonl", values: ["schedule": .array([.string("0s"), .string("500ms"), .string("2h")])])
        #expect(try SinkFactory.schedule(table) == [.zero, .milliseconds(500), .seconds(7200)])
        #expect(try SinkFactory.schedule(SinkTable(name: "a", type: "jsonl", values: [:])) == nil)
    }

    @Test(arguments: [
        ("0s", 0), ("15s", 15_000), ("250ms", 250), ("5m", 300_000), ("2h", 7_200_000), ("3d", 259_200_000),
    ]) func `times are read and written`(_ text: String, _ milliseconds: Int64) {
        #expect(SettingDuration.parse(text) == .milliseconds(milliseconds))
        #expect(SettingDuration.text(.milliseconds(milliseconds)) == text)
    }

    @Test(arguments: ["", "5", "s", "-5s", "5 s", "1.5s", "99999999999999999999s", "9223372036854775807d", "5w", "٥s"])
    func `what is no time`(_ text: String) { #expect(SettingDuration.parse(text) == nil) }
}
