// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import Testing
import WalletCrypto

@testable import AppleVAS

@Suite("Key ring")
struct KeyRingTests {
    private let message = Array("hello".utf8)
    private let day = Date(timeIntervalSinceReferenceDate: 800_000_000)

    private func failure(_ result: Result<VASPayload, VASPayloadFailure>) throws -> VASPayloadFailure {
        guard case .failure(let failure) = result else {
            throw VASPayloadFailure(.internalFailure, reason: "it opened", cryptogram: [])
        }
        return failure
    }

    @Test("both methods open, and are told apart", arguments: [1, 2])
    func methods(method: Int) throws {
        let key = try P256PrivateKey.generate()
        var ring = VASKeyRing()
        ring.add(key)
        let sealed = try Sample.seal(message, to: key.publicKey, seconds: .max, method: method)
        let payload = try ring.decrypt(sealed, passTypeIdentifier: Sample.passType).get()
        #expect(payload.method == method)
        #expect(payload.messageText == "hello")
        #expect(payload.passTypeIdentifier == Sample.passType)
        #expect(payload.timestamp.timeIntervalSinceReferenceDate == 4_294_967_295)
    }

    @Test("messages of no bytes, 64 bytes, more, and bytes that are no text", arguments: [0, 1, 64, 65, 500])
    func lengths(count: Int) throws {
        let key = try Sample.key(7)
        var ring = VASKeyRing()
        ring.add(key, passTypeIdentifier: Sample.passType)
        let message = [UInt8](repeating: 0xFF, count: count)
        let sealed = try Sample.seal(message, to: key.publicKey)
        let payload = try ring.decrypt(sealed, passTypeIdentifier: Sample.passType).get()
        #expect(payload.message == message)
        #expect(payload.messageText == (count == 0 ? "" : nil))
    }

    @Test("the key is chosen by its id among several of one pass type")
    func several() throws {
        let keys = try (1...5).map { try Sample.key($0) }
        var ring = VASKeyRing()
        for key in keys { ring.add(key, passTypeIdentifier: Sample.passType) }
        for key in keys {
            let sealed = try Sample.seal(message, to: key.publicKey)
            let payload = try ring.decrypt(sealed, passTypeIdentifier: Sample.passType).get()
            #expect(payload.keyID == VASKey.id(of: key.publicKey))
        }
    }

    @Test("an unknown key is said before any crypto, with the known ids")
    func unknown() throws {
        var ring = VASKeyRing()
        let mine = try Sample.key(1)
        ring.add(mine, passTypeIdentifier: Sample.passType)
        ring.add(mine, passTypeIdentifier: Sample.passType, validUntil: day)
        ring.add(try Sample.key(2), passTypeIdentifier: Sample.other)
        // An X that is no point shows that no crypto was tried.
        let sealed: [UInt8] = [1, 2, 3, 4] + [UInt8](repeating: 1, count: 60)
        let failure = try failure(ring.decrypt(sealed, passTypeIdentifier: Sample.passType))
        #expect(failure.code == .unknownKey)
        #expect(failure.keyID?.description == "01020304")
        #expect(failure.knownKeyIDs == [VASKey.id(of: mine.publicKey)])
        #expect(failure.reason.contains("01020304"))
        #expect(failure.reason.contains(VASKey.id(of: mine.publicKey).description))
        #expect(failure.cryptogram == sealed)
        let empty = try self.failure(VASKeyRing().decrypt(sealed, passTypeIdentifier: Sample.passType))
        #expect(empty.reason.contains("none"))
    }

    @Test("a key of another pass type does not open, and the hint says whose it is")
    func otherPassType() throws {
        let key = try Sample.key(3)
        var ring = VASKeyRing()
        ring.add(key, passTypeIdentifier: Sample.other)
        let sealed = try Sample.seal(message, to: key.publicKey)
        let failure = try failure(ring.decrypt(sealed, passTypeIdentifier: Sample.passType))
        #expect(failure.code == .unknownKey)
        #expect(failure.hint?.contains(Sample.other) == true)
    }

    @Test("rotation: a key opens from its first moment until its end, the end excluded")
    func validity() throws {
        let key = try Sample.key(4)
        var ring = VASKeyRing()
        ring.add(key, validFrom: day, validUntil: day + 10)
        let sealed = try Sample.seal(message, to: key.publicKey)
        func code(_ date: Date) -> VASPayloadFailure.Code? {
            guard case .failure(let failure) = ring.decrypt(sealed, passTypeIdentifier: Sample.passType, at: date)
            else { return nil }
            return failure.code
        }
        #expect(code(day - 1) == .keyNotValid)
        #expect(code(day) == nil)
        #expect(code(day + 9) == nil)
        #expect(code(day + 10) == .keyNotValid)
        ring.add(key, validFrom: day + 10)
        #expect(code(day + 10) == nil)
    }

