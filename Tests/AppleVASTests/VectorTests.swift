// SPDX-License-Identifier: Apache-2.0

import BERTLV
import Foundation
import ISO7816
import Testing
import WalletCrypto

@testable import AppleVAS

@Suite("Vectors", .enabled(if: Vectors.areThere, "COUNTERTOP_VECTORS is not set"))
struct VectorTests {
    @Test("pass type identifiers hash to their merchant ids")
    func hashes() throws {
        for hash in try Vectors.load().passTypeHashes {
            #expect(Hex.encode(VASMerchant.merchantID(for: hash.passTypeIdentifier)).lowercased() == hash.sha256)
        }
    }

    @Test("keys have their key ids")
    func keyIDs() throws {
        let vectors = try Vectors.load()
        for key in vectors.allKeys {
            #expect(VASKey.id(of: try vectors.privateKey(key.name).publicKey).description == key.keyId)
        }
    }

    @Test("each cryptogram opens: method, time and message, with one key of many")
    func decrypt() throws {
        let vectors = try Vectors.load()
        let ring = try vectors.ring()
        for vector in vectors.payloads {
            let cryptogram = try Hex.decode(vector.cryptogram9F27)
            let parsed = try VASCryptogram(cryptogram)
            #expect(parsed.keyID.description == vector.keyId)
            #expect(Hex.encode(parsed.ephemeralX).lowercased() == vector.ephemeralX)
            #expect(Hex.encode(parsed.ciphertext).lowercased() == vector.ciphertext)
            #expect(Hex.encode(parsed.tag).lowercased() == vector.tag)
            let payload = try ring.decrypt(cryptogram, passTypeIdentifier: vector.passTypeIdentifier).get()
            #expect(payload.method == vector.method, "\(vector.id)")
            #expect(payload.messageText == vector.message, "\(vector.id)")
            #expect(payload.timestamp.timeIntervalSince1970 == 978_307_200 + Double(vector.timestamp))
            #expect(payload.timestamp.formatted(.iso8601) == vector.timestampUtc)
            #expect(payload.keyID.description == vector.keyId)
            if vector.method == 1 {
                let context = VASKeyContext(passTypeIdentifier: vector.passTypeIdentifier)
                #expect(Hex.encode(context.sharedInfo).lowercased() == vector.kdfSharedInfo)
            }
        }
    }

    @Test("each whole answer gives its cryptogram")
    func answers() throws {
        for vector in try Vectors.load().payloads {
            guard let answer = vector.getVasDataResponse else { continue }
            let merchant = VASMerchant(passTypeIdentifier: vector.passTypeIdentifier)
            let entry = VASEntry(merchant: merchant, response: try ResponseAPDU(Hex.decode(answer)))
            #expect(entry.cryptogram == (try Hex.decode(vector.cryptogram9F27)))
            #expect(entry.mobileToken == [])
            #expect(entry.oddities.isEmpty)
        }
    }

    @Test("each damaged cryptogram is refused for its own reason")
    func negative() throws {
        let vectors = try Vectors.load()
        let ring = try vectors.ring()
        for negative in vectors.negative {
            guard let hex = negative.cryptogram9F27 else { continue }
            let base = try #require(vectors.payloads.first { $0.id == negative.base })
            let cryptogram = try Hex.decode(hex)
            let result = ring.decrypt(cryptogram, passTypeIdentifier: base.passTypeIdentifier)
            guard case .failure(let failure) = result else {
                Issue.record("\(negative.change) was taken")
                continue
            }
            let code: VASPayloadFailure.Code =
                cryptogram.count < 56
                ? .tooShort : negative.expect == "reject" ? .invalidEphemeralKey : .authenticationFailed
            #expect(failure.code == code, "\(negative.change)")
            #expect(failure.cryptogram == cryptogram)
        }
    }

    @Test("another key derivation or a 12-byte IV does not open the capture")
    func otherConstructions() throws {
        let vectors = try Vectors.load()
        let vector = try #require(vectors.vasDecrypt.first)
        let cryptogram = try VASCryptogram(Hex.decode(vector.cryptogram9F27))
        let secret = try vectors.privateKey(vector.key).sharedSecret(withX: cryptogram.ephemeralX)
        let info = try Hex.decode(vector.kdfSharedInfo)
        let concat = try ConcatKDF.sha256(sharedSecret: secret, otherInfo: info, count: 32)
        let right = try X963KDF.sha256(sharedSecret: secret, sharedInfo: info, count: 32)
        for (key, ivCount) in [(concat, 16), (right, 12)] {
            let error = #expect(throws: CryptoError.self) {
                try AESGCM.open(
                    ciphertext: cryptogram.ciphertext, tag: cryptogram.tag, key: key,
                    iv: [UInt8](repeating: 0, count: ivCount))
            }
            #expect(error?.code == .authenticationFailed)
        }
    }

    @Test("the SELECT samples of real phones")
    func selectSamples() throws {
        for sample in try Vectors.load().vasSelectSamples {
            let selection = VASSelection(data: try Hex.decode(sample.response))
            #expect(selection.isApple)
            #expect(selection.oddities.isEmpty)
            #expect(selection.deviceNonce == (try Hex.decode(sample.nonce)))
            #expect(selection.capabilities?.bytes == (try Hex.decode(sample.capabilities)))
        }
    }

    @Test("the words that a phone answers to odd objects are all named")
    func badObjects() throws {
        for bad in try Vectors.load().vasBadTlvObserved {
            let status = VASStatus(try #require(StatusWord(hex: bad.sw.prefix(4))))
            #expect(status.isVAS, "\(bad.id)")
        }
    }
}
