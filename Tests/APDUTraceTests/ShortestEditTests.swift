// SPDX-License-Identifier: Apache-2.0

import CardTesting
import ISO7816
import Testing

@testable import APDUTrace

@Suite("The shortest edit")
struct ShortestEditTests {
    @Test("As long as the standard library's, and it leads from one list to the other")
    func randomLists() throws {
        var random = SeededRandom(seed: 31)
        for _ in 0..<500 {
            let a = (0..<Int.random(in: 0...12, using: &random)).map { _ in Int.random(in: 0...3, using: &random) }
            let b = (0..<Int.random(in: 0...12, using: &random)).map { _ in Int.random(in: 0...3, using: &random) }
            let edit = try #require(ShortestEdit(from: a, to: b, limit: 24))
            #expect(edit.removed.count + edit.inserted.count == b.difference(from: a).count)
            let kept = a.indices.filter { !edit.removed.contains($0) }.map { a[$0] }
            #expect(kept == b.indices.filter { !edit.inserted.contains($0) }.map { b[$0] })
        }
    }

    @Test("Not beyond its limit")
    func limit() {
        #expect(ShortestEdit(from: [1, 2], to: [3, 4], limit: 3) == nil)
        #expect(ShortestEdit(from: [1, 2], to: [3, 4], limit: 4) != nil)
    }

    @Test("Long traces with nothing in common are paired in order, in little time and memory", .timeLimit(.minutes(10)))
    func strangers() throws {
        func trace(_ cla: UInt8) -> APDUTrace {
            let exchanges = (0..<20_000).map { number in
                TraceExchange(
                    command: [cla, 0xB0, UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)],
                    response: [0x90, 0x00])
            }
            return APDUTrace(taps: [APDUTrace.Tap(exchanges: exchanges)])
        }
        #expect(TraceComparison(trace(0x00), trace(0x80)).differences.count == 20_000)
    }
}
