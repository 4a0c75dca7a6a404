// SPDX-License-Identifier: Apache-2.0

/// The reads that wait for their provider.
///
/// ``PaymentCardReader/fetchPaymentCardReaderStore()`` makes it. Here it is a directory of files, see
/// ``Counter/Configuration/storeDirectory``; on an iPhone the secure element keeps it. Usable from any thread.
@available(iOS 18.4, *)
public struct PaymentCardReaderStore: Sendable {
    let counter: Counter

    /// What a reader makes; apps cannot.
    package init(counter: Counter) { self.counter = counter }

    /// How many reads are stored, in a batch or not.
    ///
    /// - Throws: ``StoreError``.
    public func fetchStoredPaymentCardReadResultCount() async throws -> Int {
        try await counter.storedReadCount()
    }

    /// Makes a batch of the oldest reads. There is one at a time: resolve it or reset it before the next.
    ///
    /// - Parameter size: how many reads; 0 takes all.
    /// - Throws: ``StoreError``.
    public func fetchStoredPaymentCardReadResultBatch(size: Int = 0) async throws -> StoreAndForwardBatch {
        try await counter.makeBatch(size: size)
    }

    /// Dissolves the batch and keeps its reads.
    ///
    /// - Throws: ``StoreError``.
    public func resetBatchState() async throws {
        try await counter.resetBatch()
    }

    /// Drops the batch and its reads, as the provider's token permits.
    ///
    /// - Returns: how many reads remain.
    /// - Throws: ``StoreError``.
    public func resolveBatch(batchDeletionToken: StoreAndForwardBatchDeletionToken) async throws -> Int {
        try await counter.resolveBatch(batchDeletionToken)
    }

    /// The root that the certificates of batches lead to, in PEM. countertop's own: on an iPhone it is Apple's.
    ///
    /// - Throws: ``StoreError``.
    public func rootCertificate() throws -> String {
        try counter.storeRootCertificate()
    }
}

@available(iOS 18.4, *)
extension PaymentCardReaderStore {
    /// Why the store did not do what it was asked.
    ///
    /// The order of the cases is Apple's, because the number in `(error as NSError).code` follows from it.
    public enum StoreError: Error {
        /// The app may not use the store.
        case notAllowed
        /// Another process uses the store.
        case busy
        /// Anything unexpected, with its code: SQLite's result code, 13 for a full disk.
        case unknown(code: Int)
        /// The server cannot be reached.
        case networkError
        /// The device has no passcode.
        case passcodeDisabled
        /// Nothing is stored.
        case storeAndForwardResultsNotFound
        /// There is no batch.
        case storeAndForwardBatchNotFound
        /// The size is below 0, or more than what is stored.
        case storeAndForwardBatchSizeInvalid
        /// There is a batch already.
        case storeAndForwardBatchAlreadyExists
        /// The deletion token is not valid, or names another batch.
        case storeAndForwardDeletionTokenInvalid
        /// The deletion token's time is over.
        case storeAndForwardDeletionTokenExpired
    }
}

@available(iOS 18.4, *)
extension PaymentCardReaderStore.StoreError {
    /// The case's name, without what it carries. countertop's own, as its sisters have it in Apple's API.
    public var errorName: String { CaseName.of(self) }

    /// What is wrong and what to do, in English. countertop's own.
    public var errorDescription: String {
        let text = Self.texts[errorName] ?? "The store failed."
        guard case .unknown(let code) = self else { return text }
        guard !StoreFailure.fullCodes.contains(code) else {
            return "The disk takes no more (code \(code)). Nothing that was stored is lost; make room and try again."
        }
        return "\(text) Code: \(code)."
    }

    static let texts: [String: String] = [
        "notAllowed": "The store may not be used. Check its directory: it must be its owner's alone.",
        "busy": "Another process uses the store. Wait for its end.",
        "unknown": "The store failed. Report the code.",
        "networkError": "The server cannot be reached. Check the network and try again.",
        "passcodeDisabled": "The device has no passcode. Set one in Settings.",
        "storeAndForwardResultsNotFound": "Nothing is stored.",
        "storeAndForwardBatchNotFound": "There is no batch. Fetch one first.",
        "storeAndForwardBatchSizeInvalid": "A batch cannot have this size: 0 for all, or up to what is stored.",
        "storeAndForwardBatchAlreadyExists": "There is a batch already. Resolve it or reset it first.",
        "storeAndForwardDeletionTokenInvalid": "The deletion token is not valid for this batch. Ask for another.",
        "storeAndForwardDeletionTokenExpired": "The deletion token's time is over. Ask for another.",
    ]
}
