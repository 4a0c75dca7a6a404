// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import LoyaltyFeed
import Synchronization
import Testing

@Suite("ULID generator")
struct ULIDGeneratorTests {
    @Test("grows within a millisecond, and while the clock goes back a day")
    func grows() {
        let clock = FixedClock()
        let generator = ULIDGenerator(clock: clock.read, random: SeededRandom.source(seed: 1))
        var made = (0..<100).map { _ in generator.next() }
        clock.advance(by: -86_400)
        made += (0..<100).map { _ in generator.next() }
        clock.advance(by: 2 * 86_400)
        made.append(generator.next())
        #expect(zip(made, made.dropFirst()).allSatisfy(<))
    }

    @Test("runs over into the next millisecond")
    func overflow() {
        let generator = ULIDGenerator(
            clock: FixedClock().read, random: { [UInt8](repeating: 0xFF, count: $0) })
        #expect(generator.next() < generator.next())
    }

    @Test("is different from any thread")
    func threads() async {
        let generator = ULIDGenerator()
        let all = await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { (0..<500).map { _ in generator.next() } } }
            return await group.reduce(into: Set<ULID>()) { $0.formUnion($1) }
        }
        #expect(all.count == 4_000)
    }

    @Test("little randomness is enough to go on")
    func poorRandomness() {
        let generator = ULIDGenerator(clock: FixedClock().read, random: { _ in [] })
        #expect(generator.next() < generator.next())
    }
}
