// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HostSystem
internal import Synchronization
internal import WalletCrypto

extension PaymentCardReaderStore.StoreError {
    private static let kinds: [StoreFailure.Kind: Self] = [
        .busy: .busy,
        .notAllowed: .notAllowed,
        .resultsNotFound: .storeAndForwardResultsNotFound,
        .batchNotFound: .storeAndForwardBatchNotFound,
        .batchSizeInvalid: .storeAndForwardBatchSizeInvalid,
        .batchExists: .storeAndForwardBatchAlreadyExists,
    ]

    /// A failure in Apple's words; the only place where they meet.
    init(_ failure: StoreFailure) { self = Self.kinds[failure.kind] ?? .unknown(code: failure.code) }
}

/// The requests of ``PaymentCardReaderStore``.
extension Counter {
    typealias StoreError = PaymentCardReaderStore.StoreError

    /// The counter's store, opened at its first use and kept from then on.
    func store() throws(StoreFailure) -> StoreFile {
        let opened = state.withLock { state in
            Result { () throws(StoreFailure) in
                if let store = state.store { return store }
                let store = try StoreFile.open(configuration.storeDirectory, at: configuration.time.now())
                state.store = store
                return store
            }
        }
        return try opened.get()
    }

    private func request<Result>(
        _ request: ConditionRule.StoreRequest, _ body: (StoreFile) async throws(StoreFailure) -> Result
    ) async throws(StoreError) -> Result {
        try checkConditions(for: request)
        do throws(StoreFailure) {
            return try await body(try store())
        } catch {
            note(error)
            throw StoreError(error)
        }
    }

    func storedReadCount() async throws(StoreError) -> Int {
        try await request(.count) { store throws(StoreFailure) in try await store.count() }
    }

    func makeBatch(size: Int) async throws(StoreError) -> StoreAndForwardBatch {
        let now = configuration.time.now()
        return try await request(.batch) { store throws(StoreFailure) in
            let batch = try await store.makeBatch(size: size, at: now)
            do throws(CryptoError) { return try store.identity.sign(batch.reads, batch: batch.id) } catch {
                // An unsigned batch would be in nobody's hands.
                try await store.resetBatch()
                throw StoreFailure(.other, "the batch cannot be signed: \(error.reason)")
            }
        }
    }

    func resetBatch() async throws(StoreError) {
        try await request(.reset) { store throws(StoreFailure) in try await store.resetBatch() }
    }

    func resolveBatch(_ token: StoreAndForwardBatchDeletionToken) async throws(StoreError) -> Int {
        try checkConditions(for: .resolve)
        guard let key = try? configuration.tokenKey.load() else { throw .storeAndForwardDeletionTokenInvalid }
        let permit = try DeletionToken(verifying: token, with: key, at: configuration.time.now())
        guard let active = try await request(.resolve, { store throws(StoreFailure) in try await store.activeBatch() })
        else { throw .storeAndForwardBatchNotFound }
        guard active == permit.batchID else { throw .storeAndForwardDeletionTokenInvalid }
        return try await request(.resolve) { store throws(StoreFailure) in try await store.resolveBatch(active) }
    }

    func storeRootCertificate() throws(StoreError) -> String {
        do { return try store().identity.root.pem() } catch {
            note(error)
            throw StoreError(error)
        }
    }
}

extension DeviceIdentity {
    /// Signs each read, then the batch over all of them. The bytes are those of the article Choices.
    func sign(_ reads: [StoredRead], batch: String) throws(CryptoError) -> StoreAndForwardBatch {
        var payments: [StoreAndForwardBatch.StoredPaymentCardReadResult] = []
        for read in reads {
            let signature = try key.signES256(
                Self.signedBytes(ofRead: read.id, read.paymentCardData, read.generalCardData))
            payments.append(
                .init(
                    id: read.id, paymentCardData: read.paymentCardData, generalCardData: read.generalCardData,
                    signature: Data(signature).base64EncodedString()))
        }
        let signature = try key.signES256(Self.signedBytes(ofBatch: batch, payments))
        return StoreAndForwardBatch(
            id: batch, signature: Data(signature).base64EncodedString(),
            intermediateCertificate: [Data(intermediate.der).base64EncodedString()],
            leafCertificate: Data(leaf.der).base64EncodedString(), payments: payments)
    }

    /// Lines of ASCII, each ended by a line feed; none can hold one, for all are Base64 or identifiers of ours.
    static func signedBytes(ofRead id: String, _ paymentCardData: String, _ generalCardData: String) -> [UInt8] {
        Array("countertop-read-1\n\(id)\n\(paymentCardData)\n\(generalCardData)\n".utf8)
    }

    static func signedBytes(
        ofBatch id: String, _ payments: [StoreAndForwardBatch.StoredPaymentCardReadResult]
    ) -> [UInt8] {
        let lines = payments.map { "\($0.id) \($0.signature)\n" }
        return Array("countertop-batch-1\n\(id)\n\(payments.count)\n\(lines.joined())".utf8)
    }
}
