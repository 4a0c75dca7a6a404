// SPDX-License-Identifier: Apache-2.0

import LoyaltyFeed
import Testing

@Suite("ULID")
struct ULIDTests {
    @Test("the specification's example: its time is 1469918176385 ms")
    func example() throws {
        let made = ULID(milliseconds: 1_469_918_176_385, random: [])
        #expect(made.description == "01ARYZ6S410000000000000000")
        #expect(ULID("01aryz6s410000000000000000") == made)
    }

    @Test("the largest one", arguments: ["7ZZZZZZZZZZZZZZZZZZZZZZZZZ"])
    func largest(text: String) {
        let all = [UInt8](repeating: 0xFF, count: 10)
        #expect(ULID(milliseconds: (1 << 48) - 1, random: all).description == text)
    }

    @Test("no ULID", arguments: ["", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "01ARYZ6S41000000000000000I", "01ARYZ6S41"])
    func none(text: String) { #expect(ULID(text) == nil) }
}
