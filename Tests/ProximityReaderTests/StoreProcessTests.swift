// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ProximityReader

@Suite("The store and other processes: killed, starved, in the way")
struct StoreProcessTests {
    @Test("Killed at any moment, every read that was handed out is there, and none twice")
    func killed() async throws {
        let bench = try Bench()
        let directory = bench.folder.path("store")
        var handedOut: [String] = []
        for round in 0..<12 {
            let probe = try StoreProbe("store", directory)
            // Not a time but a number of reads, and then somewhere in the middle of the next ones.
            for _ in 0..<(round * 3) { handedOut += [try #require(probe.line())] }
            probe.kill()
            handedOut += probe.rest()
        }
        #expect(handedOut.count >= 12 * 11 / 2 * 3 && !handedOut.contains { $0.hasPrefix("failed") })
        let store = try bench.counter.store()
        let stored = try await store.all().map(\.id)
        #expect(Set(handedOut).isSubset(of: stored), "\(Set(handedOut).subtracting(stored))")
        #expect(Set(stored).count == stored.count)
        // One more for each process at most: stored, and killed before it could be told.
        #expect(stored.count - handedOut.count <= 12)
        #expect(try await store.integrity() == "ok")
    }

    @Test("On a full disk a read fails clearly, and nothing is lost")
    func starved() async throws {
        let bench = try Bench()
        let probe = try StoreProbe("starve", bench.folder.path("store"))
        var lines = probe.rest()
        let last = lines.popLast() ?? ""
        #expect(last.hasPrefix("failed full "))
        #expect(lines.count > 10)
        let store = try bench.counter.store()
        #expect(try await store.all().map(\.id) == lines)
        #expect(try await store.integrity() == "ok")
        // With room again it goes on.
        try await store.add(Bench.stored(1))
        #expect(try await store.count() == lines.count + 1)
    }

    @Test("While another process has the store it is busy; afterwards it is free, even when that one was killed")
    func busy() async throws {
        let bench = try Bench()
        let token = try bench.token()
        _ = try await PaymentCardReader(counter: bench.counter).prepare(using: token)
        let probe = try StoreProbe("hold", bench.folder.path("store"))
        #expect(probe.line() == "held")
        let reader = PaymentCardReader(counter: bench.counter)
        let store = try reader.fetchPaymentCardReaderStore()
        #expect(await thrown { try await store.fetchStoredPaymentCardReadResultCount() } == "busy")
        #expect(await thrown { try await reader.prepareStoreAndForward() } == "readerBusy")
        // An online session needs no store.
        _ = try await PaymentCardReader(counter: bench.counter).prepare(using: token)
        probe.kill()
        _ = probe.rest()
        #expect(try await store.fetchStoredPaymentCardReadResultCount() == 0)
        let second = try StoreProbe("hold", bench.folder.path("store"))
        #expect(second.rest() == ["failed busy"])
    }
}
