// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import TestSupport
import Testing
import WalletCrypto

@testable import InAppProvisioning

@Suite struct PayloadTests {
    private let nonce: [UInt8] = [0xB9, 0xEF, 0x8F, 0x31]

    private func read(_ text: String) throws(ProvisioningError) -> OpenedPayload {
        try OpenedPayload(json: SecretBytes(copying: Array(text.utf8)))
    }

    @Test func `the clear form has five strings`() throws {
        let text = CardPayload.clear(try Fixture.card()).json(nonce: nonce, nonceSignature: [0x40, 0xAB])
        #expect(
            String(decoding: text.bytes, as: UTF8.self) == """
                {"primaryAccountNumber":"4761739001019839","expiration":"12/31","name":"ALEX DOE",\
                "nonce":"b9ef8f31","nonceSignature":"40ab"}
                """)
        let back = try OpenedPayload(json: text)
        #expect(back.nonce == nonce && back.nonceSignature == [0x40, 0xAB] && back.unknownNames.isEmpty)
        #expect(back.card == .clear(try Fixture.card()))
    }

    @Test func `the encrypted form has up to eight`() throws {
        let card = NetworkEncryptedCard(
            encryptedPrimaryAccountNumber: "TUJQQUQ=", primaryAccountNumberPrefix: "476173", networkName: "Visa",
            name: "ALEX DOE", version: "1", productType: "DEFAULT_VISA")
        let text = CardPayload.networkEncrypted(card).json(nonce: nonce, nonceSignature: [0x40])
        let json = try #require(try JSONSerialization.jsonObject(with: Data(text.bytes)) as? [String: String])
        #expect(json.count == 8 && json["primaryAccountNumber"] == nil && json["productType"] == "DEFAULT_VISA")
        #expect(try OpenedPayload(json: text).card == .networkEncrypted(card))
    }

    @Test func `a name with anything in it survives`() throws {
        let name = "O\"\\/\u{1}\u{1F}\n\t\r é 😀 ﷽"
        let card = try CardDetails(primaryAccountNumber: Fixture.panText, expiration: "01/30", name: name)
        let text = CardPayload.clear(card).json(nonce: nonce, nonceSignature: [1])
        #expect(try OpenedPayload(json: text).card == .clear(card))
        let json = try #require(try JSONSerialization.jsonObject(with: Data(text.bytes)) as? [String: String])
        #expect(json["name"] == name)
    }

    // Loops, not arguments: arguments are printed, and card numbers must not be.
    @Test func `data that cannot be a card's are refused without being shown`() {
        let pan = Fixture.panText
        let wrong: [(String, String, String)] = [
            ("4761739001019838", "12/31", "A"), ("476173900101", "12/31", "A"), ("47617390 01019839", "12/31", "A"),
            ("", "12/31", "A"), (pan, "13/31", "A"), (pan, "1231", "A"), (pan, "2031-12", "A"), (pan, "00/31", "A"),
            (pan, "12/31", "  "), ("４７６１７３９００１０１９８３９", "12/31", "A"), (pan, "+1/31", "A"),
        ]
        for (number, month, name) in wrong {
            let error = #expect(throws: ProvisioningError.self) {
                try CardDetails(primaryAccountNumber: number, expiration: month, name: name)
            }
            #expect(error?.code == .invalidCard)
            #expect(number.isEmpty || error?.description.contains(number) == false)
        }
    }

    @Test(
        arguments: [
            ("", "not a JSON object"), ("[]", "an array"), (#"{"nonce":1}"#, "every value is a string"),
            (#"{"x":1}"#, "A member is a number"), (#"{"name":"A"}"#, "lacks primaryAccountNumber"),
            (#"{"encryptedPrimaryAccountNumber":"A"}"#, "lacks primaryAccountNumberPrefix"),
            (
                #"{"primaryAccountNumber":"4111111111111111","expiration":"12/31","name":"A","nonce":"x","nonceSignature":""}"#,
                "must be hex"
            ),
        ].hidden) func `a plaintext of another shape is refused`(row: Hidden<(String, String)>)
    {
        let (text, reason) = row.value
        let error = #expect(throws: ProvisioningError.self) { try read(text) }
        #expect(error?.description.contains(reason) == true)
    }

    @Test func `digits that could be a card number are found`() {
        #expect(CardNumber.isContained(in: "card 4761 7390 0101 9839 x"))
        #expect(CardNumber.isContained(in: "4761-7390-0101-9839"))
        for text in ["", "1234", "4761739001019838", "2026-01-01 12:00", "47617390010198390"] {
            #expect(!CardNumber.isContained(in: text))
        }
    }

    @Test func `a month is past two days after its end`() throws {
        let month = try #require(CardExpiration("12/25"))
        #expect(month.isPast(at: Date(timeIntervalSince1970: 1_767_398_400)))
        #expect(!month.isPast(at: Date(timeIntervalSince1970: 1_767_398_399)))
    }
}

@Suite struct JSONErrorTests {
    @Test func `what is not JSON is refused with its place`() {
        let error = #expect(throws: ProvisioningError.self) { try JSONValue(reading: Array(#"{"a":1,"a":2}"#.utf8)) }
        #expect(error?.code == .invalidJSON && error?.offset == 10 && error?.description.contains("byte 10") == true)
    }
}
