// SPDX-License-Identifier: Apache-2.0

import CountertopCommands
import Foundation
import Testing

/// Wallet files for payments, and what `pay` brings from them.
extension Bench {
    /// Makes the provider's key once.
    func makeProvider() async throws {
        let outcome = await run("psp key --private @psp.pem --public @psp-public.pem --quiet")
        try #require(outcome.status == 0, "\(outcome.error)")
    }

    /// A phone with the bench's pass, a payment card, or both; or a plastic card.
    func wallet(_ name: String, card: String? = nil, pass: Bool = false, plastic: String? = nil, extra: String = "")
        throws
    {
        if let plastic { return try write(name, Array("{\(extra)\"plastic\":{\(plastic)}}".utf8)) }
        let nfc = "{\"message\":\"\(Self.message)\",\"encryptionPublicKey\":\"\(encryptionPublicKey)\"}"
        let passes = pass ? "{\"passTypeIdentifier\":\"\(Self.passID)\",\"nfc\":\(nfc)}" : ""
        let payment = card.map { ",\"paymentCard\":{\($0)}" } ?? ""
        try write(name, Array("{\(extra)\"passes\":[\(passes)]\(payment)}".utf8))
    }

    /// `pay` of 12.50 EUR at a wallet file.
    func pay(_ file: String, _ extra: String = "") async -> Outcome {
        await run(
            "pay --amount 12.50 --currency EUR --psp-key @psp-public.pem --reader emulated:@\(file) --json \(extra)")
    }
}

extension Outcome {
    /// A member of the result that is an object.
    func member(_ name: String) throws -> [String: Any]? { try object()[name] as? [String: Any] }
    var events: [String] { (try? object()["events"] as? [String]) ?? [] }
}

@Suite struct PaymentTests {
    static let visa = "\"network\":\"visa\""
    static let withPass = "--pass \(Bench.passID) --key @key.pem"
    static let goodRead = ["readyForTap", "cardDetected", "removeCard", "readCompleted", "userInterfaceDismissed"]

    private func bench() async throws -> Bench {
        let bench = try Bench()
        try await bench.makeProvider()
        try bench.wallet("both.json", card: "\(Self.visa),\"armed\":true", pass: true)
        try bench.wallet("pass.json", pass: true)
        try bench.wallet("card.json", card: "\(Self.visa),\"armed\":true")
        try bench.wallet("plastic.json", plastic: Self.visa)
        return bench
    }

    /// One row of sheet 2.1: what is presented, and what comes back.
    struct Row: Sendable, CustomTestStringConvertible {
        let stops: Bool
        let file: String
        let payment: Bool
        let pass: Bool
        var testDescription: String { "\(stops ? "stops on a pass" : "both"), \(file)" }
    }

    static let rows = [
        Row(stops: true, file: "both.json", payment: false, pass: true),
        Row(stops: true, file: "pass.json", payment: false, pass: true),
        Row(stops: true, file: "plastic.json", payment: true, pass: false),
        Row(stops: true, file: "card.json", payment: true, pass: false),
        Row(stops: false, file: "both.json", payment: true, pass: true),
        Row(stops: false, file: "pass.json", payment: false, pass: true),
        Row(stops: false, file: "plastic.json", payment: true, pass: false),
        Row(stops: false, file: "card.json", payment: true, pass: false),
    ]

    @Test(arguments: rows) func oneTap(_ row: Row) async throws {
        let bench = try await bench()
        let outcome = await bench.pay(row.file, Self.withPass + (row.stops ? " --stop-on-pass" : ""))
        #expect(outcome.status == 0, "\(outcome.error)")
        let (payment, vas) = (try outcome.member("payment"), try outcome.member("vas"))
        #expect((payment != nil) == row.payment && (vas != nil) == row.pass)
        #expect(outcome.events == Self.goodRead, "\(outcome.events)")
        #expect(Set(try outcome.object().keys) == ["payment", "vas", "events"])
        if let payment { try expectRead(payment) }
        if let vas {
            let entry = try #require((vas["entries"] as? [[String: Any]])?.first)
            #expect(entry["message"] as? String == Bench.message && entry["status"] as? String == "success")
        }
    }

    private func expectRead(_ payment: [String: Any]) throws {
        let members: Set = [
            "id", "outcome", "paymentCardData", "generalCardData", "applicationTypeIdentifier", "reason",
        ]
        #expect(Set(payment.keys) == members)
        #expect(payment["outcome"] as? String == "success" && payment["id"] is String)
        for name in ["paymentCardData", "generalCardData"] {
            #expect(Data(base64Encoded: try #require(payment[name] as? String)) != nil)
        }
        #expect((payment["reason"] as? String)?.isEmpty == false)
    }

