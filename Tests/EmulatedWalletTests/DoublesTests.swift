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

    @Test("the numbers are SplitMix64's, on every machine and in every version")
    func pinned() {
        // Steele, Lea and Flood's generator for seed 1234567.
        var random = SeededRandom(seed: 1_234_567)
        let numbers = (0..<3).map { _ in random.next() }
        #expect(numbers == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
        var (same, mutated) = (SeededRandom(seed: 9), SeededRandom(seed: 9))
        for _ in 0..<50 { #expect(same.mutate([1, 2, 3, 4]) == mutated.mutate([1, 2, 3, 4])) }
    }

    @Test("a shared source gives each byte once, whichever thread asks")
    func shared() async {
        var random = SeededRandom(seed: 4)
        let expected = random.bytes(64)
        let source = SeededRandom.source(seed: 4)
        let parts = await withTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<16 { group.addTask { source(4) } }
            return await group.reduce(into: [[UInt8]]()) { $0.append($1) }
        }
        let pieces = stride(from: 0, to: 64, by: 4).map { Array(expected[$0..<$0 + 4]) }
        #expect(Set(parts) == Set(pieces))
    }

    @Test("a clock read from several threads is moved as a whole")
    func clockThreads() async {
        let clock = FixedClock(Date(timeIntervalSince1970: 0))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { for _ in 0..<100 { clock.advance(by: 1) } } }
        }
        #expect(clock.now == Date(timeIntervalSince1970: 1_000))
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
