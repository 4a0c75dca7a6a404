// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HostSystem
internal import Logging
internal import Synchronization

/// What a store-and-forward session rests on, and its last read.
package final class StoreAndForwardRun: Sendable {
    /// For how long a read can be declined (Apple documentation, `decline()`).
    static let declineWindow = Duration.seconds(60)

    private let counter: Counter
    private let record: OnlineRecord
    private let store: StoreFile
    private let last = Mutex<(id: String, at: Duration)?>(nil)

    init(counter: Counter, record: OnlineRecord, store: StoreFile) {
        (self.counter, self.record, self.store) = (counter, record, store)
    }

    private var time: HostTime { counter.configuration.time }

    /// Whether the session still takes reads.
    func checkRead() throws(PaymentCardReaderError) {
        try counter.checkConditions(for: .storedRead)
        try checkValidity()
        guard record.isFresh(at: time.now()) else { throw .storeAndForwardSessionExpired }
    }

    /// Another merchant's or issuer's online session, and a restart of the machine, take away what it rests on.
    private func checkValidity() throws(PaymentCardReaderError) {
        guard let now = counter.onlineRecord(), now.boot == record.boot, record.boot == counter.configuration.bootID(),
            now.issuer == record.issuer, now.merchant == record.merchant
        else { throw .storeAndForwardSessionInvalidated }
    }

    /// Keeps a good read; when this returns, it is on the disk. One that the card declined is not for the provider.
    func keep(
        _ result: PaymentCardReadResult
    ) async throws(PaymentCardReaderSession.ReadError) -> PaymentCardReadResult {
        guard result.outcome == .success, let sealed = result.paymentCardData, let general = result.generalCardData
        else { return result }
        let read = StoredRead(
            id: result.id, date: time.now(), issuer: record.issuer, merchant: record.merchant,
            paymentCardData: sealed, generalCardData: general)
        do { try await store.add(read) } catch {
            counter.note(error)
            throw .paymentReadFailed
        }
        last.withLock { $0 = (result.id, time.uptime()) }
        return result
    }

    /// What the session is more than a plain one.
    var kind: SessionKind {
        SessionKind(
            isOffline: true, tellsCardDates: true, admit: { [self] in try checkRead() },
            keep: { [self] result async throws(PaymentCardReaderSession.ReadError) in try await keep(result) })
    }

    func decline() async throws(PaymentCardReaderSession.ReadError) {
        try counter.checkConditions(at: .decline)
        guard let last = last.withLock({ $0 }) else { throw .storeAndForwardResultNotFound }
        guard time.uptime() - last.at <= Self.declineWindow else { throw .storeAndForwardDeclineFailed }
        let removal: StoredReadRemoval
        do { removal = try await store.remove(last.id) } catch {
            counter.note(error)
            throw .storeAndForwardDeclineFailed
        }
        switch removal {
        case .removed: self.last.withLock { if $0?.id == last.id { $0 = nil } }
        case .isBatched: throw .storeAndForwardDeclineFailed
        case .notFound: throw .storeAndForwardResultNotFound
        }
    }

    func status() async throws(PaymentCardReaderError) -> StoreAndForwardStatus {
        try checkValidity()
        do {
            return StoreAndForwardStatus(readCount: try await store.count(), expiration: record.expiration)
        } catch {
            throw counter.preparationError(error)
        }
    }
}

extension ReaderCore {
    func prepareStoreAndForward() async throws(PaymentCardReaderError) -> StoreAndForwardPaymentCardReaderSession {
        try counter.checkConditions(for: .prepareStored)
        guard let record = counter.onlineRecord(), record.isFresh(at: counter.configuration.time.now()),
            record.boot == counter.configuration.bootID()
        else { throw .storeAndForwardNotAllowed }
        let (store, issuers): (StoreFile, Set<String>)
        do throws(StoreFailure) {
            store = try counter.store()
            issuers = try await store.issuers()
        } catch { throw counter.preparationError(error) }
        guard issuers.isSubset(of: [record.issuer]) else { throw .storeAndForwardTokenIssuerChanged }
        try await counter.engine.prepare(for: self, nil)
        let run = StoreAndForwardRun(counter: counter, record: record, store: store)
        let token = ReaderToken(
            issuer: record.issuer, merchantID: record.merchant, issuedAt: Date(timeIntervalSince1970: record.at),
            expires: .distantFuture)
        let life = SessionLife(core: self, token: token, tools: try await tools(for: token, kind: run.kind))
        counter.remember(life)
        return StoreAndForwardPaymentCardReaderSession(
            life: life, run: run, osVersionDeprecationDate: counter.configuration.osVersionDeprecationDate)
    }
}

extension Counter {
    /// The last online session, as the store's directory has it.
    func onlineRecord() -> OnlineRecord? { OnlineRecord.load(from: configuration.storeDirectory) }

    /// Remembers that there was an online session. Where that cannot be written there is no store and forward, and
    /// nothing else is missing.
    func rememberOnlineSession(_ token: ReaderToken) {
        guard let boot = configuration.bootID() else { return }
        let record = OnlineRecord(
            at: configuration.time.now().timeIntervalSince1970, boot: boot, issuer: token.issuer,
            merchant: token.merchantID)
        do throws(StoreFailure) { try record.save(to: configuration.storeDirectory) } catch { note(error) }
    }

    func note(_ failure: StoreFailure) {
        configuration.logger.debug("store", metadata: ["problem": "\(failure)"])
    }

    /// A store that cannot be used, in the words of a reader that is being prepared.
    func preparationError(_ failure: StoreFailure) -> PaymentCardReaderError {
        note(failure)
        switch failure.kind {
        case .busy: return .readerBusy
        case .full: return .readerMemoryFull
        default: return .prepareFailed(failure.description)
        }
    }
}