    /// What a wallet file or an option makes of a read that throws.
    struct Failing: Sendable, CustomTestStringConvertible {
        var wallet = ""
        var extra = ""
        var options = ""
        let status: Int32
        let code: String
        var events: [String]?
        var testDescription: String { "\(code) \(wallet) \(options)" }
    }

    static let failing = [
        Failing(wallet: "\(visa),\"cryptogram\":\"AAC\"", status: 1, code: "paymentCardDeclined"),
        Failing(wallet: "\(visa),\"statusWords\":{\"ppse\":\"6A82\"}", status: 1, code: "cardReadFailed"),
        Failing(wallet: "\(visa),\"statusWords\":{\"select\":\"6283\"}", status: 1, code: "cardReadFailed"),
        Failing(wallet: "\(visa),\"statusWords\":{\"gpo\":\"6985\"}", status: 1, code: "cardReadFailed"),
        Failing(
            wallet: "\"network\":\"mastercard\",\"statusWords\":{\"generateAC\":\"6985\"}", status: 1,
            code: "cardReadFailed"),
        Failing(extra: "\"leavesFieldAt\":3,", status: 75, code: "cardReadFailed"),
        Failing(options: "--conditions nfcDisabled", status: 77, code: "nfcDisabled"),
        Failing(options: "--conditions cardNotSupported", status: 1, code: "cardNotSupported"),
        Failing(options: "--amount 0", status: 64, code: "invalidAmount", events: []),
        Failing(options: "--amount -1", status: 64, code: "invalidAmount", events: []),
        Failing(options: "--amount 12345678901", status: 64, code: "invalidAmount", events: []),
        Failing(options: "--currency EURO", status: 64, code: "invalidCurrencyCode", events: []),
        Failing(options: "--preferred-aid A000", status: 64, code: "invalidPreferredAID", events: []),
    ]

