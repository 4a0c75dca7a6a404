// SPDX-License-Identifier: Apache-2.0

import BERTLV
import Foundation
import ISO7816
import Testing
import WalletCrypto

@testable import EMVContactless

/// Keys from the vectors.
enum TestKeys {
    static func authorities() throws -> AuthorityKeys {
        let folder = try #require(Vectors.folder)
        var keys = try AuthorityKeys(file: folder + "oda/test-capk.json")
        for set in Vectors.load("oda/published-test-private-keys.json")["sets"].elements {
            let rid = try #require(set["rid"].hex)
            let index = try #require(set["caIndex"].hex)
            let modulus = try #require(set["ca"]["modulus"].hex)
            let exponent = try #require(set["ca"]["publicExponent"].hex)
            keys.add(
                try AuthorityKey(
                    rid: rid, index: index[0], modulus: modulus, exponent: exponent,
                    checkSum: Digest.sha1(rid + index + modulus + exponent)))
        }
        return keys
    }
}

@Suite("Offline data authentication", .enabled(if: Vectors.isAvailable, "COUNTERTOP_VECTORS is not set"))
struct AuthenticationVectorTests {
    static let chains = Vectors.load("oda/chains.json")["chains"].elements

    private func authority(_ chain: JSON) throws -> RecoveryKey {
        if let modulus = chain["caModulus"].hex {
            return RecoveryKey(modulus: modulus, exponent: chain["caExponent"].hex ?? [3])
        }
        let index = try #require(chain["caIndex"].hex?.first)
        let keys = try TestKeys.authorities()
        let rid = try #require(chain["rid"].hex)
        return try #require(keys.key(for: rid, index: index)).key
    }

    private func issuer(_ chain: JSON, certificate: [UInt8]? = nil) throws -> IssuerCertificate {
        let inputs = chain["inputs"]
        return try IssuerCertificate(
            certificate ?? inputs["90"].hex ?? [], remainder: inputs["92"].hex ?? [],
            exponent: inputs["9F32"].hex ?? [],
            authority: try authority(chain))
    }

    private func card(_ chain: JSON, certificate: [UInt8]? = nil) throws -> CardCertificate {
        let inputs = chain["inputs"]
        return try CardCertificate(
            certificate ?? inputs["9F46"].hex ?? [], remainder: inputs["9F48"].hex ?? [],
            exponent: inputs["9F47"].hex ?? [], issuer: try issuer(chain).key)
    }