    @Test("keys whose ids collide are tried in turn, those of the pass type first")
    func collision() throws {
        let (wrong, right) = (try Sample.key(5), try Sample.key(6))
        let id = VASKey.id(of: right.publicKey)
        var ring = VASKeyRing()
        ring.add(VASKey(wrong, id: id, passTypeIdentifier: nil))
        ring.add(VASKey(wrong, id: id, passTypeIdentifier: Sample.passType))
        let sealed = try Sample.seal(message, to: right.publicKey, method: 2)
        let failure = try failure(ring.decrypt(sealed, passTypeIdentifier: Sample.passType))
        #expect(failure.code == .authenticationFailed)
        ring.add(right)
        #expect(try ring.decrypt(sealed, passTypeIdentifier: Sample.passType).get().method == 2)
    }

    @Test("data of another pass type or changed data fails at the tag")
    func authentication() throws {
        let key = try Sample.key(8)
        var ring = VASKeyRing()
        ring.add(key)
        var sealed = try Sample.seal(message, to: key.publicKey)
        #expect(try failure(ring.decrypt(sealed, passTypeIdentifier: Sample.other)).code == .authenticationFailed)
        for index in sealed.indices where index >= 36 {
            sealed[index] ^= 1
            #expect(
                try failure(ring.decrypt(sealed, passTypeIdentifier: Sample.passType)).code == .authenticationFailed)
            sealed[index] ^= 1
        }
    }

    @Test("fewer than 56 bytes are refused before anything else", arguments: 0..<56)
    func tooShort(count: Int) throws {
        let failure = try failure(
            VASKeyRing().decrypt([UInt8](repeating: 0xFF, count: count), passTypeIdentifier: Sample.passType))
        #expect(failure.code == .tooShort)
        #expect((failure.keyID == nil) == (count < 4))
    }

    @Test("keys cannot be printed")
    func unprintable() throws {
        var ring = VASKeyRing()
        ring.add(try Sample.key(9), passTypeIdentifier: Sample.passType)
        let key = try #require(ring.keys.first)
        var text = "\(ring) \(key) " + String(reflecting: ring) + String(reflecting: key)
        dump(ring, to: &text)
        dump(key, to: &text)
        #expect(!text.contains(String(repeating: "0", count: 20)))
        #expect(text.contains(Sample.passType))
        #expect(Mirror(reflecting: ring).children.isEmpty)
    }
}

@Suite("Cryptograms")
struct CryptogramTests {
    private func code(x: [UInt8]) -> VASPayloadFailure.Code? {
        do throws(VASPayloadFailure) {
            _ = try VASCryptogram([0, 0, 0, 0] + x + [UInt8](repeating: 0, count: 20))
            return nil
        } catch {
            return error.code
        }
    }

    @Test("an X from the prime on is refused, one under it is not")
    func range() {
        let prime: [UInt8] =
            [255, 255, 255, 255, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 12) + [UInt8](repeating: 255, count: 12)
        #expect(code(x: prime) == .invalidEphemeralKey)
        #expect(code(x: [UInt8](repeating: 255, count: 32)) == .invalidEphemeralKey)
        #expect(code(x: prime.dropLast() + [254]) == nil)
        #expect(code(x: [UInt8](repeating: 0, count: 32)) == nil)
    }

    @Test("an X that no point has is refused for that reason")
    func notOnCurve() throws {
        let key = try Sample.key(1)
        var ring = VASKeyRing()
        ring.add(key)
        var codes: Set<VASPayloadFailure.Code> = []
        for last in 0..<16 {
            let x = [UInt8](repeating: 0, count: 31) + [UInt8(last)]
            let bytes = VASKey.id(of: key.publicKey).bytes + x + [UInt8](repeating: 0, count: 20)
            if case .failure(let failure) = ring.decrypt(bytes, passTypeIdentifier: Sample.passType) {
                codes.insert(failure.code)
            }
        }
        #expect(codes == [.invalidEphemeralKey, .authenticationFailed])
    }

    @Test("any bytes can be given to the ring")
    func neverTraps() throws {
        let key = try Sample.key(10)
        var ring = VASKeyRing()
        ring.add(key, passTypeIdentifier: Sample.passType)
        let good = try Sample.seal(Array("hello".utf8), to: key.publicKey)
        var random = SeededRandom(seed: 3)
        for round in 0..<2_000 {
            let bytes = round % 2 == 0 ? random.bytes(round % 200) : random.mutate(good)
            guard case .failure(let failure) = ring.decrypt(bytes, passTypeIdentifier: Sample.passType) else {
                #expect(bytes == good)
                continue
            }
            #expect(failure.cryptogram == bytes)
        }
    }
}
