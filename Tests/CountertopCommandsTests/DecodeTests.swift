// SPDX-License-Identifier: Apache-2.0

import CounterServer
import Foundation
import TestSupport
import Testing

@testable import CountertopCommands

/// `decode` as people call it: what comes out, and what is guessed.
@Suite struct DecodeTests {
    struct Sample: Sendable, CustomTestStringConvertible {
        let line: String
        /// All must stand in the text.
        let words: [String]
        /// Cut: what tests say must hold no account number.
        var testDescription: String { String(line.prefix(24)) }
        init(_ line: String, _ words: String...) { (self.line, self.words) = (line, words) }
    }

    static let visa =
        "6F548407A0000000031010A549500B56495341204352454449549F120A434841534520564953419F1101015F2D02656E9F38189F66049F0206"
        + "9F03069F1A0295055F2A029A039C019F3704BF0C089F5A0511084008409000"
    static let options =
        "77598202200057134111111111111111D28122010000000000000F5F200F43415244484F4C4445522F564953415F3401019F100700000000"
        + "0000009F260800000000000000009F2701809F360200649F6C0200809F6E04207000009000"
    static let list = "9F66049F02069F03069F1A0295055F2A029A039C019F3704"

    static let samples = [
        Sample("\(list)", "Terminal Transaction Qualifiers, 4 bytes", "Unpredictable Number, 4 bytes"),
        Sample("9F6604 --as dol", "9F66 Terminal Transaction Qualifiers, 4 bytes"),
        Sample("9F5301 --as pdol --context kernel5", "Terminal Interchange Profile"),
        Sample("9F5301 --as pdol --context mastercard", "Transaction Category Code"),
        Sample("9F3501 --as cdol1", "Terminal Type"), Sample("9F3704 --as ddol", "Unpredictable Number"),
        Sample("0080 --as ctq", "Consumer device CVM performed"),
        Sample("8000 --as CTQ --context unionpay", "Online PIN required"),
        Sample("20804000 --as ttq", "qVSDC supported", "Online cryptogram required"),
        Sample("36000080 --as ttq --context kernel7", "fDDA version 01 supported"),
        Sample("8000000000 --as tvr", "Offline data authentication was not performed"),
        Sample("0000008000 --as tac", "Transaction exceeds floor limit"), Sample("0800000000 --as iac", "DDA failed"),
        Sample("E800 --as tsi", "Cardholder verification was performed"),
        Sample("2000 --as aip", "DDA supported"), Sample("1980 --as aip --context kernel2", "CDA supported"),
        Sample("0801010010010301 --as afl", "SFI 1 record 1, 0 authenticated", "SFI 2 records 1-3, 1 authenticated"),
        Sample("0801010010010301", "Application File Locator"),
        Sample(
            "000186A0000003E842031E031F03", "X = 100000, Y = 1000", "Enciphered PIN verified online", "No CVM required"),
        Sample("1F0302 --as cvm-results", "No CVM required", "result successful"),
        Sample("06011203A0B800 --as iad", "cryptogram version 12", "New card"),
        Sample("0110A00003240000000000000000000000FF --as iad", "cryptogram version 10", "derivation key index 01"),
        Sample("1F2201A000000000000000000000000000000000000000000000000000000000 --as iad", "cryptogram version 22"),
        Sample("A0000000031010", "Visa, kernel 03"), Sample("A0000000041010 --as aid", "Mastercard, kernel 02"),
        Sample("325041592E5359532E4444463031 --as aid", "2PAY.SYS.DDF01"),
        Sample("80 --as cid", "ARQC (online authorisation requested)"), Sample("03 --as kernel", "kernel 03"),
        Sample("01 --as priority", "Priority (1 highest, 0 none) = 1"),
        Sample("E0F0C8 --as capabilities", "Signature (paper)", "CDA"),
        Sample("010302 --as mobile-cvm", "Mobile CVM performed", "Mobile CVM successful"),
        Sample("C0 --as reader-capabilities", "Expresspay Mobile - EMV"), Sample("FF00 --as auc", "Valid at ATMs"),
        Sample("20 --as 9C", "refund"), Sample("000000001250 --as 9F02", "1250 minor units"),
        Sample("0064 --as 9F36", "100"), Sample("281231 --as 5F24", "2028-12-31"),
        Sample("6986", "look at the phone"), Sample("6984 --as status --context visa", "insert the card"),
        Sample("6A83 --context vas", "6A83: no pass of this type"), Sample("6A83", "in a payment, the record"),
        Sample("6A82 --as status --context emv", "6A82: no payment card"), Sample("63C2", "tries left: 2"),
        Sample(visa, "Application Label: VISA CREDIT", "Visa, kernel 03", "9000: success"),
        Sample(options, "ARQC", "411111******1111", "Consumer device CVM performed", "Form Factor Indicator"),
        Sample("00A4040007A000000003101000", "SELECT Visa"), Sample("00B2011400", "READ RECORD SFI 2, record 1"),
        Sample("80AE900002123400", "GENERATE AC ARQC requested, with CDA signature"),
        Sample("80CA9F1700", "GET DATA tag 9F17"),
        Sample("80A8000002830000", "GET PROCESSING OPTIONS", "Command Template"),
        Sample("9F6C028000 --as tlv --context mastercard", "Mag-stripe Application Version Number (Card)"),
        Sample("9F6C028000 --as tlv", "Card Transaction Qualifiers"),
        Sample("9F270180 --as tlv --context emv", "Cryptogram Information Data"),
    ]

