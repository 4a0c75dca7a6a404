// SPDX-License-Identifier: Apache-2.0

import AppleVAS
import Foundation
import ProximityReader
import Testing

/// What countertop adds to Apple's result, seen as an app sees it.
@Suite("Opening what was read")
struct DecryptionTests {
    @Test("Pass data is fresh once, a repetition afterwards, and old when it comes late")
    func freshness() async throws {
        let bench = try Bench()
        var keys = VASKeyRing()
        keys.add(bench.passKey, passTypeIdentifier: Bench.club)
        let entry = try #require(try await bench.read().result.get().entries.first)
        let payload = try #require(try entry.decrypted(with: keys)?.get())
        let (judge, read) = (VASFreshness(), payload.timestamp.addingTimeInterval(1))
        #expect(entry.freshness(of: payload, by: judge, at: read) == .fresh)
        #expect(entry.freshness(of: payload, by: judge, at: read) == .replayed)
        let late = payload.timestamp.addingTimeInterval(60)
        #expect(entry.freshness(of: payload, by: VASFreshness(), at: late) == .tooOld(age: 60))
    }

    @Test("Where there is no pass there is nothing to judge")
    func nothing() async throws {
        let bench = try Bench()
        let result = try await bench.read(Bench.request(Bench.club, "pass.com.example.none")).result.get()
        var keys = VASKeyRing()
        keys.add(bench.passKey)
        let payload = try #require(try result.entries.first?.decrypted(with: keys)?.get())
        let missing = try #require(result.entries.last)
        #expect(missing.decrypted(with: keys) == nil && missing.freshness(of: payload, by: VASFreshness()) == nil)
    }
}
