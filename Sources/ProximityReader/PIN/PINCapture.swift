// SPDX-License-Identifier: Apache-2.0

internal import BERTLV
internal import EMVContactless
internal import Foundation
internal import HostSystem
internal import Synchronization
internal import WalletCrypto

/// A read that a PIN may still be captured for, with what it brought: sealed data only.
struct RecentRead: Sendable {
    let result: PaymentCardReadResult
    let merchantID: String
    let at: Duration
}

/// Asks the pad for one PIN, and puts what it seals into a result.
struct PINCapture: Sendable {
    typealias Failure = PaymentCardReaderSession.ReadError

    /// For how long after its read a PIN can be captured (Apple documentation, `capturePIN`).
    static let window = Duration.seconds(55)
    /// Transaction PIN Data (EMV Book 3, annex A). Its value is a JWE in compact form, not the PIN field itself.
    static let tag: TLVTag = 0x99
    /// `typ` and `cty` of that JWE.
    static let types = (type: "emv-pin+jwe", content: "application/vnd.iso9564-1-format4-field")

    let pad: @Sendable (PINRequest) async -> PINEntry
    let sealing: Sealing
    let reason: PINRequest.Reason
    let read: PaymentCardReadResult

    func run(on sheet: Sheet) async throws(Failure) -> PaymentCardReadResult {
        await sheet.show(.pinEntryRequested)
        let counter = sheet.core.counter
        try counter.checkConditions(at: .pinPad)
        let (id, date) = (read.id, counter.configuration.time.now())
        let request = PINRequest(transactionID: id, reason: reason) { [sealing] field in
            try sealing.sealPIN(field, transactionID: id, at: date)
        }
        switch await pad(request) {
        case .entered(let sealed):
            await sheet.show(.pinEntryCompleted)
            return read.with(sealed, reason)
        case .bypassed:
            await sheet.show(.pinEntryCompleted)
            return read.with(nil, reason)
        case .cancelled: throw .pinCancelled
        case .timeout: throw .pinEntryTimeout
        case .failed: throw .pinEntryFailed
        }
    }
}

extension PaymentCardReadResult {
    /// The result of the same read after its PIN step: with the sealed PIN, or marked as gone on without one.
    fileprivate func with(_ pin: SealedPIN?, _ reason: PINRequest.Reason) -> PaymentCardReadResult {
        var general = generalCardData
        if let pin {
            var objects = TLVBuilder()
            objects.append(PINCapture.tag, pin.bytes)
            let before = generalCardData.flatMap { Data(base64Encoded: $0) } ?? Data()
            general = (before + Data(objects.bytes)).base64EncodedString()
        }
        return PaymentCardReadResult(
            id: id, paymentCardData: paymentCardData, generalCardData: general,
            applicationTypeIdentifier: applicationTypeIdentifier, outcome: outcome, pinBypassed: pin == nil,
            isPINFallback: reason == .issuer, cardEffectiveState: cardEffectiveState,
            cardExpirationState: cardExpirationState)
    }
}

extension Sealing {
    /// A PIN field for the provider, bound to reader, merchant and transaction as the read itself is.
    func sealPIN(_ field: SecretBytes, transactionID: String, at date: Date) throws(CryptoError) -> [UInt8] {
        var parameters = JWE.Parameters()
        (parameters.type, parameters.contentType) = PINCapture.types
        parameters.keyID = envelope.provider.id
        (parameters.partyU, parameters.partyV) = (Array(envelope.readerID.utf8), Array(envelope.merchantID.utf8))
        let seconds = Int(exactly: date.timeIntervalSince1970.rounded(.down)) ?? 0
        parameters.more = [JOSEMember("txn", .string(transactionID)), JOSEMember("iat", .integer(seconds))]
        return Array(try JWE.seal(field, to: envelope.provider.publicKey, parameters: parameters).utf8)
    }
}

extension ReaderCore {
    /// What asks for a PIN in the middle of a read; nil without a pad. Never without a network: a PIN is not stored.
    func pinStep(in life: SessionLife) -> PINStep? {
        guard let pad = counter.configuration.pinPad, !life.tools.kind.isOffline else { return nil }
        let sealing = life.tools.sealing
        return PINStep { sheet, result async throws(PaymentCardReaderSession.ReadError) in
            try await PINCapture(pad: pad, sealing: sealing, reason: .card, read: result).run(on: sheet)
        }
    }

    func capturePIN(
        _ token: PaymentCardReaderSession.PINToken, _ transactionID: String, in life: SessionLife
    ) async throws(PaymentCardReaderSession.ReadError) -> PaymentCardReadResult {
        let now = counter.configuration.time.now()
        try counter.checkConditions(at: .start)
        if let end = life.end { throw end }
        guard life.token.expires > now else { throw .readerTokenExpired }
        try counter.checkConditions(at: .pinStart)
        guard let pad = counter.configuration.pinPad, !life.tools.kind.isOffline else { throw .pinNotAllowed }
        guard let key = try? counter.configuration.tokenKey.load() else { throw .pinTokenInvalid }
        let permit = try PINCaptureToken(verifying: token, with: key, at: now)
        guard permit.transactionID == transactionID else { throw .pinTokenInvalid }
        guard let read = counter.recentRead(transactionID, of: life) else { throw .pinNotAllowed }
        let capture = PINCapture(pad: pad, sealing: life.tools.sealing, reason: .issuer, read: read)
        let result = try await counter.engine.capturePIN(capture, in: life)
        counter.forgetRead(transactionID)
        return result
    }
}

extension Counter {
    /// Remembers a good read for as long as a PIN can be captured for it.
    func remember(_ result: PaymentCardReadResult, of life: SessionLife) {
        guard configuration.pinPad != nil, result.outcome == .success else { return }
        let (now, merchant) = (configuration.time.uptime(), life.token.merchantID)
        state.withLock { state in
            state.recentReads.removeAll { now - $0.at > PINCapture.window }
            state.recentReads.append(RecentRead(result: result, merchantID: merchant, at: now))
        }
    }

    func recentRead(_ id: String, of life: SessionLife) -> PaymentCardReadResult? {
        let (now, merchant) = (configuration.time.uptime(), life.token.merchantID)
        return state.withLock { state in
            state.recentReads.removeAll { now - $0.at > PINCapture.window }
            return state.recentReads.first { $0.result.id == id && $0.merchantID == merchant }?.result
        }
    }

    /// One PIN for each read.
    func forgetRead(_ id: String) {
        state.withLock { state in state.recentReads.removeAll { $0.result.id == id } }
    }
}