    @Test(arguments: samples) func tells(_ sample: Sample) async throws {
        let outcome = await (try Bench()).run("decode \(sample.line)")
        #expect(outcome.status == 0, "\(outcome.error)")
        for words in sample.words { #expect(outcome.output.contains(words), "\(outcome.output)") }
        let json = await (try Bench()).run("decode --json \(sample.line)")
        #expect(try json.object()["kind"] is String)
    }

    static let wrong: [(String, Int32, String)] = [
        ("9F66049F02 --as dol", 65, "ends without a length, at offset 3"),
        ("9FFF --as dol", 65, "ends inside a tag, at offset 0"), ("0801 --as afl", 65, "has 2 bytes"),
        ("0801010011010301 --as afl", 65, "names no file, at offset 4"),
        ("0802010008010101 --as afl", 65, "names no records, at offset 1"),
        ("00 --as cvm", 65, "a CVM list has 1 bytes"), ("0080FF --as ctq", 65, "has 3 bytes, not 2"),
        ("00 --as tvr", 65, "has 1 bytes, not 5"), ("00 --as status", 65, "a status word has 2 bytes"),
        ("4111 --as track2", 65, "no PAN and separator"), ("42 --as track1", 65, "track 1"),
        ("A0 --as aid", 65, "has 1 bytes, not 5 to 16"), ("700512 --as tlv", 65, "inside a value (tag 70) at offset 2"),
        ("00 --as frob", 64, "--as frob names no form"), ("00 --context frob", 64, "--context frob names no context"),
        ("00 --as", 64, "missing value"), ("00A4 --as command", 65, "at offset 2"),
        ("00 --as response", 65, "at offset 1"),
    ]

    @Test(arguments: wrong) func refuses(_ line: String, _ status: Int32, _ words: String) async throws {
        let outcome = await (try Bench()).run("decode \(line)")
        #expect(outcome.status == status, "\(outcome.output)")
        #expect(outcome.error.contains(words), "\(outcome.error)")
        expectComplaint(outcome, line)
    }

    /// What nobody said is said on standard error and in `guessed`.
    @Test func guessesAreSaid() async throws {
        let bench = try Bench()
        let expected: [(String, String, [String])] = [
            (Self.list, "taken for dol (tag 9F38), emv", ["kind"]),
            (Self.visa, "taken for an answer, kernel3", ["kind", "context"]),
            ("00B2011400", "taken for a command;", ["kind"]),
            ("9F6C028000", "taken for TLV data, kernel3", ["kind", "context"]),
            ("70039F2A00", "taken for TLV data, vas", ["kind", "context"]),
        ]
        for (hex, words, guessed) in expected {
            #expect(await bench.run("decode \(hex)").error.contains(words))
            #expect(await bench.run("decode \(hex) --quiet").error.isEmpty)
            #expect(try await bench.run("decode \(hex) --json").object()["guessed"] as? [String] == guessed)
        }
        let told = await bench.run("decode \(Self.list) --as dol --json")
        #expect(told.error.isEmpty)
        #expect(try told.object()["guessed"] == nil)
    }

    @Test func valuesHaveParts() async throws {
        let bench = try Bench()
        let list = try await bench.run("decode \(Self.list) --as dol --json").object()
        let entries = try #require(list["entries"] as? [[String: Any]])
        #expect(entries.count == 9)
        #expect(entries.first?["tag"] as? String == "9F66" && entries.first?["length"] as? Int == 4)
        #expect(list["kind"] as? String == "value" && list["as"] as? String == "dol")
        let locator = try await bench.run("decode 1001030108 --as afl --json").object()
        #expect(locator["error"] is String)
        let files = try await bench.run("decode 10010301 --as afl --json").object()["files"] as? [[String: Any]]
        #expect(files?.first as? [String: Int] == ["sfi": 2, "first": 1, "last": 3, "authenticated": 1])
        let methods = try await bench.run("decode 000186A0000003E81E03 --as cvm --json").object()
        #expect(methods["amountX"] as? Int == 100_000 && methods["amountY"] as? Int == 1_000)
        #expect((methods["rules"] as? [[String: Any]])?.first?["code"] as? String == "1E")
    }
}

/// Account numbers, tracks and names stay hidden without the switch, and with it unless they are test cards'.
@Suite struct MaskingTests {
    /// A number of no test range with a right check digit.
    static let live = "4929123456789015"
    static let test = "4111111111111111"

