// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What each command prints with `--json` is what JSON.md says it prints: every member is named there, in the section
/// of its command.
@Suite struct JSONDocumentTests {
    /// The page, by section.
    static let sections: [String: String] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/CountertopCommands/CountertopCommands.docc/JSON.md")
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [:] }
        var sections: [String: String] = [:]
        for part in text.components(separatedBy: "\n## ").dropFirst() {
            let title = part.prefix { $0 != "\n" }
            for name in title.split(separator: ",") {
                sections[name.trimmingCharacters(in: .whitespaces)] = String(part.dropFirst(title.count))
            }
        }
        return sections
    }()

    /// Members of every object in a value, but not those of objects whose members are data.
    private func members(_ value: Any, open: Set<String> = ["tlv", "header"]) -> Set<String> {
        switch value {
        case let list as [Any]: list.reduce(into: []) { $0.formUnion(members($1, open: open)) }
        case let object as [String: Any]:
            object.reduce(into: Set(object.keys)) { result, member in
                let isData = open.contains(member.key) && member.value is [String: Any]
                if !isData { result.formUnion(members(member.value, open: open)) }
            }
        default: []
        }
    }

    struct Page: Sendable, CustomTestStringConvertible {
        let section: String
        let line: String
        var status: Int32 = 0
        // What is decoded may be a card.
        var testDescription: String { "\(section): \(line.prefix(24))" }
    }

    static let read = "--pass \(Bench.passID) --key @key.pem --reader emulated:@phone.json --json"
    static let amount = "--amount 12.50 --currency EUR --psp-key @psp-public.pem --json"

    static let pages = [
        Page(section: "read", line: "read \(read) --max-age 60"),
        Page(section: "read", line: "read --key @other.pem \(read)"),
        Page(section: "replay", line: "replay @tap.apdu --pass \(Bench.passID) --key @key.pem --json"),
        Page(section: "record", line: "record \(read) --output @second.apdu"),
        Page(section: "decrypt", line: "decrypt --pass \(Bench.passID) --key @key.pem --max-age 60 --json HEX"),
        Page(section: "verify-pass", line: "verify-pass @not.json --json", status: 1),
        Page(
            section: "decode", line: "decode 6F1D50084170706C655061799F210201009F2404010203049F23040000001E9000 --json"),
        Page(section: "decode", line: "decode 00A404000A4F53452E5641532E303100 --json"),
        Page(section: "decode", line: "decode \(DecodeTests.list) --json"),
        Page(section: "decode", line: "decode \(DecodeTests.visa) --json"),
        Page(section: "decode", line: "decode \(DecodeTests.options) --json"),
        Page(section: "decode", line: "decode 0801010010010301 --as afl --json"),
        Page(section: "decode", line: "decode 000186A0000003E842031E031F03 --as cvm --json"),
        Page(section: "key", line: "key show @key.pem --json"),
        Page(section: "key", line: "key new --output @n.pem --json"),
        Page(section: "token", line: "token --key @key.pem --json"),
        Page(section: "conditions", line: "conditions --json"),
        Page(section: "apdu", line: "apdu 00A404000A4F53452E5641532E303100=9000 --reader emulated:@phone.json --json"),
        Page(section: "trace show", line: "trace show @tap.apdu --json"),
        Page(section: "trace diff", line: "trace diff @tap.apdu @tap.apdu --json"),
        Page(section: "pay", line: "pay \(amount) --pass \(Bench.passID) --key @key.pem --reader emulated:@both.json"),
        Page(section: "pay", line: "pay \(amount) --reader emulated:@refused.json", status: 1),
        Page(section: "replay --pay", line: "replay @paid.apdu --pay --json"),
        Page(section: "psp open", line: "psp open --key @psp.pem --json SEALED"),
        Page(section: "psp key", line: "psp key --private @c.pem --public @d.pem --json"),
        Page(section: "profile list", line: "profile list --json"),
        Page(section: "profile check", line: "profile check @not.json --json", status: 1),
        Page(
            section: "provision", line: "provision --issuer http://127.0.0.1:1 --profile tmp --card a --json",
            status: 1),
        Page(section: "config check", line: "config check @not.json --json", status: 78),
        Page(section: "config print", line: "config print --config @counter.toml --effective --json"),
        Page(section: "sink types", line: "sink types --json"),
        Page(section: "sink list", line: "sink list --config @sinks.toml --json"),
        Page(section: "sink test", line: "sink test file --config @sinks.toml --json"),
        Page(section: "sink test", line: "sink test gone --config @sinks.toml --json", status: 1),
        Page(section: "Rules", line: "key show @none.pem --json", status: 66),
        Page(section: "Rules", line: "key show @open.pem --json", status: 65),
    ]

    @Test(arguments: pages) func isDescribed(_ page: Page) async throws {
        try await check(page, try Bench())
    }

    private func check(_ page: Page, _ bench: Bench) async throws {
        let record = "record --pass \(Bench.passID) --reader emulated:@phone.json --output @tap.apdu"
        #expect(await bench.run(record).status == 0)
        try await bench.makeProvider()
        try bench.write("counter.toml", Array(ConfigCommandTests.good.utf8))
        try bench.wallet("both.json", card: "\"network\":\"visa\"", pass: true)
        try bench.wallet("refused.json", plastic: "\"network\":\"visa\",\"statusWords\":{\"gpo\":\"6985\"}")
        try bench.write(
            "sinks.toml",
            Array(
                """
                [counter]
                id = "c1"
                reader = "emulated:phone.json"
                state = "state"
                [[pass]]
                id = "\(Bench.passID)"
                key = "key.pem"
                [[sink]]
                name = "file"
                type = "jsonl"
                path = "events.jsonl"
                [[sink]]
                name = "gone"
                type = "jsonl"
                path = "no/such/folder/events.jsonl"
                """.utf8))
        let paid = await bench.pay("both.json", "--trace @paid.apdu")
        let sealed = try paid.member("payment")?["paymentCardData"] as? String ?? ""
        let data = page.line.contains("HEX") ? try await bench.data() : ""
        let outcome = await bench.run(page.line.replacing("HEX", with: data).replacing("SEALED", with: sealed))
        #expect(outcome.status == page.status || page.status == 65, "\(outcome.error)")
        let text = try #require(Self.sections[page.section], "JSON.md has no section for \(page.section)")
        for name in members(try outcome.object()).sorted() {
            let isNamed = text.contains("\"\(name)\"") || text.contains("`\(name)`")
            // What a result holds of a pass is described with `read`.
            let isOfRead = text.contains("what `read` prints") && Self.sections["read"]?.contains("`\(name)`") == true
            #expect(isNamed || isOfRead, "JSON.md, \(page.section), does not name \(name)")
        }
    }
}
