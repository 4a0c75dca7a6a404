// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import Testing

/// The test kit's clock and randomness.
@Suite("Doubles")
struct DoublesTests {
    @Test("the clock stands still until it is moved")
    func clock() {
        let start = Date(timeIntervalSince1970: 1_000)
        let clock = FixedClock(start)
        let read = clock.read
        #expect(read() == start)
        #expect(read() == start)
        clock.advance(by: 60)
        #expect(read() == start + 60)
        clock.advance(by: -90)
        #expect(clock.now == start - 30)
        clock.set(.distantFuture)
        #expect(read() == .distantFuture)
        #expect(FixedClock().now == FixedClock().now)
    }

    @Test("the same seed gives the same bytes, another seed others")
    func seeds() {
        var (first, second, other) = (SeededRandom(seed: 1), SeededRandom(seed: 1), SeededRandom(seed: 2))
        let bytes = first.bytes(64)
        #expect(bytes.count == 64)
        #expect(second.bytes(64) == bytes)
        #expect(other.bytes(64) != bytes)
        #expect(Set(bytes).count > 32)
        #expect(first.bytes(0) == [])
        #expect(first.bytes(-1) == [])
        #expect(SeededRandom.source(seed: 1)(64) == bytes)
    }

    @Test("mutations change something nearly always, and take empty input")
    func mutations() {
        var random = SeededRandom(seed: 3)
        let bytes = random.bytes(40)
        let changed = (0..<200).filter { _ in random.mutate(bytes) != bytes }.count
        #expect(changed > 180)
        for _ in 0..<200 { #expect(random.mutate([]).count <= 4) }
    }
}