    static func lines(_ pan: String) -> [String] {
        let ascii = ("B\(pan)^DOE/JOHN^28122010000").utf8.map { String(format: "%02X", $0) }.joined()
        let odd = "\(pan)D28122010000000000000F"
        return [
            "5A08\(pan) --as tlv", "5A08\(pan)9000", "\(pan) --as pan", "\(odd) --as track2", odd,
            "5713\(odd) --as tlv",
            "7015" + "5713\(odd)9000", "\(ascii) --as track1", ascii, "9F6B13\(odd) --as tlv",
            "9F7C08\(pan) --as tlv", "9F7C08\(pan) --as tlv --context visa", "5A08\(pan) --as tlv --context emv",
        ]
    }

    /// By number: what tests say must hold no account number.
    @Test(arguments: 0..<26) func hides(_ index: Int) async throws {
        let bench = try Bench()
        SecretsGate.register(.pan, Self.live)
        let line = (Self.lines(Self.live) + Self.lines(Self.test))[index]
        let name = "JOHN".utf8.map { String(format: "%02X", $0) }.joined()
        for option in ["", " --json", " -v"] {
            let outcome = await bench.run("decode \(line)\(option)")
            #expect(outcome.status == 0)
            for text in [outcome.output, outcome.error] {
                #expect(!text.contains(Self.live) && !text.contains(Self.test))
                #expect(!text.contains("JOHN") && !text.contains(name) && !text.contains("2812201"))
            }
        }
    }

    @Test(arguments: 0..<10) func showsTestCardsOnly(_ index: Int) async throws {
        let (live, test) = (Self.lines(Self.live)[index], Self.lines(Self.test)[index])
        let bench = try Bench()
        let refused = await bench.run("decode \(live) --test-cards-only")
        #expect(refused.status == 77, "\(refused.output)")
        #expect(refused.output.isEmpty && !refused.error.contains(Self.live))
        #expect(refused.error.contains("not of a published test card"))
        let shown = await bench.run("decode \(test) --test-cards-only")
        #expect(shown.status == 0, "\(shown.error)")
        #expect(shown.output.contains(Self.test))
    }

    @Test func nothingIsShownWithoutACardThatIsKnown() async throws {
        let bench = try Bench()
        let name = await bench.run("decode 5F2008444F452F4A4F484E --as tlv --test-cards-only")
        #expect(name.status == 0 && !name.output.contains("JOHN") && name.output.contains("****"))
        let odd = await bench.run("decode 5704AABBCCDD --as tlv --test-cards-only")
        #expect(odd.status == 77)
    }

    @Test func textIsCovered() {
        #expect(AccountNumberRuns.covered("x \(Self.live)y") == "x 492912******9015y")
        #expect(AccountNumberRuns.covered("4929123456789016") == "4929123456789016")
        #expect(AccountNumberRuns.covered("") == "" && AccountNumberRuns.covered("12") == "12")
        #expect(AccountNumberRuns.covered("0000000000000000") == "0000000000000000")
    }
}
