// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WalletCrypto

@testable import ProximityReader

/// One row: under this condition, this request ends so.
struct StoreConditionCase: Sendable, CustomTestStringConvertible {
    enum Call: Sendable { case prepare, read, decline, open, count, batch, reset, resolve, pin }

    let condition: Condition.Name
    let call: Call
    let error: String

    var testDescription: String { "\(condition) \(call) → \(error)" }

    init(_ condition: Condition.Name, _ call: Call, _ error: String? = nil) {
        (self.condition, self.call, self.error) = (condition, call, error ?? condition.rawValue)
    }
}

@Suite("Every error of store and forward and of the PIN by a named condition")
struct StoreConditionTests {
    static let rows: [StoreConditionCase] = [
        .init(.storeAndForwardNotAllowed, .prepare),
        .init(.storeAndForwardSessionExpired, .prepare),
        .init(.storeAndForwardSessionExpired, .read),
        .init(.storeAndForwardSessionInvalidated, .prepare),
        .init(.storeAndForwardSessionInvalidated, .read),
        .init(.storeAndForwardTokenIssuerChanged, .prepare),
        .init(.passcodeDisabled, .prepare),
        .init(.readerBusy, .prepare),
        .init(.memoryFull, .prepare, "readerMemoryFull"),
        .init(.notAllowed, .open),
        .init(.storeAndForwardDeclineFailed, .decline),
        .init(.storeAndForwardResultNotFound, .decline),
        .init(.notAllowed, .count),
        .init(.storeBusy, .count, "busy"),
        .init(.storeBusy, .batch, "busy"),
        .init(.storeBusy, .reset, "busy"),
        .init(.storeBusy, .resolve, "busy"),
        .init(.unknown, .batch),
        .init(.networkDown, .batch, "networkError"),
        .init(.networkDown, .resolve, "networkError"),
        .init(.networkAuthentication, .batch, "networkError"),
        .init(.passcodeDisabled, .batch),
        .init(.storeAndForwardResultsNotFound, .batch),
        .init(.storeAndForwardBatchNotFound, .reset),
        .init(.storeAndForwardBatchNotFound, .resolve),
        .init(.storeAndForwardBatchSizeInvalid, .batch),
        .init(.storeAndForwardBatchAlreadyExists, .batch),
        .init(.storeAndForwardDeletionTokenInvalid, .resolve),
        .init(.storeAndForwardDeletionTokenExpired, .resolve),
        .init(.pinTokenInvalid, .pin),
        .init(.pinNotAllowed, .pin),
        .init(.pinEntryFailed, .pin),
        .init(.pinEntryTimeout, .pin),
        .init(.pinCancelled, .pin),
    ]

    @Test("A condition stops a request", arguments: rows)
    func row(_ row: StoreConditionCase) async throws {
        let bench = try plasticBench {
            _ in
        } set: {
            $0.pinPad = { _ in .bypassed }
        }
        let counter = bench.bench.counter
        let reader = PaymentCardReader(counter: counter)
        let online = try await reader.prepare(using: bench.bench.token())
        let session = try await reader.prepareStoreAndForward()
        let read = try await online.readPaymentCard(PaymentBench.purchase)
        _ = try await session.readPaymentCard(PaymentBench.purchase)
        let store = try reader.fetchPaymentCardReaderStore()
        var batch = "none"
        if row.call == .reset || row.call == .resolve {
            batch = try await store.fetchStoredPaymentCardReadResultBatch().id
        }
        counter.conditions = [Condition(row.condition)]
        let error = await thrown {
            switch row.call {
            case .prepare: _ = try await reader.prepareStoreAndForward()
            case .read: _ = try await session.readPaymentCard(PaymentBench.purchase)
            case .decline: try await session.decline()
            case .open: _ = try reader.fetchPaymentCardReaderStore()
            case .count: _ = try await store.fetchStoredPaymentCardReadResultCount()
            case .batch: _ = try await store.fetchStoredPaymentCardReadResultBatch()
            case .reset: try await store.resetBatchState()
            case .resolve: _ = try await store.resolveBatch(batchDeletionToken: bench.bench.deletionToken(for: batch))
            case .pin:
                _ = try await online.capturePIN(
                    using: bench.bench.pinToken(for: read.id), cardReaderTransactionID: read.id)
            }
        }
        #expect(error == row.error)
        // Without it, nothing stands in the way, and nothing was lost.
        counter.conditions = []
        #expect(try await store.fetchStoredPaymentCardReadResultCount() == 1)
    }

    @Test("Together the rows name every case that belongs here, and every condition")
    func complete() {
        let shown = Set(Self.rows.map(\.error))
        #expect(shown.isSuperset(of: PaymentCardReaderStore.StoreError.texts.keys))
        let others = Array(PaymentCardReaderError.texts.keys) + Array(PaymentCardReaderSession.ReadError.texts.keys)
        #expect(shown.isSuperset(of: others.filter { $0.hasPrefix("storeAndForward") || $0.hasPrefix("pin") }))
        let names = Condition.Name.allCases.filter { $0.rawValue.hasPrefix("store") || $0.rawValue.hasPrefix("pin") }
        #expect(Set(Self.rows.map(\.condition)).isSuperset(of: names))
    }
}

extension Bench {
    func pinToken(
        for transaction: String, edit: (inout PINCaptureToken) -> Void = { _ in }
    ) throws -> PaymentCardReaderSession.PINToken {
        var token = PINCaptureToken(
            transactionID: transaction, issuedAt: VirtualTime.start, expires: VirtualTime.start.addingTimeInterval(600))
        edit(&token)
        return try token.signed(with: tokenKey)
    }
}
