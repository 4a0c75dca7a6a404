// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HostSystem
internal import ISO7816
internal import Logging
internal import Synchronization
internal import WalletCrypto

/// What a reader object and its sessions share: counter, options, events.
package final class ReaderCore: Sendable {
    let id = UUID().uuidString
    let counter: Counter
    let options: PaymentCardReader.Options
    let stream: AsyncStream<PaymentCardReader.Event>
    private let continuation: AsyncStream<PaymentCardReader.Event>.Continuation
    private let session = Mutex(WeakSession(session: nil))

    private struct WeakSession: Sendable {
        weak let session: PaymentCardReaderSession?
    }

    init(counter: Counter, options: PaymentCardReader.Options) {
        (self.counter, self.options) = (counter, options)
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .unbounded)
    }

    /// With the last of reader and sessions the events end.
    deinit { continuation.finish() }

    func send(_ event: PaymentCardReader.Event) {
        counter.configuration.eventHandler?(event)
        continuation.yield(event)
        counter.configuration.logger.debug("event", metadata: ["name": "\(event.name)"])
    }

    func newReadID() -> String { UUID().uuidString }

    func readerIdentifier() async throws(PaymentCardReaderError) -> String {
        try counter.checkConditions(for: .identifier)
        let reader: any CardReader
        do { reader = try await counter.engine.openReader() } catch { throw FaultMapping.preparation(error) }
        return Self.identifier(ofReaderNamed: reader.name)
    }

    /// A name-based identifier in the form of a UUID of version 8 (RFC 9562, 5.8), from SHA-256.
    static func identifier(ofReaderNamed name: String) -> String {
        var bytes = Array(Digest.sha256(Array("countertop reader \(name)".utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let hex = Array(Hex.encode(bytes))
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(hex[$0]) }.joined(separator: "-")
    }
}

// MARK: - Account

extension ReaderCore {
    private func verify(_ token: PaymentCardReader.Token) throws(PaymentCardReaderError) -> ReaderToken {
        let key: P256PublicKey
        do { key = try counter.configuration.tokenKey.load() } catch {
            throw .invalidReaderToken("the counter has no key to check it with: \(error)")
        }
        return try ReaderToken(verifying: token, with: key, at: counter.configuration.time.now())
    }

    private func account(
        _ request: ConditionRule.Request, _ token: PaymentCardReader.Token
    ) async throws(PaymentCardReaderError) -> ReaderToken {
        try counter.checkConditions(for: request)
        let claims = try verify(token)
        let delay = counter.delays[.linking]
        if delay > .zero { await counter.configuration.time.sleep(delay) }
        return claims
    }

    func isAccountLinked(using token: PaymentCardReader.Token) async throws(PaymentCardReaderError) -> Bool {
        counter.isLinked(try await account(.linkCheck, token).merchantID)
    }

    func linkAccount(using token: PaymentCardReader.Token) async throws(PaymentCardReaderError) {
        let claims = try await account(.link, token)
        guard counter.link(claims.merchantID) else { throw .accountAlreadyLinked }
    }

    func relinkAccount(using token: PaymentCardReader.Token) async throws(PaymentCardReaderError) {
        let claims = try await account(.relink, token)
        guard claims.mayRelink else { throw .notAllowed }
        guard counter.isLinked(claims.merchantID) else { throw .accountNotLinked }
    }
}

extension Counter {
    /// Merchants are linked, unless the condition `accountNotLinked` says otherwise and nobody linked them since.
    func isLinked(_ merchant: String) -> Bool {
        state.withLock { $0.isLinked(merchant) }
    }

    /// Links a merchant; false when it was linked before.
    func link(_ merchant: String) -> Bool {
        state.withLock { state in
            guard !state.isLinked(merchant) else { return false }
            return state.linked.insert(merchant).inserted
        }
    }
}

extension Counter.State {
    fileprivate func isLinked(_ merchant: String) -> Bool {
        linked.contains(merchant) || !conditions.contains { $0.name == .accountNotLinked }
    }
}

// MARK: - Sessions

extension ReaderCore {
    func prepare(
        using token: PaymentCardReader.Token, progress: Unguarded?
    ) async throws(PaymentCardReaderError) -> PaymentCardReaderSession {
        try counter.checkConditions(for: .prepare)
        let claims = try verify(token)
        guard counter.isLinked(claims.merchantID) else { throw .accountNotLinked }
        if let session = session.withLock({ $0.session }), session.life.renew(claims) {
            counter.rememberOnlineSession(claims)
            return session
        }
        try await counter.engine.prepare(for: self, progress)
        let life = SessionLife(core: self, token: claims, tools: try await tools(for: claims))
        let made = PaymentCardReaderSession(
            life: life, osVersionDeprecationDate: counter.configuration.osVersionDeprecationDate)
        let old = session.withLock { held in
            defer { held = WeakSession(session: made) }
            return held.session
        }
        _ = old?.life.finish(.noReaderSession)
        counter.remember(life)
        counter.rememberOnlineSession(claims)
        return made
    }

    func readVAS(
        _ request: VASRequest, in life: SessionLife, handler: Unguarded?
    ) async throws -> VASReadResult {
        let plan = ReadPlan(passes: try VASPlan(request, defaults: options.merchants))
        let outcome = try await read(plan, in: life, handler)
        return outcome.passes ?? VASReadResult(read: newReadID(), entries: [])
    }

    func readPayment(
        _ request: PaymentPlan.Request, in life: SessionLife, handler: Unguarded?
    ) async throws -> PaymentCardReadResult {
        let plan = ReadPlan(payment: try PaymentPlan(request))
        guard let result = try await read(plan, in: life, handler).payment else {
            throw PaymentCardReaderSession.ReadError.paymentReadFailed
        }
        return result
    }

    func readBoth(
        _ request: PaymentCardTransactionRequest, _ passes: VASRequest, stops: Bool, in life: SessionLife,
        handler: Unguarded?
    ) async throws -> (PaymentCardReadResult?, VASReadResult?) {
        let plan = ReadPlan(
            passes: try VASPlan(passes, defaults: options.merchants), payment: try PaymentPlan(.transaction(request)),
            stopsOnPass: stops)
        let outcome = try await read(plan, in: life, handler)
        return (outcome.payment, outcome.passes)
    }

    private func read(
        _ plan: ReadPlan, in life: SessionLife, _ handler: Unguarded?
    ) async throws -> ReadOutcome {
        try counter.checkConditions(at: .start, offline: life.tools.kind.isOffline)
        if let end = life.end { throw end }
        guard life.token.expires > counter.configuration.time.now() else {
            throw PaymentCardReaderSession.ReadError.readerTokenExpired
        }
        if plan.payment != nil { try await life.tools.kind.admit() }
        var plan = plan
        plan.payment?.pinStep = pinStep(in: life)
        let outcome = try await counter.engine.read(plan, in: life, handler: handler)
        if let payment = outcome.payment { counter.remember(payment, of: life) }
        return outcome
    }
}
