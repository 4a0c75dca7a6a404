// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing
import WalletCrypto

@testable import ProximityReader

@Suite("The store: counts, batches, deletion tokens")
struct StoreTests {
    @Test("A batch holds the oldest reads, and there is one at a time")
    func batches() async throws {
        let bench = try Bench()
        let store = try await bench.store(reads: 5)
        #expect(try await store.fetchStoredPaymentCardReadResultCount() == 5)
        let batch = try await store.fetchStoredPaymentCardReadResultBatch(size: 2)
        #expect(batch.count == 2 && batch.payments.map(\.id) == ["read-0", "read-1"])
        #expect(
            await thrown { try await store.fetchStoredPaymentCardReadResultBatch() }
                == "storeAndForwardBatchAlreadyExists")
        try await store.resetBatchState()
        #expect(await thrown { try await store.resetBatchState() } == "storeAndForwardBatchNotFound")
        let all = try await store.fetchStoredPaymentCardReadResultBatch()
        #expect(all.count == 5 && all.id != batch.id)
        #expect(try await store.fetchStoredPaymentCardReadResultCount() == 5)
    }

    @Test("Sizes below zero and above what is stored are refused", arguments: [-1, 4, .min, .max])
    func sizes(_ size: Int) async throws {
        let store = try await Bench().store(reads: 3)
        let error = await thrown { try await store.fetchStoredPaymentCardReadResultBatch(size: size) }
        #expect(error == "storeAndForwardBatchSizeInvalid")
        #expect(try await store.fetchStoredPaymentCardReadResultBatch(size: 3).count == 3)
    }

    @Test("Resolving drops the batch and tells what remains; nothing is stored twice under one identifier")
    func resolving() async throws {
        let bench = try Bench()
        let store = try await bench.store(reads: 5)
        #expect(
            await thrown { try await store.resolveBatch(batchDeletionToken: bench.deletionToken(for: "x")) }
                == "storeAndForwardBatchNotFound")
        let batch = try await store.fetchStoredPaymentCardReadResultBatch(size: 3)
        let token = try bench.deletionToken(for: batch.id)
        #expect(try await store.resolveBatch(batchDeletionToken: token) == 2)
        #expect(
            await thrown { try await store.resolveBatch(batchDeletionToken: token) } == "storeAndForwardBatchNotFound")
        #expect(try await bench.counter.store().all().map(\.id) == ["read-3", "read-4"])
        await #expect(throws: StoreFailure.self) { try await bench.counter.store().add(Bench.stored(3)) }
        let rest = try await store.fetchStoredPaymentCardReadResultBatch()
        #expect(try await store.resolveBatch(batchDeletionToken: bench.deletionToken(for: rest.id)) == 0)
        #expect(
            await thrown { try await store.fetchStoredPaymentCardReadResultBatch() } == "storeAndForwardResultsNotFound"
        )
        // The identifiers of reads that went are not kept.
        try await bench.counter.store().add(Bench.stored(3))
    }

    @Test("Deletion tokens that are not good")
    func tokens() async throws {
        let bench = try Bench()
        let store = try await bench.store(reads: 1)
        let batch = try await store.fetchStoredPaymentCardReadResultBatch()
        func resolve(_ token: StoreAndForwardBatchDeletionToken) async -> String? {
            await thrown { try await store.resolveBatch(batchDeletionToken: token) }
        }
        for text in ["", "x", "a.b.c", "..", String(repeating: "a", count: 20_000)] {
            #expect(await resolve(.init(rawValue: text)) == "storeAndForwardDeletionTokenInvalid", "\(text.prefix(9))")
        }
        #expect(await resolve(try bench.deletionToken(for: "another")) == "storeAndForwardDeletionTokenInvalid")
        #expect(await resolve(try bench.deletionToken(for: "")) == "storeAndForwardDeletionTokenInvalid")
        let forged = try DeletionToken(batchID: batch.id, expires: VirtualTime.start.addingTimeInterval(60))
            .signed(with: P256PrivateKey.generate())
        #expect(await resolve(forged) == "storeAndForwardDeletionTokenInvalid")
        // Tokens of another kind, by the same key.
        let reader = try bench.token()
        #expect(await resolve(.init(rawValue: reader.rawValue)) == "storeAndForwardDeletionTokenInvalid")
        let pin = try PINCaptureToken(transactionID: batch.id, expires: VirtualTime.start.addingTimeInterval(60))
            .signed(with: bench.tokenKey)
        #expect(await resolve(.init(rawValue: pin.rawValue)) == "storeAndForwardDeletionTokenInvalid")
        let good = try bench.deletionToken(for: batch.id)
        bench.time.advance(.seconds(3_600))
        #expect(await resolve(good) == "storeAndForwardDeletionTokenExpired")
        #expect(try await store.fetchStoredPaymentCardReadResultCount() == 1)
    }

    @Test("Everything outlives the counter, in files that are their owner's alone")
    func durability() async throws {
        var bench = try Bench()
        let first = try await bench.store(reads: 3).fetchStoredPaymentCardReadResultBatch(size: 1)
        let mode = try await bench.counter.store().durability()
        #expect(mode.journal == "wal" && mode.synchronous == 2)
        let files = try FileManager.default.subpathsOfDirectory(atPath: bench.folder.path("store"))
        #expect(Set(files).isSuperset(of: ["store.sqlite", "store.sqlite-wal", "device.pem", "lock"]))
        for file in files {
            let attributes = try FileManager.default.attributesOfItem(atPath: bench.folder.path("store/" + file))
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(file)")
        }
        let folder = try FileManager.default.attributesOfItem(atPath: bench.folder.path("store"))
        #expect(folder[.posixPermissions] as? Int == 0o700)
        bench.counter = Counter(bench.counter.configuration)
        let store = try await bench.store()
        #expect(try await store.fetchStoredPaymentCardReadResultCount() == 3)
        #expect(
            await thrown { try await store.fetchStoredPaymentCardReadResultBatch() }
                == "storeAndForwardBatchAlreadyExists")
        try await store.resetBatchState()
        let second = try await store.fetchStoredPaymentCardReadResultBatch(size: 1)
        #expect(second.leafCertificate == first.leafCertificate && second.payments.map(\.id) == ["read-0"])
    }

    @Test("A directory that others may look into is refused")
    func permissions() async throws {
        let bench = try Bench()
        try FileManager.default.createDirectory(
            atPath: bench.folder.path("store"), withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o755])
        let store = try PaymentCardReader(counter: bench.counter).fetchPaymentCardReaderStore()
        #expect(await thrown { try await store.fetchStoredPaymentCardReadResultCount() } == "notAllowed")
        #expect(try FileManager.default.contentsOfDirectory(atPath: bench.folder.path("store")).isEmpty)
    }

    @Test("A file that is no database, or of a later version, is left as it is")
    func foreignFiles() async throws {
        let bench = try Bench()
        _ = try await bench.store(reads: 1)
        try await bench.counter.store().transaction { db in
            try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('99 from the future')")
        }
        bench.counter.state.withLock { $0.store = nil }
        let store = try PaymentCardReader(counter: bench.counter).fetchPaymentCardReaderStore()
        #expect(await thrown { try await store.fetchStoredPaymentCardReadResultCount() } == "notAllowed")

        let other = try Bench()
        try FileManager.default.createDirectory(
            atPath: other.folder.path("store"), withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        let junk = Array("this is no database, but somebody's only copy of something".utf8)
        try other.folder.write("store/store.sqlite", junk)
        let broken = try PaymentCardReader(counter: other.counter).fetchPaymentCardReaderStore()
        #expect(await thrown { try await broken.fetchStoredPaymentCardReadResultCount() } == "unknown")
        #expect(try other.folder.read("store/store.sqlite") == junk)
    }

    @Test("Errors as numbers: the case with a code first, then Apple's order")
    func codes() {
        typealias StoreError = PaymentCardReaderStore.StoreError
        let order: [StoreError] = [
            .unknown(code: 5), .notAllowed, .busy, .networkError, .passcodeDisabled, .storeAndForwardResultsNotFound,
            .storeAndForwardBatchNotFound, .storeAndForwardBatchSizeInvalid, .storeAndForwardBatchAlreadyExists,
            .storeAndForwardDeletionTokenInvalid, .storeAndForwardDeletionTokenExpired,
        ]
        #expect(order.map { ($0 as NSError).code } == Array(0...10))
        #expect((StoreError.busy as NSError).domain == "ProximityReader.PaymentCardReaderStore.StoreError")
        #expect(Set(order.map(\.errorName)) == Set(StoreError.texts.keys))
        #expect(Set(order.map(\.errorDescription)).count == 11)
        #expect(StoreError.unknown(code: 13).errorDescription.contains("disk"))
        #expect(StoreError.unknown(code: 11).errorDescription.contains("11"))
    }
}
