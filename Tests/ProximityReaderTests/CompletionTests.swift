// SPDX-License-Identifier: Apache-2.0

import EMVContactless
import EmulatedWallet
import Foundation
import ISO7816
import Synchronization
import Testing
import WalletCrypto

@testable import ProximityReader

/// What a counter was given before its reads were complete, and the events that had been sent by then.
private final class Keeper: Sendable {
    struct Full: Error {}

    let reads = Mutex<[CompletedRead]>([])
    let isFull: Bool
    /// Called in the middle of it.
    let meanwhile: @Sendable () async -> Void

    init(isFull: Bool = false, meanwhile: @escaping @Sendable () async -> Void = {}) {
        (self.isFull, self.meanwhile) = (isFull, meanwhile)
    }

    func keep(_ read: CompletedRead) async throws {
        await meanwhile()
        reads.withLock { $0.append(read) }
        if isFull { throw Full() }
    }

    var all: [CompletedRead] { reads.withLock { $0 } }
}

@Suite("A read is kept before it is complete")
struct CompletionTests {
    static let notKept = ["readyForTap", "cardDetected", "removeCard", "readNotCompleted", "userInterfaceDismissed"]

    @Test("A pass read: what the app gets was kept first")
    func passes() async throws {
        let keeper = Keeper()
        let bench = try Bench(set: { $0.beforeCompletion = keeper.keep })
        let (result, events) = await bench.read()
        #expect(events == Sequence.good && keeper.all.count == 1)
        let kept = try #require(keeper.all.first)
        let read = try result.get()
        #expect(kept.passes?.id == read.id && kept.payment == nil)
        #expect(kept.passes?.entries.first?.customerVASData == read.entries.first?.customerVASData)
        #expect(kept.tap.statusWords == [Bench.club: .success] && kept.tap.walletName == "ApplePay")
        #expect(try bench.messages(kept.passes.map { .success($0) } ?? result) == ["M-1"])
    }

    @Test("A payment read and a one-tap read likewise", arguments: [[], [Bench.club]])
    func payments(passes: [String]) async throws {
        let keeper = Keeper()
        let bench = try PaymentBench {
            $0.paymentCard = EmulatedPaymentTests.phone()
        } set: {
            $0.beforeCompletion = keeper.keep
        }
        let (result, events) = await bench.read(passes: passes)
        #expect(events == Sequence.good && keeper.all.count == 1)
        let (kept, both) = (try #require(keeper.all.first), try result.get())
        #expect(kept.payment?.id == both.payment?.id && kept.payment?.outcome == .success)
        #expect(kept.passes?.id == both.passes?.id && (kept.passes == nil) == passes.isEmpty)
        #expect(kept.tap.kernel == "03" && kept.tap.payment?.value == .onlineRequest)
    }

    @Test("A phone that stays locked is a result too")
    func locked() async throws {
        let keeper = Keeper()
        let bench = try Bench({ $0.locked = true }, set: { $0.beforeCompletion = keeper.keep })
        let (_, events) = await bench.read()
        #expect(events == Sequence.retry + Sequence.good)
        #expect(keeper.all.map { $0.passes?.entries.first?.status } == [.vasDataNotActivated])
    }

    @Test("What brings no result is not given to the counter")
    func failed() async throws {
        let keeper = Keeper()
        let bench = try Bench(
            { $0.leavesFieldAt = 1 }, set: { $0.beforeCompletion = keeper.keep })
        let (result, events) = await bench.read()
        #expect(caseName(result) == "cardReadFailed" && keeper.all.isEmpty)
        #expect(!events.contains("readCompleted"))
    }

    @Test("A pass read that is not kept has no result and no readCompleted, and the next one works")
    func passesNotKept() async throws {
        let keeper = Keeper(isFull: true)
        let bench = try Bench(set: { $0.beforeCompletion = keeper.keep })
        let (result, events) = await bench.read()
        #expect(caseName(result) == "readerServiceError" && events == Self.notKept)
        #expect(await bench.read().events == Self.notKept && keeper.all.count == 2)
    }

    @Test("A payment read that is not kept leaves its passes with the session", arguments: [[], [Bench.club]])
    func paymentsNotKept(passes: [String]) async throws {
        let keeper = Keeper(isFull: true)
        let bench = try PaymentBench {
            $0.paymentCard = EmulatedPaymentTests.phone()
        } set: {
            $0.beforeCompletion = keeper.keep
        }
        let (result, events) = await bench.bench.run { reader in
            let session = try await reader.prepare(using: bench.bench.token())
            do { _ = try await PaymentBench.read(session, PaymentBench.purchase, passes, false) } catch {
                #expect(session.passesOfFailedRead?.id == keeper.all.first?.passes?.id)
                throw error
            }
        }
        #expect(caseName(result) == "readerServiceError" && events == Self.notKept)
        #expect(keeper.all.first?.passes?.entries.count ?? 0 == passes.count)
    }

    @Test("The event waits for it, and the end of the task does not reach it")
    func order() async throws {
        let wasCancelled = Mutex<Bool?>(nil)
        let task = Mutex<Task<Void, any Error>?>(nil)
        let keeper = Keeper {
            task.withLock { $0 }?.cancel()
            await Task.yield()
            wasCancelled.withLock { $0 = Task.isCancelled }
        }
        let bench = try Bench(set: { $0.beforeCompletion = keeper.keep })
        let (_, events) = await bench.run { reader in
            let session = try await reader.prepare(using: bench.token())
            let read = Task { _ = try await session.readVAS(Bench.request(Bench.club)) }
            task.withLock { $0 = read }
            try await read.value
        }
        #expect(wasCancelled.withLock { $0 } == false && events == Sequence.good)
    }
}