    @Test(arguments: failing) func fails(_ failing: Failing) async throws {
        let bench = try await bench()
        let card = failing.wallet.isEmpty ? Self.visa : failing.wallet
        try bench.wallet("card.json", plastic: card, extra: failing.extra)
        let outcome = await bench.pay("card.json", failing.options)
        #expect(outcome.status == failing.status, "\(outcome.error)")
        let object = try outcome.object()
        #expect(object["code"] as? String == failing.code && object["error"] is String, "\(outcome.output)")
        #expect(object["payment"] is NSNull && object["vas"] is NSNull && object["events"] is [String])
        if let events = failing.events { #expect(outcome.events == events) }
        if failing.status == 1 { #expect(outcome.events.last == "userInterfaceDismissed") }
        let text = await bench.run("pay --amount 1 --currency EUR --reader emulated:@card.json \(failing.options)")
        #expect(text.status == failing.status && text.output.isEmpty, "\(text.output)")
    }

    @Test func aDeclineIsAResultWhenAskedFor() async throws {
        let bench = try await bench()
        try bench.wallet("declined.json", plastic: "\(Self.visa),\"cryptogram\":\"AAC\"")
        let outcome = await bench.pay("declined.json", "--include-error")
        #expect(outcome.status == 1, "\(outcome.error)")
        #expect(try outcome.member("payment")?["outcome"] as? String == "cardDeclined")
        #expect(outcome.error.contains("cardDeclined"))
    }

    @Test func aTornTapIsReadAgain() async throws {
        let bench = try await bench()
        try bench.wallet("torn.json", plastic: Self.visa, extra: "\"leavesFieldAt\":3,\"leavesFieldTaps\":1,")
        let outcome = await bench.pay("torn.json")
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(outcome.events.contains("readRetry") && outcome.events.suffix(3) == Self.goodRead.suffix(3))
    }

    static let networks = ["visa", "mastercard", "amex", "discover", "unionpay", "interac", "jcb"]

    @Test(arguments: networks) func everyNetworkIsReadAndOpened(_ network: String) async throws {
        let bench = try await bench()
        try bench.wallet("plastic.json", plastic: "\"network\":\"\(network)\"")
        let outcome = await bench.pay("plastic.json", "--merchant shop --reader-id till-7")
        #expect(outcome.status == 0, "\(outcome.error)")
        let payment = try #require(try outcome.member("payment"))
        let sealed = try #require(payment["paymentCardData"] as? String)
        let opened = await bench.run("psp open --key @psp.pem --json -", input: sealed)
        #expect(opened.status == 0, "\(opened.error)")
        let tlv = try #require(try opened.object()["tlv"] as? [String: String])
        #expect((tlv["9F26"]?.count == 16 || network == "interac") && tlv["9F02"] == "000000001250")
        #expect(tlv["5F2A"] == "0978" && tlv["9C"] == "00")
        #expect(tlv["57"].map { $0.contains("*****") } ?? true && tlv["5A"].map { $0.contains("*****") } ?? true)
        #expect(try opened.object()["header"] is [String: Any])
        let clear = await bench.run("psp open --key @psp.pem --json --test-cards-only -", input: sealed)
        #expect(clear.status == 0, "\(clear.error)")
        let general = payment["generalCardData"] as? String ?? ""
        #expect(await bench.run("decode --base64 \(general)").status == 0)
    }

    @Test func peopleReadItToo() async throws {
        let bench = try await bench()
        let line = "--currency EUR --psp-key @psp-public.pem --reader emulated:@both.json \(Self.withPass)"
        let text = await bench.run("pay --amount 12.50 \(line)")
        #expect(text.status == 0, "\(text.error)")
        for words in ["payment: success (a read, not an approval)", "reason:", "card:", Bench.message, "sealed:"] {
            #expect(text.output.contains(words), "\(text.output)")
        }
        let refund = await bench.run("pay --amount 1 --refund --currency EUR --reader emulated:@card.json --json")
        #expect(refund.status == 0 && refund.error.contains("sealed to a key that nobody has"))
        let verify = await bench.run("pay --verify lookUp --currency EUR --reader emulated:@card.json --json")
        #expect(verify.status == 0, "\(verify.error)")
        #expect(try verify.member("payment") != nil)
    }

    @Test func tapAfterTap() async throws {
        let bench = try await bench()
        let outcome = await bench.run(
            "pay --amount 5 --currency EUR --reader emulated:@card.json --count 2 --jsonl --psp-key @psp-public.pem")
        #expect(outcome.status == 0, "\(outcome.error)")
        let lines = try outcome.output.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(lines.filter { $0["result"] != nil }.count == 2)
        #expect(lines.first?["event"] as? String == "readyForTap")
    }

    @Test func aTraceHoldsNoCardAndReplays() async throws {
        let bench = try await bench()
        let paid = await bench.pay("both.json", "\(Self.withPass) --trace @tap.apdu")
        #expect(paid.status == 0, "\(paid.error)")
        let trace = try String(contentsOfFile: bench.path("tap.apdu"), encoding: .utf8)
        #expect(trace.contains("# REDACTED"))
        let again = await bench.pay("both.json", "\(Self.withPass) --trace @tap.apdu")
        #expect(again.status == 77)
        let replayed = await bench.run(
            "replay @tap.apdu --pay \(Self.withPass) --psp-key @psp-public.pem --json")
        #expect(replayed.status == 0, "\(replayed.error)")
        #expect(try replayed.member("payment")?["outcome"] as? String == "success")
        #expect(try replayed.member("vas") != nil)
    }

    static let usage = [
        "pay", "pay --amount 1", "pay --currency EUR", "pay --amount x --currency EUR",
        "pay --amount 1,50 --currency EUR",
        "pay --amount 1e3 --currency EUR", "pay --verify frob --currency EUR",
        "pay --verify other --amount 1 --currency EUR",
        "pay --amount 1 --currency EUR --stop-on-pass", "pay --amount 1 --currency EUR --country 0",
        "pay --amount 1 --currency EUR --count 0", "pay --amount 1 --currency EUR --jsonl",
        "pay --amount 1 --currency EUR --trace t --watch", "pay --amount 1 --currency EUR --force",
        "pay --amount 1 --currency EUR --preferred-aid xx", "replay @phone.json --pass pass.x --amount 1",
        "replay @phone.json --pay --strict", "replay @phone.json", "psp open", "psp open --key @key.pem", "psp frob",
        "psp key --private a --public a",
    ]

    @Test(arguments: usage) func commandLinesAreRefused(_ line: String) async throws {
        let bench = try Bench()
        let outcome = await bench.run(line, environment: ["COUNTERTOP_READER": "emulated:" + bench.path("phone.json")])
        #expect(outcome.status == 64, "\(outcome.error)")
        #expect(outcome.output.isEmpty)
        expectComplaint(outcome, line)
    }
}
