// SPDX-License-Identifier: Apache-2.0

import APDUTrace
import Foundation
import ISO7816
import Testing

@testable import CountertopCommands

/// `replay --pay`: traces of cards that other terminals read.
@Suite struct PaymentReplayTests {
    private static let traces = ProcessInfo.processInfo.environment["COUNTERTOP_VECTORS"].map { $0 + "/emv/traces" }

    private func bench() async throws -> Bench {
        let bench = try Bench()
        try await bench.makeProvider()
        return bench
    }

    @Test(.enabled(if: traces != nil, "COUNTERTOP_VECTORS is not set"))
    func everyVectorComesToAnOutcome() async throws {
        let (bench, folder) = (try await bench(), try #require(Self.traces))
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".json") }
        #expect(!files.isEmpty)
        for file in files.sorted() {
            let line = "replay \(folder)/\(file) --pay --psp-key @psp-public.pem --json"
            for option in ["", " --include-error"] {
                let outcome = await bench.run(line + option)
                let object = try outcome.object()
                let payment = object["payment"] as? [String: Any]
                #expect([0, 1].contains(outcome.status), "\(file): \(outcome.error)")
                #expect((outcome.status == 0) == (payment?["outcome"] as? String == "success"), "\(file)")
                // Why is always said.
                let reason = payment?["reason"] ?? object["reason"]
                #expect((reason as? String)?.isEmpty == false, "\(file): \(outcome.output)")
            }
        }
    }

    /// Traces whose end is certain: the status, and words of the reason.
    static let known: [(file: String, status: Int32, words: String)] = [
        ("k3-visa-credit-gpo-inline.json", 0, "online authorisation"), ("dev-locked-gpo-6985.json", 1, "6985"),
        ("vas-select-examples.json", 1, "not a contactless payment card"),
    ]

    @Test(.enabled(if: traces != nil, "COUNTERTOP_VECTORS is not set"), arguments: known)
    func endsAsRecorded(_ file: String, _ status: Int32, _ words: String) async throws {
        let bench = try await bench()
        let path = try #require(Self.traces) + "/" + file
        guard FileManager.default.fileExists(atPath: path) else { return }
        let outcome = await bench.run("replay \(path) --pay --psp-key @psp-public.pem --json")
        #expect(outcome.status == status, "\(outcome.error)")
        let reason = try outcome.member("payment")?["reason"] ?? outcome.object()["reason"]
        #expect((reason as? String)?.contains(words) == true, "\(outcome.output)")
    }

    static let networks = ["visa", "mastercard", "amex", "discover", "unionpay"]

    /// What `pay --trace` keeps is replayed from the trace, for another amount, and from a JSON form of it.
    @Test(arguments: networks) func whatIsRecordedReplays(_ network: String) async throws {
        let bench = try await bench()
        // A cryptogram inside a signature (CDA) is gone when the trace is redacted: these cards do not sign.
        try bench.wallet("card.json", plastic: "\"network\":\"\(network)\",\"authentication\":\"none\"")
        #expect(await bench.pay("card.json", "--trace @tap.apdu").status == 0)
        let trace = try APDUTrace(file: bench.path("tap.apdu"))
        let rows = trace.exchanges.map { exchange in
            #"{"name":"x","c":"\#(Hex.encode(exchange.command))","r":"\#(Hex.encode(exchange.response))"}"#
        }
        try bench.write("tap.json", Array(#"{"title":"t","exchanges":[\#(rows.joined(separator: ","))]}"#.utf8))
        for file in ["tap.apdu", "tap.json"] {
            let outcome = await bench.run(
                "replay @\(file) --pay --amount 99.95 --currency USD --psp-key @psp-public.pem --json")
            #expect(outcome.status == 0, "\(file): \(outcome.error)")
            let sealed = try #require(try outcome.member("payment")?["paymentCardData"] as? String)
            let opened = try await bench.run("psp open --key @psp.pem --json \(sealed)").object()
            let tlv = try #require(opened["tlv"] as? [String: String])
            #expect(tlv["9F02"] == "000000009995" && tlv["5F2A"] == "0840")
        }
    }

    /// Cards that sign their cryptogram (CDA): the signature is blanked when the trace is redacted, and the read still
    /// ends as it did; `explain` says the same.
    @Test(arguments: networks + ["jcb"]) func aRedactedSignatureReplays(_ network: String) async throws {
        let bench = try await bench()
        try bench.wallet("card.json", plastic: "\"network\":\"\(network)\"")
        #expect(await bench.pay("card.json", "--trace @tap.apdu").status == 0)
        let outcome = await bench.run("replay @tap.apdu --pay --psp-key @psp-public.pem --json")
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(try outcome.member("payment")?["outcome"] as? String == "success")
        #expect(await bench.run("trace explain @tap.apdu").output.contains("payment: onlineRequest"))
    }

    /// Numbers that a trace was not redacted of do not come out either: characters, half bytes, broken TLV, comments.
    @Test func nothingShowsAnAccountNumber() async throws {
        let bench = try await bench()
        let pan = "4539578763621486"
        let characters = pan.utf8.map { "3" + String($0 - 0x30) }.joined()
        let trace = """
            # SOURCE: card \(pan)
            # note \(pan)
            00B2010C00
            70205A08\(pan)9000
            00B2020C00
            70125010\(characters)9000
            00B2030C00
            700C9F100906\(pan)009000
            """
        try bench.write("m.apdu", Array((trace + "\n").utf8))
        let lines = [
            "trace show @m.apdu", "trace show @m.apdu --json", "trace explain @m.apdu", "trace explain @m.apdu --json",
            "decode 5010\(characters)", "decode 0\(pan)0 --as iad", "decode 9F1210\(characters) --json",
        ]
        for line in lines {
            let outcome = await bench.run(line)
            #expect(!outcome.output.contains(pan) && !outcome.error.contains(pan), "\(line.prefix(16))")
            #expect(!outcome.output.contains(characters), "\(line.prefix(16))")
        }
    }

    @Test func aCardThatLeftLeavesAgain() async throws {
        let bench = try await bench()
        try bench.wallet("card.json", plastic: "\"network\":\"visa\"", extra: "\"leavesFieldAt\":3,")
        #expect(await bench.pay("card.json", "--trace @torn.apdu").status == 75)
        #expect(try APDUTrace(file: bench.path("torn.apdu")).taps.contains { $0.lost != nil })
        let outcome = await bench.run("replay @torn.apdu --pay --json")
        #expect(outcome.status == 75, "\(outcome.error)")
        #expect(outcome.events.contains("readRetry"))
    }

    @Test func filesThatAreNoTraceAreNamed() async throws {
        let bench = try await bench()
        for (file, status) in [("none.json", 66), ("not.json", 65), ("not.pem", 65)] as [(String, Int32)] {
            let outcome = await bench.run("replay @\(file) --pay")
            #expect(outcome.status == status && outcome.error.contains(file), "\(outcome.error)")
        }
    }

    /// What was not recorded is answered as a card does that has not got it.
    @Test func forgivingChannel() throws {
        struct Silent: CardChannel {
            let code: CardChannelError.Code
            func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
                throw CardChannelError(code, reason: "no")
            }
        }
        func answer(_ command: [UInt8], _ code: CardChannelError.Code, last: [UInt8], lost: Bool = false) -> [UInt8]? {
            var tap = APDUTrace.Tap(exchanges: [TraceExchange(command: [0, 0xA4, 4, 0], response: last)])
            if lost { tap.lost = .init(command: [0, 0xB2, 1, 0x0C, 0]) }
            var trace = APDUTrace()
            trace.taps = [tap]
            let channel = ForgivingChannel(base: Silent(code: code), habits: ForgivingReader.Habits(trace))
            return try? channel.transmit(command)
        }
        let good: [UInt8] = [0x90, 0x00]
        #expect(answer([0, 0xA4, 4, 0], .mismatch, last: good) == [0x6A, 0x82])
        #expect(answer([0, 0xB2, 1, 0x0C], .mismatch, last: good) == [0x70, 0x00, 0x90, 0x00])
        #expect(answer([0x80, 0xA8, 0, 0], .cardGone, last: good) == [0x69, 0x85])
        #expect(answer([0x80, 0x99, 0, 0], .mismatch, last: good) == [0x6D, 0x00])
        #expect(answer([0, 0xA4, 4, 0], .mismatch, last: [0x69, 0x85]) == [0x69, 0x85])
        #expect(answer([0, 0xA4, 4, 0], .cardGone, last: good, lost: true) == nil)
        #expect(answer([0, 0xA4, 4, 0], .timedOut, last: good) == nil)
    }
}
