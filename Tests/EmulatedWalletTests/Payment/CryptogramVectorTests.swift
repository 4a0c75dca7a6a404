// SPDX-License-Identifier: Apache-2.0

import Foundation
import ISO7816
import Testing
import WalletCrypto

@testable import EmulatedWallet

/// Every case of every file in `emv/cryptogram` of the folder that `COUNTERTOP_VECTORS` names.
@Suite(
    "Cryptograms as published",
    .enabled(if: CryptogramVectors.folder != nil, "COUNTERTOP_VECTORS is not set"))
struct CryptogramVectorTests {
    @Test("card keys, session keys, cryptograms and answers")
    func applicationCryptograms() throws {
        let cases = try CryptogramVectors.cases { $0["option"] != nil }
        #expect(cases.count >= 13)
        for sample in cases {
            let id = try #require(sample["id"]?.text)
            let derivation = try #require(IssuerMasterKey.Derivation(rawValue: sample.text("option")))
            let card = try IssuerMasterKey(sample.hex("issuerMasterKey"))
                .cardKey(pan: sample.text("pan"), sequenceNumber: sample.text("psn"), derivation: derivation)
            #expect(card.isKey(try sample.hex("iccMasterKey")), "\(id)")
            #expect(try Hex.encode(card.checkValue(2)) == sample.text("iccMasterKeyKCV"), "\(id)")
            let session = try card.sessionKey(diversifier: sample.hex("diversifier"))
            #expect(session.isKey(try sample.hex("sessionKey")), "\(id)")
            #expect(try Hex.encode(session.checkValue(2)) == sample.text("sessionKeyKCV"), "\(id)")
            let arqc = try session.cryptogram(sample.hex("data"), padding: Self.padding(sample.text("padding")))
            #expect(try arqc == sample.hex("arqc"), "\(id)")
            try Self.check(sample, arqc, card: card, session: session)
        }
    }

    @Test("cryptogram versions of the networks, from the table")
    func versions() throws {
        let cases = try CryptogramVectors.cases { $0["cvn"] != nil }
        #expect(cases.count >= 8)
        for sample in cases {
            let id = sample.text("id")
            let network = try #require(PaymentNetwork(rawValue: sample.text("scheme")))
            let version = try #require(Int(sample.text("cvn")).flatMap { CryptogramVersion.find(network, $0) }, "\(id)")
            let card = try IssuerMasterKey(sample.hex("issuerMasterKey"))
                .cardKey(pan: sample.text("pan"), sequenceNumber: sample.text("psn"))
            #expect(card.isKey(try sample.hex("iccMasterKey")), "\(id)")
            let tags = try #require(sample["tags"])
            let session = try card.sessionKey(
                for: version, counter: tags.hex("9F36"), unpredictableNumber: tags.hex("9F37"))
            #expect(session.isKey(try sample.hex("sessionKey")), "\(id)")
            let order = ["9F02", "9F03", "9F1A", "95", "5F2A", "9A", "9C", "9F37", "82", "9F36"]
            let data = try order.flatMap { try tags.hex($0) } + sample.hex("tail")
            #expect(version.padding == Self.padding(sample.text("padding")), "\(id)")
            let arqc = try session.cryptogram(data, padding: version.padding)
            #expect(try arqc == sample.hex("arqc"), "\(id)")
            try Self.check(sample, arqc, card: card, session: session)
            let answer = try #require(sample["arpc"])
            let key = answer.text("key").hasPrefix("session") ? "SessionKey" : "MasterKey"
            #expect("\(version.answer)" == "method\(Int(answer.number("method")))\(key)", "\(id)")
        }
    }

    /// The issuer's answer of a sample.
    private static func check(
        _ sample: PhoneJSON, _ arqc: [UInt8], card: CardKey, session: CardKey
    ) throws {
        guard let answer = sample["arpc"] else { return }
        let key = answer.text("key").hasPrefix("session") ? session : card
        let value =
            answer.number("method") == 1
            ? try key.answer(to: arqc, responseCode: answer.hex("arc"))
            : try key.answer(
                to: arqc, statusUpdate: answer.hex("csu"),
                proprietary: answer["proprietary"] == nil ? [] : answer.hex("proprietary"))
        #expect(try value == answer.hex("value"), "\(sample.text("id"))")
    }

