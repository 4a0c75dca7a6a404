// SPDX-License-Identifier: Apache-2.0

import BERTLV
import EMVContactless
import EmulatedWallet
import Foundation
import GRDB
import ISO7816
import Synchronization
import Testing
import WalletCrypto

@testable import ProximityReader

/// A string that others may set while it is read.
final class Box: Sendable {
    private let box: Mutex<String?>
    init(_ text: String?) { box = Mutex(text) }
    var text: String? {
        get { box.withLock { $0 } }
        set { box.withLock { $0 = newValue } }
    }
}

/// A counter with a plastic test card and a boot identifier of its own.
func plasticBench(
    _ network: PaymentNetwork = .visa, boot: Box = Box("boot-1"), edit: (inout PaymentCard) -> Void = { _ in },
    set: (inout Counter.Configuration) -> Void = { _ in }
) throws -> PaymentBench {
    try PaymentBench { phone in
        var card = PaymentCard(network)
        edit(&card)
        phone = PhoneDefinition()
        phone.plastic = card
    } set: {
        $0.bootID = { boot.text }
        set(&$0)
    }
}

@Suite("Store and forward: sessions")
struct StoreAndForwardTests {
    typealias Session = StoreAndForwardPaymentCardReaderSession

    /// An online session, then one without a network.
    private func session(_ bench: PaymentBench, on reader: PaymentCardReader? = nil) async throws -> Session {
        let reader = reader ?? PaymentCardReader(counter: bench.bench.counter)
        _ = try await reader.prepare(using: bench.bench.token())
        return try await reader.prepareStoreAndForward()
    }

    @Test("A read is on the disk before readCompleted, sealed, with the card's dates")
    func read() async throws {
        let counts = Box("")
        let bench = try plasticBench()
        let counter = bench.bench.counter
        let (result, events) = await bench.bench.run { reader in
            let session = try await session(bench, on: reader)
            counter.conditions = [Condition(.networkDown)]
            let result = try await session.readPaymentCard(PaymentBench.purchase)
            counts.text = "\(try await session.status().readCount)"
            return result
        }
        let read = try result.get()
        #expect(events == Sequence.good && counts.text == "1")
        #expect(read.cardEffectiveState != nil && read.cardExpirationState != nil)
        #expect(try bench.sealed(0x9F26, in: read)?.count == 16)
        let stored = try #require(try await counter.store().all().first)
        #expect(stored.id == read.id && stored.paymentCardData == read.paymentCardData)
        #expect(stored.generalCardData == read.generalCardData && stored.merchant == "merchant.example")
    }

    @Test("Without a recent online session since the machine's start there is none")
    func notAllowed() async throws {
        let boot = Box("boot-1")
        let bench = try plasticBench(boot: boot)
        let reader = PaymentCardReader(counter: bench.bench.counter)
        #expect(await thrown { try await reader.prepareStoreAndForward() } == "storeAndForwardNotAllowed")
        _ = try await session(bench)
        boot.text = "boot-2"
        #expect(await thrown { try await reader.prepareStoreAndForward() } == "storeAndForwardNotAllowed")
        boot.text = nil
        #expect(await thrown { try await reader.prepareStoreAndForward() } == "storeAndForwardNotAllowed")
        boot.text = "boot-1"
        bench.bench.time.advance(.seconds(24 * 3_600 - 1))
        _ = try await reader.prepareStoreAndForward()
        bench.bench.time.advance(.seconds(1))
        #expect(await thrown { try await reader.prepareStoreAndForward() } == "storeAndForwardNotAllowed")
    }

    @Test("The online session is remembered by the next process")
    func remembered() async throws {
        let bench = try plasticBench()
        _ = try await PaymentCardReader(counter: bench.bench.counter).prepare(using: bench.bench.token())
        let next = Counter(bench.bench.counter.configuration)
        let status = try await PaymentCardReader(counter: next).prepareStoreAndForward().status()
        #expect(status.readCount == 0 && status.expiration == VirtualTime.start.addingTimeInterval(24 * 3_600))
    }

