// SPDX-License-Identifier: Apache-2.0

import BERTLV
import CardTesting
import Foundation
import ISO7816
import TestSupport
import Testing

@testable import EMVContactless
@testable import WalletCrypto

/// One vector of a file in `envelope/`, with what the file says of all.
struct EnvelopeVector: Sendable, CustomTestStringConvertible {
    let row: JSON
    let file: JSON

    static let all: [EnvelopeVector] = Vectors.files("envelope").filter { $0.hasSuffix(".json") }.flatMap { name in
        let file = Vectors.load("envelope/" + name)
        return file["vectors"].elements.map { EnvelopeVector(row: $0, file: file) }
    }

    var testDescription: String { row["id"].string ?? "?" }

    func key(_ name: String) throws -> P256PrivateKey {
        try P256PrivateKey(scalar: try #require(Base64URL.decode(file[name]["d"].string ?? "")))
    }

    var secrets: JWE.Secrets {
        get throws {
            JWE.Secrets(
                contentKey: SecretBytes(copying: try #require(row["cek"].hex)), iv: try #require(row["iv"].hex),
                ephemeral: try key("ephemeral"))
        }
    }

    func party(_ name: String) throws -> [UInt8] {
        try #require(Base64URL.decode(row["protectedHeader"][name].string ?? ""))
    }

    /// The read that this vector seals.
    func read() throws -> EMVReadResult {
        let data = CardData()
        var result = EMVReadResult(EMVOutcome(.onlineRequest, .onlineCryptogram), data: data)
        let general = try TLV.read(try #require(row["generalCardDataHex"].hex))
        result.kernel = general.first(0x9F2A).flatMap { KernelID($0.value) }
        result.application = general.first(0x4F)?.bytes
        if let label = general.first(0x50) { data.set(0x50, label.value) }
        let terminal: Set<TLVTag> = [0x95, 0x9A, 0x9C, 0x5F2A, 0x9F02, 0x9F03, 0x9F1A, 0x9F33, 0x9F34, 0x9F35, 0x9F37]
        for object in try TLV.read(try #require(row["plaintextTLV"].hex)) {
            if terminal.contains(object.tag) {
                result.terminalObjects[object.tag] = object.bytes
            } else {
                data.set(object.tag, object.value)
            }
        }
        return result
    }
}

@Suite("Envelope vectors", .enabled(if: Vectors.isAvailable, "COUNTERTOP_VECTORS is not set"))
struct EnvelopeVectorTests {
    @Test("The folder holds vectors")
    func some() { #expect(EnvelopeVector.all.count >= 2) }

    @Test("The same text, byte for byte, from the same secrets", arguments: EnvelopeVector.all)
    func sealed(_ vector: EnvelopeVector) throws {
        let header = vector.row["protectedHeader"]
        let envelope = PaymentEnvelope(
            provider: ProviderKey(try vector.key("recipient").publicKey, id: header["kid"].string),
            readerID: String(decoding: try vector.party("apu"), as: UTF8.self),
            merchantID: String(decoding: try vector.party("apv"), as: UTF8.self))
        let read = try vector.read()
        let sealed = try envelope.seal(
            read, transactionID: try #require(header["txn"].string),
            at: Date(timeIntervalSince1970: Double(try #require(header["iat"].int)) + 0.9), secrets: vector.secrets)
        #expect(sealed.paymentCardData == vector.row["paymentCardDataBase64"].string)
        #expect(Base64.decode(sealed.paymentCardData) == vector.row["paymentCardData"].string.map { Array($0.utf8) })
        #expect(sealed.generalCardData == vector.row["generalCardData"].string)
        #expect(Base64.decode(sealed.generalCardData) == vector.row["generalCardDataHex"].hex)
        #expect(read.data.tags.isEmpty, "the card data are overwritten")
        #expect(envelope.provider.isPublished)
    }

    @Test("Opened by the provider", arguments: EnvelopeVector.all)
    func opened(_ vector: EnvelopeVector) throws {
        let key = try vector.key("recipient")
        for name in ["paymentCardData", "paymentCardDataBase64"] {
            let opened = try ProviderSide.open(try #require(vector.row[name].string), with: key)
            let expected = try TLV.read(try #require(vector.row["plaintextTLV"].hex))
            #expect(opened.objects.map(\.tag) == expected.map(\.tag))
            #expect(opened.objects.map(\.bytes) == expected.map(\.bytes))
            let header = vector.row["protectedHeader"]
            #expect(opened.keyID == header["kid"].string && opened.transactionID == header["txn"].string)
            #expect(opened.issuedAt == header["iat"].int)
            #expect(Array(opened.readerID.utf8) == (try vector.party("apu")))
            #expect(Array(opened.merchantID.utf8) == (try vector.party("apv")))
        }
    }

    @Test("Whatever was tampered with does not open", arguments: EnvelopeVector.all)
    func tampered(_ vector: EnvelopeVector) throws {
        let key = try vector.key("recipient")
        for (name, value) in vector.row.members where name.hasPrefix("tampered") || name.hasPrefix("swapped") {
            let text = try #require(value.string)
            let error = #expect(throws: CryptoError.self, "\(name)") { try ProviderSide.open(text, with: key) }
            #expect(error?.code == .authenticationFailed, "\(name)")
        }
        let error = #expect(throws: CryptoError.self) {
            try ProviderSide.open(vector.row["paymentCardData"].string ?? "", with: .generate())
        }
        #expect(error?.code == .authenticationFailed)
    }

    @Test("The wrapping key, and what stands in the clear", arguments: EnvelopeVector.all)
    func parts(_ vector: EnvelopeVector) throws {
        let secret = try vector.key("ephemeral").sharedSecret(with: try vector.key("recipient").publicKey)
        let key = try JWE.derive(
            secret, algorithm: JWE.algorithm, partyU: vector.party("apu"), partyV: vector.party("apv"), count: 32)
        #expect(key.withUnsafeBytes { Array($0) } == vector.row["kek"].hex)
        let rules = vector.file["rules"]
        let allowed = rules["generalCardDataAllowed"].elements.compactMap { TLVTag(hex: $0.string ?? "") }
        let forbidden = rules["generalCardDataForbidden"].elements.compactMap { TLVTag(hex: $0.string ?? "") }
        #expect(SealedTags.generalAllowed.isSubset(of: allowed))
        #expect(SealedTags.generalForbidden.isSuperset(of: forbidden))
    }

    @Test("RFC 7518, appendix C: the derived key")
    func selfCheck() throws {
        for name in Vectors.files("envelope").filter({ $0.hasSuffix(".json") }) {
            let file = Vectors.load("envelope/" + name)
            let check = file["kdfSelfCheck"]
            guard let expected = check["derived"].string.flatMap({ Base64URL.decode($0) }) else { continue }
            let vector = EnvelopeVector(row: .null, file: file)
            let secret = try vector.key("ephemeral").sharedSecret(with: try vector.key("recipient").publicKey)
            let key = try JWE.derive(
                secret, algorithm: try #require(check["alg"].string),
                partyU: Array(try #require(check["apu"].string).utf8),
                partyV: Array(try #require(check["apv"].string).utf8), count: expected.count)
            #expect(key.withUnsafeBytes { Array($0) } == expected)
        }
    }
}

@Suite("Envelope")
struct EnvelopeTests {
    private func envelope(_ key: P256PrivateKey) -> PaymentEnvelope {
        PaymentEnvelope(provider: ProviderKey(key.publicKey), readerID: "reader-1", merchantID: "merchant-1")
    }

    /// A read with a value for every tag there is.
    private func everything(pan: String = "4761739001010119", terminal: [TLVTag: [UInt8]] = [:]) -> EMVReadResult {
        let data = CardData()
        for tag in SealedTags.sealed + SealedTags.sealedInMagStripeMode + Array(SealedTags.generalForbidden) {
            data.set(tag, [0xAA, 0xBB, UInt8(truncatingIfNeeded: tag.rawValue)])
        }
        data.set(0x5A, hex(pan))
        data.set(0x50, Array("VISA".utf8))
        data.set(0x42, [1, 2, 3])
        var read = EMVReadResult(EMVOutcome(.onlineRequest, .onlineCryptogram), data: data)
        (read.kernel, read.application, read.terminalObjects) = (3, hex("A0000000031010"), terminal)
        return read
    }

    @Test("Allow list and forbidden list share nothing, and the default is inside")
    func tables() {
        #expect(SealedTags.generalAllowed.isDisjoint(with: SealedTags.generalForbidden))
        #expect(SealedTags.generalAllowed.isSuperset(of: SealedTags.general))
        #expect(SealedTags.generalAllowed.isDisjoint(with: SealedTags.masked))
        let sensitive = SealedTags.general.filter { TagDictionary.standard.isSensitive($0) }
        #expect(sensitive.isEmpty)
        #expect(Set(SealedTags.sealed).count == SealedTags.sealed.count)
    }

    @Test("What is asked for in the clear beyond the allow list is left out")
    func general() throws {
        var envelope = envelope(try .generate())
        envelope.generalTags = Array(SealedTags.generalForbidden) + [0x42, 0x9F25, 0x82, 0x9F6E, 0x9F27, 0xDF01]
        let sealed = try envelope.seal(everything(), transactionID: "t", at: Date())
        let objects = try TLV.read(try #require(Base64.decode(sealed.generalCardData)))
        #expect(objects.map(\.tag) == [0x42, 0x9F25, 0x9F27])
        #expect(objects.map(\.bytes) == [hex("476173"), hex("0119"), hex("AABB27")])
    }

    @Test("A card that writes its number into its label or name does not get it out")
    func label() throws {
        let key = try P256PrivateKey.generate()
        for label in [Array("4761739001010119".utf8), Array("N 12345678".utf8), hex("FF4761739001010119")] {
            let read = everything()
            read.data.set(0x50, label)
            let sealed = try envelope(key).seal(read, transactionID: "t", at: Date())
            let tags = try TLV.read(try #require(Base64.decode(sealed.generalCardData))).map(\.tag)
            #expect(!tags.contains(0x50) && tags.contains(0x4F))
        }
        var read = everything()
        read.application = hex("A0000000034761739001010119")
        let sealed = try envelope(key).seal(read, transactionID: "t", at: Date())
        #expect(try !TLV.read(try #require(Base64.decode(sealed.generalCardData))).map(\.tag).contains(0x4F))
    }

    @Test("The terminal's objects are the terminal's, whatever the card sends")
    func terminalWins() throws {
        let key = try P256PrivateKey.generate()
        let read = everything(terminal: [0x9F02: hex("000000001250"), 0x9F37: hex("01020304")])
        let opened = try ProviderSide.open(
            try envelope(key).seal(read, transactionID: "t", at: Date()).paymentCardData, with: key)
        #expect(opened.objects.first(0x9F02)?.bytes == hex("000000001250"))
        #expect(opened.objects.first(0x9F37)?.bytes == hex("01020304"))
        #expect(opened.objects.map(\.tag) == SealedTags.sealed)
        #expect(opened.readerID == "reader-1" && opened.merchantID == "merchant-1" && opened.transactionID == "t")
        #expect(opened.keyID == key.publicKey.thumbprint)
        var text = "\(opened) \(String(reflecting: opened))"
        dump(opened, to: &text)
        #expect(!text.contains("AABB") && text.contains("objects"))
    }

    @Test("Mag-stripe mode sends its tracks and codes too")
    func magStripe() throws {
        let key = try P256PrivateKey.generate()
        var read = everything()
        read.outcome.reason = EMVReason(code: "magStripeMode", text: "read")
        let opened = try ProviderSide.open(
            try envelope(key).seal(read, transactionID: "t", at: Date()).paymentCardData, with: key)
        #expect(opened.objects.map(\.tag) == SealedTags.sealed + SealedTags.sealedInMagStripeMode)
    }

    @Test("An empty read, odd names, dates before 1970 and long values are sealed too")
    func odd() throws {
        let key = try P256PrivateKey.generate()
        let names = ["", "a\"b\\c\u{1}\n", "Käse 🧀", String(repeating: "x", count: 5000)]
        for name in names {
            let envelope = PaymentEnvelope(provider: ProviderKey(key.publicKey), readerID: name, merchantID: name)
            let read = EMVReadResult(EMVOutcome(.onlineRequest, .onlineCryptogram), data: CardData())
            read.data.set(0x57, [UInt8](repeating: 7, count: 300))
            let sealed = try envelope.seal(read, transactionID: name, at: Date(timeIntervalSince1970: -1.5))
            let opened = try ProviderSide.open(sealed.paymentCardData, with: key)
            #expect(opened.readerID == name && opened.merchantID == name && opened.transactionID == name)
            #expect(opened.issuedAt == -2 && opened.objects.map(\.bytes) == [[UInt8](repeating: 7, count: 300)])
        }
    }

    @Test("Two seals of one read share nothing")
    func fresh() throws {
        let key = try P256PrivateKey.generate()
        let texts = try (0..<2).map { _ in
            try envelope(key).seal(everything(), transactionID: "t", at: Date()).paymentCardData
        }
        let parts = texts.map { String(decoding: Base64.decode($0) ?? [], as: UTF8.self).split(separator: ".") }
        #expect(zip(parts[0], parts[1]).allSatisfy { $0 != $1 })
    }

    @Test("Published keys are known as such; a key's id is its thumbprint")
    func keys() throws {
        #expect(!ProviderKey(try P256PrivateKey.generate().publicKey).isPublished)
        let key = try P256PrivateKey.generate().publicKey
        #expect(try ProviderKey(pem: key.pem()) == ProviderKey(key) && ProviderKey(key).id.count == 43)
        #expect(try ProviderKey(pem: key.pem(), id: "psp").id == "psp")
        #expect(throws: CryptoError.self) { try ProviderKey(pem: "nothing") }
    }

    @Test("What is sealed but no card read, and what is no Base64, is refused")
    func otherMessages() throws {
        let key = try P256PrivateKey.generate()
        var parameters = JWE.Parameters()
        let plain = SecretBytes(copying: [0x9F, 0x02])
        let other = try JWE.seal(plain, to: key.publicKey, parameters: parameters)
        (parameters.type, parameters.contentType) = (PaymentEnvelope.type, PaymentEnvelope.contentType)
        let cut = try JWE.seal(plain, to: key.publicKey, parameters: parameters)
        for text in [other, cut, "", " ", "!", "....", "AAAA", Base64.encode([0xFF, 0xFE])] {
            let error = #expect(throws: CryptoError.self) { try ProviderSide.open(text, with: key) }
            #expect(error?.code == .invalidMessage, "\(text.prefix(20))")
        }
    }

    @Test("Never traps: random and damaged texts")
    func neverTraps() throws {
        let key = try P256PrivateKey.generate()
        let good = try envelope(key).seal(everything(), transactionID: "t", at: Date()).paymentCardData
        var random = SeededRandom(seed: 77)
        for round in 0..<600 {
            let mutated = random.mutate(Array(good.utf8))
            _ = try? ProviderSide.open(String(decoding: mutated, as: UTF8.self), with: key)
            _ = try? ProviderSide.open(String(decoding: random.bytes(round % 200), as: UTF8.self), with: key)
        }
    }
}
