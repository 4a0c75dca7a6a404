// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import AppleVAS

@Suite("Freshness")
struct FreshnessTests {
    private let now = Date(timeIntervalSinceReferenceDate: 800_000_000)

    private func payload(_ seconds: Double) -> VASPayload {
        let time = UInt32(800_000_000 + seconds)
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: time >> (24 - 8 * UInt32($0))) }
        return VASPayload(
            passTypeIdentifier: Sample.passType, keyID: VASKeyID(rawValue: 1), method: 1, plaintext: bytes)
    }

    @Test("ten seconds either way by default")
    func window() {
        let freshness = VASFreshness()
        func verdict(_ seconds: Double) -> VASFreshness.Verdict {
            freshness.check(payload(seconds), cryptogram: Array("\(seconds)".utf8), now: now)
        }
        #expect(verdict(0) == .fresh)
        #expect(verdict(-10) == .fresh)
        #expect(verdict(10) == .fresh)
        #expect(verdict(-11) == .tooOld(age: 11))
        #expect(verdict(11) == .fromTheFuture(by: 11))
    }

    @Test("clock skew widens the window both ways")
    func skew() {
        let freshness = VASFreshness(window: 10, clockSkew: 5)
        #expect(freshness.check(payload(-15), cryptogram: [1], now: now) == .fresh)
        #expect(freshness.check(payload(15), cryptogram: [2], now: now) == .fresh)
        #expect(freshness.check(payload(-16), cryptogram: [3], now: now) == .tooOld(age: 16))
    }

    @Test("the same bytes are fresh once; what was refused is not remembered")
    func replay() {
        let freshness = VASFreshness()
        #expect(freshness.check(payload(0), cryptogram: [1], now: now) == .fresh)
        #expect(freshness.check(payload(0), cryptogram: [1], now: now) == .replayed)
        #expect(freshness.check(payload(0), cryptogram: [1, 0], now: now) == .fresh)
        #expect(freshness.check(payload(-20), cryptogram: [2], now: now) == .tooOld(age: 20))
        #expect(freshness.check(payload(-20), cryptogram: [2], now: now) == .tooOld(age: 20))
    }

    @Test("the memory is bounded: the oldest is forgotten first")
    func bounded() {
        let freshness = VASFreshness(window: .infinity, capacity: 3)
        func verdict(_ byte: UInt8) -> VASFreshness.Verdict {
            freshness.check(payload(0), cryptogram: [byte], now: now)
        }
        for byte in UInt8(1)...4 { #expect(verdict(byte) == .fresh) }
        for byte in UInt8(2)...4 { #expect(verdict(byte) == .replayed) }
        #expect(verdict(1) == .fresh)
        #expect(VASFreshness(capacity: 0).capacity == 1)
    }

    @Test("one of many threads gets the same payload as fresh")
    func threads() async {
        let (freshness, payload, now) = (VASFreshness(), payload(0), now)
        let fresh = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 { group.addTask { freshness.check(payload, cryptogram: [7], now: now) == .fresh } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(fresh == 1)
    }
}
