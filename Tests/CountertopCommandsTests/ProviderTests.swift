// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The provider's side, and keys that are wrong for it.
@Suite struct ProviderTests {
    private func sealed(_ bench: Bench) async throws -> String {
        try await bench.makeProvider()
        try bench.wallet("plastic.json", plastic: "\"network\":\"visa\"")
        return try #require(try await bench.pay("plastic.json").member("payment")?["paymentCardData"] as? String)
    }

    @Test func keysComeInTwoFiles() async throws {
        let bench = try Bench()
        let made = await bench.run("psp key --private @a.pem --public @b.pem --json")
        #expect(made.status == 0, "\(made.error)")
        #expect((try made.object()["kid"] as? String)?.count == 43)
        let attributes = try FileManager.default.attributesOfItem(atPath: bench.path("a.pem"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try String(contentsOfFile: bench.path("b.pem"), encoding: .utf8).contains("BEGIN PUBLIC KEY"))
        #expect(await bench.run("psp key --private @a.pem --public @c.pem").status == 77)
        #expect(await bench.run("psp key --private @c.pem --public @b.pem").status == 77)
        #expect(!FileManager.default.fileExists(atPath: bench.path("c.pem")))
    }

    @Test func onlyTheRightKeyOpens() async throws {
        let bench = try Bench()
        let sealed = try await sealed(bench)
        let opened = await bench.run("psp open --key @psp.pem \(sealed)")
        #expect(opened.status == 0, "\(opened.error)")
        for words in ["transaction: ", "9F26 [8]", "Application Cryptogram", "merchant: countertop"] {
            #expect(opened.output.contains(words), "\(opened.output)")
        }
        let other = await bench.run("psp open --key @other.pem --json \(sealed)")
        #expect(other.status == 1, "\(other.error)")
        #expect(try other.object()["code"] as? String == "authenticationFailed")
        for (text, status) in [("AAAA", 65), ("%%%", 65), (String(sealed.dropLast(8)), 65)] as [(String, Int32)] {
            let outcome = await bench.run("psp open --key @psp.pem \(text)")
            #expect(outcome.status == status || outcome.status == 1, "\(text.prefix(8)): \(outcome.error)")
            expectComplaint(outcome, text)
        }
        #expect(await bench.run("psp open --key @psp.pem -", input: " \n").status == 65)
        #expect(await bench.run("psp open --key @open.pem \(sealed)").status == 77)
        #expect(await bench.run("psp open --key @psp-public.pem \(sealed)").status != 0)
        #expect(await bench.run("psp open --key @none.pem \(sealed)").status == 66)
    }

    /// RFC 7518, appendix C: Bob's key, whose private half is printed there.
    @Test func aPublishedKeyIsWarnedOf() async throws {
        let bench = try Bench()
        try await bench.makeProvider()
        try bench.wallet("plastic.json", plastic: "\"network\":\"visa\"")
        let point =
            "04C1E349CB61EC70248CE801034C3834E1B88EBE1161CB25AF38741F785FCFC4C4"
            + "7BC96708EF80952B53F8D2555FE72B841ED04588628B1D378A594939500EC9C9"
        try bench.write("bob.pub", Array(point.utf8))
        let warned = await bench.run(
            "pay --amount 1 --currency EUR --psp-key @bob.pub --reader emulated:@plastic.json")
        #expect(warned.status == 0 && warned.error.contains("anybody can open"), "\(warned.error)")
    }

    @Test func settingsAreChecked() async throws {
        let bench = try Bench()
        try await bench.makeProvider()
        try bench.wallet("plastic.json", plastic: "\"network\":\"visa\"")
        let wrong = await bench.run(
            "pay --amount 1 --currency EUR --psp-key @not.pem --reader emulated:@plastic.json")
        #expect(wrong.status == 65 && wrong.error.contains("not.pem"), "\(wrong.error)")
        let none = await bench.run("pay --amount 1 --currency EUR --psp-key @none.pem --reader emulated:@plastic.json")
        #expect(none.status == 66)
        let environment = ["COUNTERTOP_PSP_KEY": bench.path("psp-public.pem"), "COUNTERTOP_COUNTRY": "840"]
        let variable = await bench.run(
            "pay --amount 1 --currency USD --reader emulated:@plastic.json --json", environment: environment)
        #expect(variable.status == 0 && !variable.error.contains("nobody has"), "\(variable.error)")
        let country = await bench.run(
            "pay --amount 1 --currency USD --reader emulated:@plastic.json", environment: ["COUNTERTOP_COUNTRY": "DE"])
        #expect(country.status == 78)
        for file in ["@none.json", "@not.json"] {
            let keys = await bench.run(
                "pay --amount 1 --currency USD --ca-keys \(file) --reader emulated:@plastic.json")
            #expect(keys.status == (file == "@none.json" ? 66 : 65), "\(keys.error)")
        }
        let emulated = await bench.run(
            "pay --amount 1 --currency USD --ca-keys emulated --reader emulated:@plastic.json --json")
        #expect(emulated.status == 0, "\(emulated.error)")
    }
}
