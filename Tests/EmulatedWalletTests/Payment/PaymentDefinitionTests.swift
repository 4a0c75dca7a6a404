// SPDX-License-Identifier: Apache-2.0

import BERTLV
import CardTesting
import Foundation
import ISO7816
import TestSupport
import Testing

@testable import EmulatedWallet

/// The wallet file's payment keys.
@Suite("Payment cards in the wallet's file")
struct PaymentDefinitionTests {
    private func read(_ text: String) throws(WalletError) -> PhoneDefinition {
        try PhoneDefinition(json: Array(text.utf8))
    }

    private static let phone = #"""
        {"passes":[],"leavesFieldAt":3,"paymentCard":{"network":"mastercard","label":"TEST","pan":"5555555555554444",
         "sequenceNumber":"02","expiry":"2028-02","formFactor":"0276000030310001","atc":7,"cryptogram":"TC","cvn":20,
         "authentication":"static","data":{"9F07":"FF00"},"others":[{"network":"visa","cvn":10}],"armed":false,
         "armsAtTap":2,"unarmed":"seePhone","express":true,"cdcvm":false,"par":"ABCDEFGHIJKLMNOPQRSTUVWXYZ012",
         "errorBudget":3,"statusWords":{"ppse":"6A82","select":"6283","gpo":"6986","record":"6A83","generateAC":"6985"},
         "statusWordTaps":1,"corrupt":["iccCertificate","signature"],
         "mutate":[{"tag":"9F10","value":"01"},{"tag":"9F36","remove":true}]}}
        """#
    private static let plastic = #"{"answerDelay":5,"plastic":{"network":"amex","vasAnswer":"6999"}}"#

    @Test("every key is read, and written so that it reads back", arguments: [phone, plastic].hidden)
    func roundTrip(file: Hidden<String>) throws {
        let text = file.value
        let definition = try read(text)
        let written = Array(try JSONEncoder().encode(definition))
        #expect(try PhoneDefinition(json: written) == definition)
        #expect(try PhoneJSON(parsing: written) == PhoneJSON(parsing: Array(text.utf8)))
    }

    @Test("the shortest files, one word or a list")
    func short() throws {
        let phone = try read(#"{"paymentCard":{"network":"visa"}}"#)
        #expect(phone.paymentCard == PaymentCard(.visa))
        #expect(phone.paymentAuthenticated)
        #expect(try read(#"{"plastic":{"network":"unionpay"}}"#).plastic == PaymentCard(.unionpay))
        let card = try #require(
            try read(
                #"{"plastic":{"network":"visa","corrupt":"signature","mutate":{"tag":"57","remove":true}}}"#
            ).plastic)
        #expect(card.corrupt == [.signature])
        #expect(card.mutate == [CardMutation(0x57, nil)])
    }

    @Test("armed and paymentAuthenticated are one state")
    func armed() throws {
        #expect(try !read(#"{"paymentAuthenticated":false,"paymentCard":{"network":"visa"}}"#).paymentAuthenticated)
        #expect(try read(#"{"paymentAuthenticated":true}"#).paymentAuthenticated)
        let same = try read(#"{"paymentAuthenticated":false,"paymentCard":{"network":"visa","armed":false}}"#)
        #expect(same.paymentCard?.armed == false)
        let error = #expect(throws: WalletError.self) {
            _ = try read(#"{"paymentAuthenticated":true,"paymentCard":{"network":"visa","armed":false}}"#)
        }
        #expect(error?.jsonPath == "paymentAuthenticated")
    }

    @Test("what is wrong is named, with what was meant")
    func wrong() throws {
        let cases = [
            (#"{"paymentCard":{}}"#, "paymentCard.network", "visa, mastercard"),
            (#"{"paymentCard":{"network":"vise"}}"#, "paymentCard.network", "did you mean `visa`?"),
            (#"{"paymentCard":{"network":"visa","armd":true}}"#, "paymentCard.armd", "did you mean `armed`?"),
            (#"{"paymentCard":{"network":"visa","vasAnswer":"6D00"}}"#, "paymentCard.vasAnswer", "only a plastic card"),
            (#"{"plastic":{"network":"visa","armed":true}}"#, "plastic.armed", "only a phone"),
            (#"{"plastic":{"network":"visa","silentAt":3}}"#, "plastic.silentAt", "beside `plastic`"),
            (#"{"plastic":{"network":"visa"},"passes":[]}"#, "passes", "remove"),
            (#"{"plastic":{"network":"visa"},"locked":true}"#, "locked", "remove"),
            (#"{"plastic":{"network":"visa"},"silentat":1}"#, "silentat", "did you mean `silentAt`?"),
            (#"{"plastic":{"network":"visa","pan":"4539578763621486"}}"#, "plastic.pan", "leave it out"),
            (#"{"plastic":{"network":"visa","cvn":16}}"#, "plastic.cvn", "10, 18, 22"),
            (#"{"plastic":{"network":"visa","expiry":"12/35"}}"#, "plastic.expiry", "2035-12"),
            (#"{"plastic":{"network":"visa","data":{"9F":"00"}}}"#, "plastic.data.9F", "9F07"),
            (#"{"plastic":{"network":"visa","data":{"9F26":"00"}}}"#, "plastic.data.9F26", "mutate"),
            (#"{"plastic":{"network":"visa","corrupt":"icc"}}"#, "plastic.corrupt", "iccCertificate"),
            (#"{"plastic":{"network":"visa","mutate":{"tag":"xx","value":""}}}"#, "plastic.mutate.tag", "9F10"),
            (#"{"plastic":{"network":"visa","statusWords":{"gp":"6986"}}}"#, "plastic.statusWords.gp", "`gpo`"),
            (#"{"plastic":{"network":"visa","statusWords":{"gpo":"69"}}}"#, "plastic.statusWords.gpo", "four hex"),
            (#"{"statusWords":{"gpo":"6986"}}"#, "statusWords.gpo", "paymentCard.statusWords"),
            (
                #"{"plastic":{"network":"visa","others":[{"network":"jcb","atc":1}]}}"#, "plastic.others[0].atc",
                "belongs"
            ),
        ]
        for (text, path, hint) in cases {
            let error = try #require(#expect(throws: WalletError.self, "\(text)") { _ = try read(text) })
            #expect(error.jsonPath == path, "\(error)")
            #expect(error.hint?.contains(hint) == true, "\(path): \(error.hint ?? "")")
            #expect(!error.reason.contains("4539578763621486"))
        }
        for text in [
            #"{"paymentCard":3}"#, #"{"paymentCard":{"network":"visa","mutate":{"tag":"57"}}}"#,
            #"{"paymentCard":{"network":"visa","mutate":{"tag":"57","value":"00","remove":true}}}"#,
            #"{"paymentCard":{"network":"visa","corrupt":[1]}}"#, #"{"paymentCard":{"network":"visa","par":"a"}}"#,
            #"{"paymentCard":{"network":"visa","sequenceNumber":"1"}}"#,
            #"{"paymentCard":{"network":"visa","label":""}}"#, #"{"paymentCard":{"network":"visa","atc":70000}}"#,
            #"{"paymentCard":{"network":"visa","expiry":"2050-01"}}"#,
        ] {
            #expect(throws: WalletError.self, "\(text)") { _ = try read(text) }
        }
    }

    @Test("wallet files with cards, mutated: read and tapped, or a typed error")
    func neverTraps() throws {
        var random = SeededRandom(seed: 8)
        for round in 0..<800 {
            let bytes = random.mutate(Array((round.isMultiple(of: 2) ? Self.phone : Self.plastic).utf8))
            guard let definition = try? PhoneDefinition(json: bytes) else { continue }
            _ = try? PaymentCounter().read(definition)
        }
    }
}