    @Test("Issuer certificates open to the recorded keys", arguments: chains.indices)
    func issuers(_ index: Int) throws {
        let chain = Self.chains[index]
        guard chain["inputs"]["90"].hex != nil else { return }
        let certificate = try issuer(chain)
        let expected = chain["issuer"]
        #expect(
            certificate.key.modulus == expected["modulus"].hex && certificate.key.exponent == expected["exponent"].hex)
        #expect(certificate.hash == expected["hash"].hex && certificate.serial == expected["serial"].hex)
        #expect(certificate.issuerIdentifier == expected["issuerIdentifier"].hex)
        #expect(certificate.expiry == expected["expiry"].hex)
        if let matches = expected["binMatch"].bool {
            let pan = chain["pan"].string ?? chain["icc"]["pan"].string ?? chain["bin"].string
            let digits = pan ?? String((chain["maskedPAN"].string ?? "").prefix(6))
            #expect(certificate.belongs(to: digits) == matches)
        }
    }

    @Test("Card certificates open to the recorded keys and cover the static data", arguments: chains.indices)
    func cards(_ index: Int) throws {
        let chain = Self.chains[index]
        guard chain["inputs"]["9F46"].hex != nil, !chain["icc"].isNull else { return }
        let certificate = try card(chain)
        #expect(certificate.key.modulus == chain["icc"]["modulus"].hex)
        #expect(certificate.hash == chain["icc"]["hash"].hex && certificate.expiry == chain["icc"]["expiry"].hex)
        #expect(certificate.pan == chain["icc"]["pan"].string.map { $0.filter { $0 != "F" } })
        if let staticData = chain["staticDataToBeAuthenticated"].hex, chain["icc"]["hashOK"].bool == true {
            #expect(certificate.isHashValid(staticData: staticData))
            #expect(!certificate.isHashValid(staticData: staticData.dropLast() + [0xEE]))
        }
    }

    @Test("Signatures of issuers and cards verify", arguments: chains.indices)
    func signatures(_ index: Int) throws {
        let chain = Self.chains[index]
        if let value = chain["inputs"]["93"].hex, !chain["ssad"].isNull {
            let signature = try StaticSignature(value, issuer: try issuer(chain).key)
            #expect(signature.code == chain["ssad"]["dac"].hex && signature.hash == chain["ssad"]["hash"].hex)
            if let data = chain["staticDataToBeAuthenticated"].hex, chain["ssad"]["hashOK"].bool == true {
                #expect(signature.isHashValid(staticData: data))
            }
        }
        if let value = chain["dda"]["sdad"].hex {
            let signature = try DynamicSignature(value, card: try card(chain).key)
            #expect(signature.dynamicNumber == chain["dda"]["result"]["iccDynamicNumber"].hex)
            #expect(signature.isHashValid(terminalData: try #require(chain["dda"]["terminalDynamicData"].hex)))
        }
        if !chain["cda"].isNull { try combined(chain) }
        if chain["inputs"]["9F4B"].hex != nil { try fast(chain) }
    }

    private func combined(_ chain: JSON) throws {
        let cda = chain["cda"]
        let signature = try DynamicSignature(try #require(cda["sdad"].hex), card: try card(chain).key)
        let result = try signature.combined()
        #expect(
            signature.hash == cda["result"]["hash"].hex
                && signature.dynamicNumber == cda["result"]["iccDynamicNumber"].hex)
        #expect(signature.isHashValid(terminalData: try #require(cda["unpredictableNumber"].hex)))
        #expect([result.cid] == cda["result"]["cid"].hex && result.cryptogram == cda["result"]["ac"].hex)
        let exchanged = ["pdolData", "cdol1Data", "genACTags"].map { cda[$0].hex ?? [] }
        if cda["result"]["transactionDataHashOK"].bool == true {
            #expect(Digest.sha1(exchanged.flatMap { $0 }) == result.transactionHash)
        }
        guard chain["staticDataToBeAuthenticated"].hex != nil, chain["icc"]["hashOK"].bool == true else { return }
        let data = cardData(chain, cid: result.cid, signature: cda["sdad"].hex ?? [])
        let authentication = try offline(chain, data)
        let number = try #require(cda["unpredictableNumber"].hex)
        let key = try authentication.cardKey()
        let cryptogram = try authentication.verifyCombined(card: key, unpredictableNumber: number, exchanged: exchanged)
        #expect(cryptogram == result.cryptogram)
        #expect(throws: AuthenticationFailure.self) {
            try authentication.verifyCombined(card: key, unpredictableNumber: number, exchanged: exchanged + [[0]])
        }
    }

    private func fast(_ chain: JSON) throws {
        let inputs = chain["inputs"]
        let parent = try #require(Self.chains.first { $0["id"].string == chain["chain"].string })
        let signature = try DynamicSignature(try #require(inputs["9F4B"].hex), card: try card(parent).key)
        #expect(signature.dynamicNumber == chain["result"]["iccDynamicNumber"].hex)
        let data = cardData(parent, cid: 0x80, signature: inputs["9F4B"].hex ?? [])
        data.set(0x9F36, inputs["9F36"].hex ?? [])
        inputs["9F69"].hex.map { data.set(0x9F69, $0) }
        let terminal: [TLVTag: [UInt8]] = [
            0x9F37: inputs["9F37"].hex ?? [], 0x9F02: inputs["9F02"].hex ?? [], 0x5F2A: inputs["5F2A"].hex ?? [],
        ]
        let authentication = try offline(parent, data)
        try authentication.verifyFast(versions: [0, 1], terminal: terminal)
        #expect(throws: AuthenticationFailure.self) {
            try authentication.verifyFast(versions: [0, 1], terminal: [0x9F37: [9, 9, 9, 9]])
        }
        // UnionPay takes version 01 alone.
        if inputs["9F69"].hex == nil {
            #expect(throws: AuthenticationFailure.self) {
                try authentication.verifyFast(versions: [1], terminal: terminal)
            }
        }
    }

    /// A chain's objects; its static data, AIP included, count as one record.
    private func cardData(_ chain: JSON, cid: UInt8, signature: [UInt8]) -> CardData {
        let data = CardData()
        for (tag, value) in chain["inputs"].members where tag != "9F4A" {
            if let tag = TLVTag(hex: tag), let bytes = value.hex { data.set(tag, bytes) }
        }
        data.set(0x8F, chain["caIndex"].hex ?? [])
        data.set(0x5A, chain["icc"]["pan"].hex ?? [])
        data.set(0x9F27, [cid])
        data.set(0x9F4B, signature)
        data.append(
            record: .init(sfi: 1, number: 1, isAuthenticated: true), chain["staticDataToBeAuthenticated"].hex ?? [])
        return data
    }

    private func offline(_ chain: JSON, _ data: CardData) throws -> OfflineAuthentication {
        OfflineAuthentication(
            data: data, aid: try #require(chain["rid"].hex), authorities: try TestKeys.authorities(),
            revocations: RevocationList(), date: try validDate(chain))
    }

    /// A day on which all of a chain's certificates are valid.
    private func validDate(_ chain: JSON) throws -> EMVDate {
        let ends = ["issuer", "icc"].compactMap { chain[$0]["expiry"].hex.flatMap { EMVDate(monthYear: $0) } }
        let end = try #require(ends.min())
        return EMVDate(year: end.year, month: end.month, day: 1)
    }

    @Test("Tampered copies fail", arguments: chains.indices)
    func tampered(_ index: Int) throws {
        let chain = Self.chains[index]
        for (name, value) in chain["tampered"].members {
            let bytes = try #require(value.hex)
            #expect(throws: AuthenticationFailure.self, "\(name)") {
                if name.contains("issuer") { _ = try issuer(chain, certificate: bytes) }
                if name.contains("icc") { _ = try card(chain, certificate: bytes) }
                if name.contains("ssad") { _ = try StaticSignature(bytes, issuer: try issuer(chain).key) }
                if name.contains("sdad") { _ = try DynamicSignature(bytes, card: try card(chain).key) }
            }
        }
    }

    @Test("A byte flipped anywhere in a certificate fails", arguments: chains.indices)
    func flipped(_ index: Int) throws {
        let chain = Self.chains[index]
        var generator = SeededGenerator(UInt64(index))
        for tag in ["90", "9F46"] {
            guard let certificate = chain["inputs"][tag].hex, !certificate.isEmpty else { continue }
            for _ in 0..<8 {
                var bytes = certificate
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[place] ^= UInt8.random(in: 1...255, using: &generator)
                #expect(throws: AuthenticationFailure.self) {
                    if tag == "90" { _ = try issuer(chain, certificate: bytes) }
                    // A card certificate's hash needs the static data; its frame alone breaks with any flip.
                    if tag == "9F46" { _ = try card(chain, certificate: bytes) }
                }
            }
        }
    }

    @Test("Dates, accounts, revocations and missing objects are noticed")
    func conditions() throws {
        guard
            let chain = Self.chains.first(where: { $0["staticDataToBeAuthenticated"].hex != nil && !$0["icc"].isNull })
        else { return }
        let data = cardData(chain, cid: 0x80, signature: [])
        let rid = try #require(chain["rid"].hex)
        let index = try #require(chain["caIndex"].hex?.first)
        func check(
            _ data: CardData, date: EMVDate = EMVDate(year: 2010, month: 1, day: 1),
            authorities: AuthorityKeys? = nil, revocations: RevocationList = RevocationList()
        ) throws -> AuthenticationFailure? {
            let authentication = OfflineAuthentication(
                data: data, aid: rid, authorities: try authorities ?? TestKeys.authorities(),
                revocations: revocations, date: date)
            do throws(AuthenticationFailure) {
                _ = try authentication.cardKey()
                return nil
            } catch { return error }
        }
        #expect(try check(data) == nil)
        #expect(try check(data, date: EMVDate(year: 2049, month: 1, day: 1)) == .expiredCertificate)
        #expect(try check(data, authorities: AuthorityKeys()) == .unknownAuthorityKey)
        var revocations = RevocationList()
        revocations.revoke(rid: rid, index: index, serial: try #require(chain["issuer"]["serial"].hex))
        #expect(try check(data, revocations: revocations) == .revoked && revocations.count == 1)
        data.set(0x9F4A, hex("8294"))
        #expect(try check(data) == .tagList)
        data.set(0x9F4A, [])
        data.set(0x5A, hex("4111111111111111"))
        #expect(try check(data) == .otherAccount)
        data.set(0x90, [])
        #expect(try check(data)?.code == "dataMissing")
    }

    @Test("The mock authority's card: the signature verifies, the issuer does not belong to the account")
    func mockAuthority() throws {
        let trace = RecordedTrace("contact-synthetic-sda-mockca.json")
        guard !trace.exchanges.isEmpty else { return }
        let data = CardData()
        var afl: ApplicationFileLocator?
        for exchange in trace.exchanges.dropFirst(4) {
            let body = Array(exchange.response.dropLast(2))
            if exchange.command[1] == 0xA8 {
                let options = try ProcessingOptions(body)
                for object in options.objects { data.set(object.tag, object.value) }
                afl = try ApplicationFileLocator(data.bytes(of: 0x94) ?? [])
            } else {
                let place = afl?.records.first {
                    $0.number == exchange.command[2] && $0.sfi == exchange.command[3] >> 3
                }
                let record = try ApplicationRecord(body, sfi: exchange.command[3] >> 3)
                for object in record.objects { data.set(object.tag, object.value) }
                data.append(record: try #require(place), record.signedBytes)
            }
        }
        let authentication = OfflineAuthentication(
            data: data, aid: hex("A123456789"), authorities: try TestKeys.authorities(), revocations: RevocationList(),
            date: EMVDate(year: 2005, month: 6, day: 1))
        #expect(throws: AuthenticationFailure.otherAccount) { try authentication.verifyStatic() }
        let key = try IssuerCertificate(
            try #require(data.sensitiveBytes(of: 0x90)), remainder: data.bytes(of: 0x92) ?? [],
            exponent: data.bytes(of: 0x9F32) ?? [],
            authority: try #require(authentication.authorities.key(for: hex("A123456789"), index: 7)).key
        ).key
        let signature = try StaticSignature(try #require(data.sensitiveBytes(of: 0x93)), issuer: key)
        let staticData = try authentication.staticData()
        #expect(signature.code == hex("0123") && signature.isHashValid(staticData: staticData))
    }

    @Test("Key files")
    func keyFiles() throws {
        let keys = try TestKeys.authorities()
        let listed = Vectors.load("oda/test-capk.json")["keys"].elements
        #expect(keys.count >= listed.count && keys.use == .test)
        for row in listed {
            let rid = try #require(row["rid"].hex)
            let index = try #require(row["index"].hex?.first)
            #expect(keys.key(for: rid, index: index)?.key.modulus == row["modulus"].hex)
        }
    }
}

@Suite("Authority keys")
struct AuthorityKeyTests {
    private let modulus = [UInt8](repeating: 0xA5, count: 128)

    private func json(checkSum: String? = nil, use: String? = nil) -> Data {
        let sum = checkSum ?? Hex.encode(Digest.sha1(hex("A000000003") + [0x92] + modulus + [3]))
        let useText = use.map { "\"use\":\"\($0)\"," } ?? ""
        let key =
            "{\"rid\":\"A000000003\",\"index\":\"92\",\"modulus\":\"\(Hex.encode(modulus))\",\"exponent\":\"03\",\"sha1Check\":\"\(sum)\"}"
        return Data("{\(useText)\"keys\":[\(key)]}".utf8)
    }

    @Test("A wrong check sum, another use or another form refuses the file")
    func files() throws {
        #expect(try AuthorityKeys(json: json()).count == 1)
        #expect(try AuthorityKeys(json: json(use: "live"), use: .live).use == .live)
        let wrongSum = json(checkSum: String(repeating: "0", count: 40))
        for (data, use) in [
            (wrongSum, AuthorityKeys.Use.test), (json(use: "live"), .test), (json(), .live), (Data("[]".utf8), .test),
        ] {
            let error = #expect(throws: EMVError.self) { try AuthorityKeys(json: data, use: use) }
            #expect(error?.code == .invalidKeyFile)
        }
        #expect(throws: EMVError.self) { try AuthorityKeys(file: "/nonexistent/keys.json") }
    }

    @Test("Test and live keys do not mix")
    func uses() throws {
        var keys = try AuthorityKeys(json: json())
        let live = try AuthorityKeys(json: json(use: "live"), use: .live)
        #expect(throws: EMVError.self) { try keys.add(live) }
        try keys.add(try AuthorityKeys(json: json()))
        #expect(keys.count == 1 && keys.key(for: hex("A0000000031010"), index: 0x92) != nil)
        #expect(keys.key(for: hex("A0000000041010"), index: 0x92) == nil)
    }
}
