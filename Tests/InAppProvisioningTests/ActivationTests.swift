// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import Testing
import WalletCrypto

@testable import InAppProvisioning

@Suite struct ActivationTests {
    private static let key = SecretBytes(copying: [UInt8](1...16))
    private static let rsa = Result { try RSAPrivateKey.generate(bits: 2048, exponent: 65537) }

    @Test func `Visa's block goes both ways`() throws {
        let fields = [("nonce", "b9ef8f31"), ("authcode", "A1B2C3")].map { (name: $0.0, value: $0.1) }
        let block = try VisaBlock(.activation, fields, keySet: "123456.1", key: Self.key)
        #expect(block.text.hasPrefix("MBPAC-1-FK-123456.1--TDEA-"))
        #expect(block.ciphertext.count == 40)
        let back = try VisaBlock(text: block.text)
        #expect(back == block)
        #expect(try back.open(with: Self.key) == ["nonce": "b9ef8f31", "authcode": "A1B2C3"])
        let wrong = SecretBytes(copying: [UInt8](2...17))
        #expect(throws: ProvisioningError.self) { try back.open(with: wrong) }
    }

    @Test func `a card's block is longer`() throws {
        let fields = [("pan", Fixture.panText), ("expiry", "1231"), ("datetime", "20260101120000")]
        let block = try VisaBlock(.card, fields.map { (name: $0.0, value: $0.1) }, keySet: "1.1", key: Self.key)
        #expect(block.text.hasPrefix("MBPAD-1-FK-1.1--TDEA-"))
        #expect(try VisaBlock(text: block.text).open(with: Self.key)["pan"] == Fixture.panText)
    }

    @Test(arguments: [
        "", "MBPAC", "MBPAC-1-FK-1.1--TDEA-", "MBPAC-1-FK-1.1--TDEA-0011", "MBPAC-1-FK-1.1--AES-0011223344556677",
        "MPAC-1-FK-1.1--TDEA-0011223344556677", "MBPAC-1-FK-1.1-x-TDEA-0011223344556677",
    ]) func `another text is no block`(text: String) {
        #expect(throws: ProvisioningError.self) { try VisaBlock(text: text) }
    }

    @Test(arguments: [2, 3, 4]) func `Mastercard's value is signed for one card`(version: Int) throws {
        let (key, card) = (try Self.rsa.get(), try Fixture.card())
        let value = try AuthenticationValue(
            version: version, card: card, validUntil: Fixture.date.addingTimeInterval(600), key: key)
        let back = try AuthenticationValue(json: value.json())
        #expect(back == value)
        #expect(back.isSigned(for: card, modulus: key.modulus, exponent: key.publicExponent))
        let other = try Fixture.card("4111111111111111")
        #expect(!back.isSigned(for: other, modulus: key.modulus, exponent: key.publicExponent))
        let later = try Fixture.card(Fixture.panText, "11/31")
        #expect(!back.isSigned(for: later, modulus: key.modulus, exponent: key.publicExponent))
        #expect(back.validUntil == (version == 2 ? nil : Fixture.date.addingTimeInterval(600)))
        let json = String(decoding: value.json(), as: UTF8.self)
        #expect(!json.contains(Fixture.panText) && json.contains("keyAlias") == (version == 4))
        #expect(json.contains("accountNumber|accountExpiry") == (version > 2))
    }

    @Test func `flags may be texts, timestamps may have fractions`() throws {
        let two = """
            {"version":"2","expirationDateIncluded":"true","tokenUniqueReferenceIncluded":"false",\
            "signatureAlgorithm":"RSA-SHA256","signature":"AAAA"}
            """
        #expect(try AuthenticationValue(json: Array(two.utf8)).includesExpiration)
        let three = """
            {"version":3,"signatureAlgorithm":"RSA-SHA256","dataValidUntilTimestamp":"2026-01-01T12:00:00.500Z",\
            "includedFieldsInOrder":"accountNumber","signature":"AAAA"}
            """
        #expect(try AuthenticationValue(json: Array(three.utf8)).validUntil != nil)
        for wrong in [two.replacing("RSA-SHA256", with: "RS256"), two.replacing("\"2\"", with: "\"9\""), "[]", ""] {
            #expect(throws: ProvisioningError.self) { try AuthenticationValue(json: Array(wrong.utf8)) }
        }
    }

    @Test func `formats are told apart`() throws {
        let block = try VisaBlock(.activation, [("nonce", "00")], keySet: "1.1", key: Self.key)
        #expect(ActivationFormat(Array(block.text.utf8)).name == "Visa MBPAC")
        #expect(ActivationFormat([1, 2, 3]).isOpaque && ActivationFormat([]).isOpaque)
    }

    @Test func `never traps on any bytes`() throws {
        var random = SeededRandom(seed: 12)
        let block = try VisaBlock(.activation, [("nonce", "b9ef8f31")], keySet: "1.1", key: Self.key)
        let value = try AuthenticationValue(
            version: 4, card: try Fixture.card(), validUntil: Fixture.date, key: try Self.rsa.get())
        for _ in 0..<1000 {
            _ = ActivationFormat(random.mutate(value.json()))
            _ = ActivationFormat(random.bytes(Int.random(in: 0..<100, using: &random)))
            let text = String(decoding: random.mutate(Array(block.text.utf8)), as: UTF8.self)
            _ = try? VisaBlock(text: text).open(with: Self.key)
        }
    }
}