    @Test("dynamic card verification codes")
    func verificationCodes() throws {
        let cases = try CryptogramVectors.list("cvc3")
        #expect(cases.count >= 2)
        for sample in cases {
            let key = try IssuerMasterKey(sample.hex("issuerKey"))
                .cardKey(pan: sample.text("pan"), sequenceNumber: sample.text("psn"))
            #expect(try Hex.encode(key.checkValue(2)) == sample.text("iccKeyKCV"))
            let ascii = sample["trackASCII"]?.text.map { Array($0.utf8) }
            let code = try key.verificationCode(
                track: ascii ?? sample.hex("track"), unpredictableNumber: sample.hex("un"), counter: sample.hex("atc"))
            let digits = String(repeating: "0", count: max(0, 5 - "\(code)".count)) + "\(code)"
            #expect(digits == sample.text("cvc3"), "\(sample.text("id"))")
            #expect(digits.hasSuffix(sample.text("last3")))
        }
    }

    @Test("retail MACs")
    func retailMACs() throws {
        let cases = try CryptogramVectors.list("retailMAC")
        #expect(cases.count >= 2)
        for sample in cases {
            let padding = try #require(RetailMAC.Padding(rawValue: Int(sample.number("padding"))))
            let mac = try RetailMAC.authenticate(
                sample["ascii"]?.text.map { Array($0.utf8) } ?? sample.hex("data"),
                key: SecretBytes(copying: sample.hex("key")), padding: padding)
            #expect(try mac == sample.hex("mac"))
        }
    }

    @Test("a host's fixture")
    func hostFixture() throws {
        for fixture in try CryptogramVectors.objects("proxmark3HostFixture") {
            let card = try CardKey(fixture.hex("acMasterKey"))
            let session = try card.sessionKey(diversifier: fixture.hex("atc") + [0, 0, 0, 0, 0, 0])
            let derived = try #require(fixture["derived"])
            #expect(session.isKey(try derived.hex("sessionKey")))
            #expect(try session.cryptogram(fixture.hex("cdol1")) == derived.hex("arqcMethod2Padding"))
        }
    }

    @Test("the composed taps' cryptograms")
    func composed() throws {
        let folder = try #require(CryptogramVectors.folder)
        let bytes = try #require(FileManager.default.contents(atPath: folder + "composed/one-tap.json"))
        let sample = try #require(try PhoneJSON(parsing: Array(bytes))["arqcData"])
        let data = try sample.hex("example")
        let version = try #require(CryptogramVersion.find(.visa, 18))
        let counter = Array(data.dropFirst(31).prefix(2))
        let session = try IssuerMasterKey.published.cardKey(pan: "4761739001010119", sequenceNumber: "01")
            .sessionKey(for: version, counter: counter, unpredictableNumber: [0, 0, 0, 0])
        #expect(try session.cryptogram(data, padding: version.padding) == sample.hex("arqc"))
    }

    private static func padding(_ text: String) -> RetailMAC.Padding {
        text.contains("method 2") ? .method2 : .method1
    }
}

/// The files with cryptograms.
enum CryptogramVectors {
    static let folder = ProcessInfo.processInfo.environment["COUNTERTOP_VECTORS"].map { $0 + "/emv/" }

    private static func files() throws -> [PhoneJSON] {
        let path = try #require(folder) + "cryptogram/"
        return try FileManager.default.contentsOfDirectory(atPath: path).sorted().map {
            try PhoneJSON(parsing: Array(try #require(FileManager.default.contents(atPath: path + $0))))
        }
    }

    /// The members of `cases` in every file that are of one kind.
    static func cases(_ isWanted: (PhoneJSON) -> Bool) throws -> [PhoneJSON] { try list("cases").filter(isWanted) }

    static func list(_ key: String) throws -> [PhoneJSON] {
        try files().flatMap { file in
            guard case .array(let values)? = file[key] else { return [PhoneJSON]() }
            return values
        }
    }

    static func objects(_ key: String) throws -> [PhoneJSON] { try files().compactMap { $0[key] } }
}

extension PhoneJSON {
    subscript(key: String) -> PhoneJSON? {
        if case .object(let members) = self { members[key] } else { nil }
    }

    var text: String? { if case .string(let text) = self { text } else { nil } }

    func text(_ key: String) -> String { self[key]?.text ?? "" }

    func number(_ key: String) -> Double { if case .number(let number)? = self[key] { number } else { -1 } }

    func hex(_ key: String) throws -> [UInt8] { try Hex.decode(try #require(self[key]?.text, "\(key)")) }
}
