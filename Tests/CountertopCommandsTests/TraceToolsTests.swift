// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("trace import, export, explain")
struct TraceToolsTests {
    /// A tap with a made-up number outside the test ranges: passes first, then a payment with everything in one answer.
    private static let account = "4929123456781236"
    private static let tap = """
        # WHAT: one tap of 4929123456781236
        00A404000A4F53452E5641532E303100
        6F1D50084170706C655061799F210201009F2404E9CAEDE39F23040000003E9000
        # 10ms
        80CA0101289F220201009F252099E75ACA679B3CBB9DE229EF3D80B01A2A33A38AD4F5A58E7C21B0B083CA47AA00
        6A83
        # 5ms
        00A404000E325041592E5359532E444446303100
        6F34840E325041592E5359532E4444463031A522BF0C1F611D4F07A0000000031010500B56495341204352454449548701019F2A01039000
        # 15ms
        00A4040007A000000003101000
        6F3E8407A0000000031010A533500B56495341204352454449549F38189F66049F02069F03069F1A0295055F2A029A039C019F3704BF0C089F5A0511097802769000
        # 20ms
        80A80000238321208040000000000012500000000000000276000000000009782608050052BF458500
        77478202004057134929123456781236D28122010000000000000F5F3401019F100706011203A0B8009F2608C3F0EC4143A3F6D69F2701809F360200649F6C0200809F6E04238800009000
        # 50ms

        """

    private func bench() throws -> Bench {
        let bench = try Bench()
        try bench.write("tap.apdu", Array(Self.tap.utf8))
        return bench
    }

    @Test("the story names commands, terminal data and bits, times and shares, and the outcome with its reason")
    func explain() async throws {
        let bench = try bench()
        let outcome = await bench.run("trace explain @tap.apdu")
        #expect(outcome.status == 0 && !outcome.output.contains(Self.account))
        for words in [
            "GET PROCESSING OPTIONS", "(50 ms, 50 %)", "Amount, Authorised (Numeric)", "wallet: ApplePay", "6A83",
            "payment: onlineRequest", "why: The card asks for online authorisation", "492912******1236",
            "the terminal's data:",
        ] { #expect(outcome.output.contains(words), "\(words)") }
        #expect(!outcome.output.contains("\u{1B}"))
        let coloured = await bench.run("trace explain @tap.apdu --color always")
        #expect(coloured.output.contains("\u{1B}["))
        let object = try await bench.run("trace explain @tap.apdu --json").object()
        let taps = try #require(object["taps"] as? [[String: Any]])
        let payment = try #require(taps.first?["payment"] as? [String: Any])
        #expect(payment["outcome"] as? String == "onlineRequest" && payment["kernel"] as? String == "03")
        #expect(payment["accountNumber"] as? String == "492912******1236")
        #expect((taps.first?["steps"] as? [Any])?.count == 5)
        let passes = (taps.first?["vas"] as? [String: Any])?["passes"] as? [[String: Any]]
        #expect(passes?.first?["statusWord"] as? String == "6A83")
    }

    @Test("an imported tap is redacted, replays to the same outcome, and is refused where only test cards may stay")
    func imported() async throws {
        let bench = try bench()
        let imported = await bench.run("trace import @tap.apdu -o @out.apdu")
        #expect(imported.status == 0, "\(imported.error)")
        let text = String(
            decoding: FileManager.default.contents(atPath: bench.path("out.apdu")) ?? Data(), as: UTF8.self)
        #expect(text.contains("# REDACTED:") && !text.contains(Self.account) && !text.contains("C3F0EC4143A3F6D6"))
        let again = await bench.run("trace explain @out.apdu")
        #expect(again.output.contains("payment: onlineRequest"))
        #expect(await bench.run("trace import @tap.apdu -o @out.apdu").status == 77)
        let refused = await bench.run("trace import @tap.apdu --test-cards-only")
        #expect(refused.status == 77 && !refused.error.contains(Self.account) && refused.output.isEmpty)
        #expect(await bench.run("trace import @not.pem").status == 65)
        #expect(await bench.run("trace import @nowhere").status == 66)
    }

    @Test("a pcap file is written, and not over another")
    func export() async throws {
        let bench = try bench()
        #expect(await bench.run("trace export @tap.apdu --pcap @tap.pcap").status == 0)
        let bytes = Array(FileManager.default.contents(atPath: bench.path("tap.pcap")) ?? Data())
        #expect(bytes.prefix(4) == [0xD4, 0xC3, 0xB2, 0xA1] && bytes.count > 400)
        #expect(await bench.run("trace export @tap.apdu --pcap @tap.pcap").status == 77)
        #expect(await bench.run("trace export @tap.apdu --pcap @tap.pcap --force").status == 0)
    }

    private static let vectorFolder = ProcessInfo.processInfo.environment["COUNTERTOP_VECTORS"] ?? ""

    @Test(
        "every vector trace: explained, and redacted it ends the same",
        .enabled(if: !vectorFolder.isEmpty, "COUNTERTOP_VECTORS is not set"))
    func vectors() async throws {
        let bench = try bench()
        let folder = Self.vectorFolder + "/emv/traces/"
        for file in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() where file.hasSuffix(".json") {
            let before = try await Self.outcomes(bench.run("trace explain --json \(folder)\(file)"))
            #expect(await bench.run("trace import \(folder)\(file) -o @vector.apdu --force").status == 0, "\(file)")
            let after = try await Self.outcomes(bench.run("trace explain --json @vector.apdu"))
            #expect(before == after, "\(file)")
        }
    }

    private static func outcomes(_ run: Outcome) throws -> [String] {
        let taps = try #require(try run.object()["taps"] as? [[String: Any]])
        return taps.map { ($0["payment"] as? [String: Any])?["outcome"] as? String ?? "none" }
    }
}
