// SPDX-License-Identifier: Apache-2.0

import Foundation
import ISO7816
import Testing
import WalletCrypto

@testable import EmulatedWallet

/// The wallet file: what it takes, and how it says what it does not take.
@Suite("Phone definition")
struct DefinitionTests {
    private let key: String

    init() throws {
        let point = try P256PrivateKey.generate().publicKey
        key = Data(point.subjectPublicKeyInfo(compressed: true)).base64EncodedString()
    }

    private func read(_ text: String) throws(WalletError) -> PhoneDefinition {
        try PhoneDefinition(json: Array(text.replacingOccurrences(of: "KEY", with: key).utf8))
    }

    private func error(_ text: String) throws -> WalletError {
        try #require(throws: WalletError.self) { try read(text) }
    }

    @Test("the issue's own example, and nothing at all")
    func example() throws {
        let phone = try read(
            #"""
            {"locked":false,"passes":[{"passTypeIdentifier":"pass.com.example.club","nfc":
             {"message":"M-0042","encryptionPublicKey":"KEY","requiresAuthentication":false}}]}
            """#)
        #expect(phone.passes.count == 1)
        #expect(phone.passes.first?.nfc?.message == "M-0042")
        #expect(!phone.locked)
        #expect(try read("{}") == PhoneDefinition())
    }

    @Test("pass.json's other keys are ignored, and a pass.json alone is a phone with that pass")
    func passJSON() throws {
        let pass = #"""
            {"formatVersion":1,"passTypeIdentifier":"pass.a","serialNumber":"1","teamIdentifier":"T","description":"d",
             "organizationName":"o","storeCard":{"primaryFields":[]},"nfc":{"message":"m","encryptionPublicKey":"KEY"}}
            """#
        #expect(try read("{\"passes\":[\(pass)]}").passes.first?.serialNumber == "1")
        #expect(try read(pass).passes.map(\.passTypeIdentifier) == ["pass.a"])
    }

    @Test("every key is read, and written so that it reads back")
    func roundTrip() throws {
        let text = #"""
            {"wallet":"AndroidPay","locked":true,"authenticated":false,"unlocksAtTap":2,"tapAuthenticates":false,
             "paymentAuthenticated":true,"onePassPerTap":true,"chosenPass":"pass.a","alreadyRead":["7"],
             "receivedURLs":["https://example.com"],"applicationVersion":"0200","mobileCapabilities":"0000003F",
             "cryptoMethod":2,"answerDelay":5,"leavesFieldAt":3,"leavesFieldTaps":1,"silentAt":4,
             "answer":{"urlOnlyBody":"7000","mobileToken":"01","omitsMobileToken":true,"cryptogramFirst":true,
               "longFormLength":true,"unknownTags":"9F3001AA","chunkSize":20,"wantsExactLe":true},
             "statusWords":{"select":"6A82","getVASData":"6984","urlOnly":"6A80","passes":{"pass.a":"6287"}},
             "passes":[{"passTypeIdentifier":"pass.a","serialNumber":"7",
               "nfc":{"message":"m","encryptionPublicKey":"KEY","requiresAuthentication":true}},
               {"passTypeIdentifier":"pass.b"}]}
            """#
        let phone = try read(text)
        let written = try JSONEncoder().encode(phone)
        #expect(try JSONDecoder().decode(PhoneDefinition.self, from: written) == phone)
        let expected = try PhoneJSON(parsing: Array(text.replacingOccurrences(of: "KEY", with: key).utf8))
        #expect(try PhoneJSON(parsing: Array(written)) == expected)
        #expect(try JSONEncoder().encode(PhoneDefinition()) == Data(#"{"passes":[]}"#.utf8))
    }

    @Test("unknown keys are named, with what was meant")
    func unknownKeys() throws {
        let cases = [
            (#"{"pases":[]}"#, "pases", "did you mean `passes`?"),
            (#"{"Locked":true}"#, "Locked", "did you mean `locked`?"),
            (#"{"passes":[{"passTypeIdentifer":"a"}]}"#, "passes[0].passTypeIdentifer", "`passTypeIdentifier`"),
            (
                #"{"passes":[{"passTypeIdentifier":"a","nfc":{"mesage":"m"}}]}"#, "passes[0].nfc.mesage",
                "did you mean `message`?"
            ),
            (#"{"answer":{"chunksize":1}}"#, "answer.chunksize", "did you mean `chunkSize`?"),
            (#"{"statusWords":{"selekt":"6A82"}}"#, "statusWords.selekt", "did you mean `select`?"),
            (#"{"zzzzzz":1}"#, "zzzzzz", "known here: wallet, passes"),
        ]
        for (text, path, hint) in cases {
            let error = try error(text)
            #expect(error.code == .unknownKey)
            #expect(error.jsonPath == path)
            #expect(error.reason.contains("`\(path)`"))
            #expect(error.hint?.contains(hint) == true, "\(error.hint ?? "")")
        }
    }

    @Test("wrong types and values name the JSON path")
    func wrongValues() throws {
        let nfc = #"{"passes":[{"passTypeIdentifier":"a","nfc":"#
        let cases: [(String, WalletError.Code, String)] = [
            ("[]", .wrongType, ""), ("3", .wrongType, ""), (#"{"passes":{}}"#, .wrongType, "passes"),
            (#"{"passes":["a"]}"#, .wrongType, "passes[0]"), (#"{"locked":"no"}"#, .wrongType, "locked"),
            (#"{"locked":1}"#, .wrongType, "locked"), (#"{"answerDelay":true}"#, .wrongType, "answerDelay"),
            (#"{"passes":[{"passTypeIdentifier":7}]}"#, .wrongType, "passes[0].passTypeIdentifier"),
            (#"{"passes":[{"serialNumber":"1"}]}"#, .missingKey, "passes[0].passTypeIdentifier"),
            (#"{"passes":[{"passTypeIdentifier":""}]}"#, .invalidValue, "passes[0].passTypeIdentifier"),
            (nfc + "7}]}", .wrongType, "passes[0].nfc"),
            (nfc + #"{"encryptionPublicKey":"KEY"}}]}"#, .missingKey, "passes[0].nfc.message"),
            (nfc + #"{"message":"m"}}]}"#, .missingKey, "passes[0].nfc.encryptionPublicKey"),
            (nfc + #"{"message":1,"encryptionPublicKey":"KEY"}}]}"#, .wrongType, "passes[0].nfc.message"),
            (#"{"alreadyRead":[1]}"#, .wrongType, "alreadyRead[0]"),
            (#"{"alreadyRead":["pass.x"]}"#, .invalidValue, "alreadyRead[0]"),
            (#"{"chosenPass":"pass.x"}"#, .invalidValue, "chosenPass"),
            (#"{"leavesFieldAt":0}"#, .invalidValue, "leavesFieldAt"),
            (#"{"answerDelay":1.5}"#, .invalidValue, "answerDelay"),
            (#"{"answerDelay":1e300}"#, .invalidValue, "answerDelay"),
            (#"{"cryptoMethod":3}"#, .invalidValue, "cryptoMethod"),
            (#"{"applicationVersion":"1.0"}"#, .invalidValue, "applicationVersion"),
            (#"{"mobileCapabilities":"1E"}"#, .invalidValue, "mobileCapabilities"),
            (#"{"wallet":"Apple Pay"}"#, .invalidValue, "wallet"),
            (#"{"answer":{"unknownTags":"9F"}}"#, .invalidValue, "answer.unknownTags"),
            (#"{"answer":{"chunkSize":0}}"#, .invalidValue, "answer.chunkSize"),
            (#"{"statusWords":{"select":"9OOO"}}"#, .invalidValue, "statusWords.select"),
            (#"{"statusWords":{"passes":{"pass.a":"1"}}}"#, .invalidValue, "statusWords.passes.pass.a"),
        ]
        for (text, code, path) in cases {
            let error = try error(text)
            #expect(error.code == code, "\(text): \(error)")
            #expect(error.jsonPath == path, "\(text): \(error)")
        }
    }

    @Test("keys that are no keys are named for what they are")
    func keys() throws {
        let club = try Club()
        let spki = club.key.publicKey.subjectPublicKeyInfo(compressed: false)
        let uncompressed = try PhoneDefinition.NFC.publicKey(base64: Data(spki).base64EncodedString())
        #expect(uncompressed == club.key.publicKey)
        let cases = [
            ("not base64!", "is not Base64"), ("", "is not Base64"), ("AAAA", "is no P-256 key"),
            (Data(club.key.publicKey.compressed).base64EncodedString(), "is a bare point"),
            (club.key.publicKey.pem(), "is PEM text"), ("-----BEGIN EC PRIVATE KEY-----", "is a private key"),
        ]
        for (text, reason) in cases {
            let error = try #require(throws: WalletError.self) { try PhoneDefinition.NFC.publicKey(base64: text) }
            #expect(error.reason.contains(reason), "\(error)")
        }
        let inFile = try error(
            #"{"passes":[{"passTypeIdentifier":"a","nfc":{"message":"m","encryptionPublicKey":"AAAA"}}]}"#)
        #expect(inFile.jsonPath == "passes[0].nfc.encryptionPublicKey")
        #expect(inFile.reason.hasPrefix("`passes[0].nfc.encryptionPublicKey` is no"))
    }

    @Test("text that is not JSON is said to be so, with its place", arguments: ["", "{", "{'a':1}", "\u{1}", "nul"])
    func notJSON(text: String) throws {
        let error = try error(text)
        #expect(error.code == .notJSON)
        #expect(error.hint != nil)
    }
}