    @Test("A session takes no reads after 24 hours, and none when what it rests on is gone")
    func expiry() async throws {
        let boot = Box("boot-1")
        let bench = try plasticBench(boot: boot)
        let session = try await session(bench)
        func read() async -> String? { await thrown { try await session.readPaymentCard(PaymentBench.purchase) } }
        #expect(await read() == nil)
        boot.text = "boot-2"
        #expect(await read() == "storeAndForwardSessionInvalidated")
        boot.text = "boot-1"
        let other = try bench.bench.token { $0.merchantID = "merchant.other" }
        _ = try await PaymentCardReader(counter: bench.bench.counter).prepare(using: other)
        #expect(await read() == "storeAndForwardSessionInvalidated")
        #expect(await thrown { try await session.status() } == "storeAndForwardSessionInvalidated")
        _ = try await PaymentCardReader(counter: bench.bench.counter).prepare(using: bench.bench.token())
        #expect(await read() == nil)
        bench.bench.time.advance(.seconds(24 * 3_600))
        #expect(await read() == "storeAndForwardSessionExpired")
        #expect(try await session.status().readCount == 2)
    }

    @Test("What is stored belongs to its token issuer")
    func issuer() async throws {
        let bench = try plasticBench()
        let reader = PaymentCardReader(counter: bench.bench.counter)
        _ = try await session(bench, on: reader).readPaymentCard(PaymentBench.purchase)
        _ = try await reader.prepare(using: bench.bench.token { $0.issuer = "another" })
        #expect(await thrown { try await reader.prepareStoreAndForward() } == "storeAndForwardTokenIssuerChanged")
        _ = try await reader.prepare(using: bench.bench.token())
        _ = try await reader.prepareStoreAndForward()
    }

    @Test("The last read can be declined for 60 seconds, and not from a batch")
    func decline() async throws {
        let bench = try plasticBench()
        let session = try await session(bench)
        let store = try PaymentCardReader(counter: bench.bench.counter).fetchPaymentCardReaderStore()
        func decline() async -> String? { await thrown { try await session.decline() } }
        #expect(await decline() == "storeAndForwardResultNotFound")
        let first = try await session.readPaymentCard(PaymentBench.purchase)
        _ = try await session.readPaymentCard(PaymentBench.purchase)
        bench.bench.time.advance(.seconds(60))
        #expect(await decline() == nil)
        #expect(try await bench.bench.counter.store().all().map(\.id) == [first.id])
        #expect(await decline() == "storeAndForwardResultNotFound")
        _ = try await session.readPaymentCard(PaymentBench.purchase)
        bench.bench.time.advance(.milliseconds(60_001))
        #expect(await decline() == "storeAndForwardDeclineFailed")
        _ = try await session.readPaymentCard(PaymentBench.purchase)
        let batch = try await store.fetchStoredPaymentCardReadResultBatch()
        #expect(batch.count == 3)
        #expect(await decline() == "storeAndForwardDeclineFailed")
        _ = try await store.resolveBatch(batchDeletionToken: bench.bench.deletionToken(for: batch.id))
        #expect(await decline() == "storeAndForwardResultNotFound")
    }

    @Test("A card that declines is not stored")
    func declined() async throws {
        let bench = try plasticBench { $0.cryptogram = .declined }
        let session = try await session(bench)
        #expect(await thrown { try await session.readPaymentCard(PaymentBench.purchase) } == "paymentCardDeclined")
        #expect(try await session.status().readCount == 0)
    }

    @Test("A read that cannot be stored ends without a result and without readCompleted")
    func broken() async throws {
        let bench = try plasticBench()
        let (result, events) = await bench.bench.run { reader in
            let session = try await session(bench, on: reader)
            try await bench.bench.counter.store().transaction { try $0.execute(sql: "DROP TABLE read") }
            return try await session.readPaymentCard(PaymentBench.purchase)
        }
        #expect(caseName(result) == "paymentReadFailed")
        #expect(
            events == ["readyForTap", "cardDetected", "removeCard", "readNotCompleted", "userInterfaceDismissed"])
    }
}
