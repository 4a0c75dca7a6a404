// SPDX-License-Identifier: Apache-2.0

package import struct Foundation.Date

/// A prepared reader without a network: what it reads is kept for later.
///
/// ``PaymentCardReader/prepareStoreAndForward()`` makes it. A read that was stored is on the disk before the event
/// `readCompleted`. The session is good for 24 hours after the online session that it rests on; after that a read
/// throws ``PaymentCardReaderError/storeAndForwardSessionExpired``. Usable from any thread.
@available(iOS 18.4, *)
public class StoreAndForwardPaymentCardReaderSession: PaymentCardReaderSession, @unchecked Sendable {
    /// What `prepareStoreAndForward` makes; apps cannot.
    package init(life: SessionLife, run: StoreAndForwardRun, osVersionDeprecationDate: Date?) {
        self.run = run
        super.init(life: life, osVersionDeprecationDate: osVersionDeprecationDate)
    }

    private final let run: StoreAndForwardRun

    /// Takes this session's last read out of the store: within 60 seconds of the read, and before it is in a batch.
    ///
    /// - Throws: ``PaymentCardReaderSession/ReadError``: `storeAndForwardDeclineFailed` when it is too late,
    ///   `storeAndForwardResultNotFound` when there is no such read.
    public func decline() async throws {
        try await run.decline()
    }

    /// How many reads are stored, and until when the session is good.
    ///
    /// - Throws: ``PaymentCardReaderError``.
    public func status() async throws -> StoreAndForwardStatus {
        try await run.status()
    }
}

@available(iOS 18.4, *)
extension PaymentCardReader {
    /// Makes the reader ready for reads without a network.
    ///
    /// There must have been an online session in the last 24 hours and since the machine was started, and what is stored
    /// must be of the same token issuer.
    ///
    /// - Throws: ``PaymentCardReaderError``.
    public func prepareStoreAndForward() async throws -> StoreAndForwardPaymentCardReaderSession {
        try await core.prepareStoreAndForward()
    }

    /// The reads that wait for their provider.
    ///
    /// - Throws: ``PaymentCardReaderError``. What is wrong with the store itself its own calls throw.
    public func fetchPaymentCardReaderStore() throws -> PaymentCardReaderStore {
        try core.counter.checkConditions(for: .fetchStore)
        return PaymentCardReaderStore(counter: core.counter)
    }
}
