// SPDX-License-Identifier: Apache-2.0

internal import APDUTrace
internal import AppleVAS
internal import EMVContactless
internal import Foundation
internal import ISO7816
internal import LoyaltyFeed
internal import ProximityReader
internal import Synchronization

/// Turns what a contact brought into a record, and has it kept.
final class TapWriter: Sendable {
    private let journal: any TapJournal
    private let mode: String
    /// Pass type identifiers in the order in which they are asked for.
    private let asked: [String]
    private let ring: Mutex<VASKeyRing>
    private let ids: ULIDGenerator
    private let metrics: CounterMetrics

    init(
        journal: any TapJournal, mode: String, asked: [String], ring: VASKeyRing, metrics: CounterMetrics,
        ids: ULIDGenerator = ULIDGenerator()
    ) {
        (self.journal, self.mode, self.asked, self.metrics, self.ids) = (journal, mode, asked, metrics, ids)
        self.ring = Mutex(ring)
    }

    /// The keys from now on.
    func replace(_ ring: VASKeyRing) { self.ring.withLock { $0 = ring } }

    /// Keeps a read that has its result.
    func keep(_ read: CompletedRead, _ trace: APDUTrace?) async throws -> TapOutcome {
        let ring = ring.withLock { $0 }
        let passes = read.passes.map { $0.entries.map { open($0, ring, at: read.tap.began) } } ?? unread(read.tap)
        var record = record(read.tap, trace)
        record.passes = passes
        record.payment = payment(read)
        let reason = record.isEmpty ? Self.reason(of: passes, read.tap) : nil
        record.result = reason.map { .failed(code: $0.code, reason: $0.text) } ?? .read
        return try await commit(record, reason, trace)
    }

    /// Keeps a contact that came to an error.
    func keep(failure tap: TapReport, _ trace: APDUTrace?) async throws -> TapOutcome {
        var record = record(tap, trace)
        record.passes = unread(tap)
        let reason = TapReason(tap)
        record.result = .failed(code: reason.code, reason: reason.text)
        return try await commit(record, reason, trace)
    }

    private func commit(_ record: TapRecord, _ reason: TapReason?, _ trace: APDUTrace?) async throws -> TapOutcome {
        let events = try await journal.keep(record)
        metrics.count(record, reason, trace)
        let missing = record.passes.compactMap { pass -> String? in
            if case .parked(_, let keyID) = pass.outcome { keyID } else { nil }
        }
        return TapOutcome(
            id: record.id, events: events, failure: events.isEmpty ? reason : nil, missingKeys: missing)
    }

    private func record(_ tap: TapReport, _ trace: APDUTrace?) -> TapRecord {
        var record = TapRecord(
            id: ids.next(), began: tap.began, readerName: tap.readerName, result: .read, mode: mode,
            latencyMilliseconds: tap.duration / .milliseconds(1), trace: trace?.text())
        record.wallet = Self.wallet(tap)
        return record
    }

    private static let wallets = ["ApplePay": "apple", "AndroidPay": "google", "SamsungWallet": "samsung"]

    /// Whose wallet it was: a short list, for it stands in a metric.
    private static func wallet(_ tap: TapReport) -> String {
        if let name = tap.walletName { return wallets[name] ?? "other" }
        if case .noWallet = tap.ending { return "none" }
        return tap.payment == nil && tap.statusWords.isEmpty ? "none" : "card"
    }

    // MARK: Passes

    private func open(_ entry: VASReadResult.ReadEntry, _ ring: VASKeyRing, at date: Date) -> PassRecord {
        func made(_ outcome: PassRecord.Outcome) -> PassRecord {
            PassRecord(passTypeIdentifier: entry.id, statusWord: entry.statusWord, outcome: outcome)
        }
        guard let data = entry.customerVASData.map({ Array($0) }) else {
            let reason = TapReason.pass(StatusWord(rawValue: entry.statusWord)) ?? TapReason(known: "noPassData")
            return made(.failed(code: reason.code, reason: reason.text))
        }
        switch ring.decrypt(data, passTypeIdentifier: entry.id, at: date) {
        case .success(let payload):
            return made(
                .read(
                    member: TapEvent.text(ofMessage: payload.message), keyID: payload.keyID.description,
                    deviceTime: payload.timestamp))
        case .failure(let failure):
            metrics.decryptFailed(failure.code.rawValue)
            guard failure.code == .unknownKey, let keyID = failure.keyID else {
                return made(.failed(code: failure.code.rawValue, reason: failure.reason))
            }
            return made(.parked(cryptogram: data, keyID: keyID.description))
        }
    }

    /// Passes that were asked for and not handed out, as far as the phone said something about them.
    private func unread(_ tap: TapReport) -> [PassRecord] {
        asked.compactMap { identifier in
            guard let status = tap.statusWords[identifier] else { return nil }
            let reason = TapReason.pass(status) ?? TapReason(known: "torn")
            return PassRecord(
                passTypeIdentifier: identifier, statusWord: status.rawValue,
                outcome: .failed(code: reason.code, reason: reason.text))
        }
    }

    /// Why nothing was read: what the customer can mend stands before a pass that is not there.
    private static func reason(of passes: [PassRecord], _ tap: TapReport) -> TapReason {
        let reasons = passes.compactMap { pass -> TapReason? in
            guard case .failed(let code, let reason) = pass.outcome else { return nil }
            return TapReason(code, reason)
        }
        return reasons.first { $0.code != "notPresent" } ?? reasons.first ?? TapReason(tap)
    }

    // MARK: Payment

    /// Kernels by their identifier (EMV Contactless Book B, table 3-6).
    private static let schemes = [
        "02": "mastercard", "03": "visa", "04": "amex", "05": "jcb", "06": "discover", "07": "unionpay",
        "65": "interac",
    ]

    private func payment(_ read: CompletedRead) -> TapEvent.Payment? {
        guard let payment = read.payment else { return nil }
        let kernel = payment.applicationTypeIdentifier ?? read.tap.kernel ?? ""
        return TapEvent.Payment(
            scheme: Self.schemes[kernel] ?? "unknown", outcome: read.tap.payment?.value.rawValue ?? "unknown")
    }
}

extension TapRecord {
    /// Whether nothing was read.
    fileprivate var isEmpty: Bool {
        payment == nil
            && passes.allSatisfy { pass in
                if case .failed = pass.outcome { true } else { false }
            }
    }
}

extension TapReason {
    /// Why a contact brought nothing.
    init(_ tap: TapReport) {
        switch tap.ending {
        case .torn: self.init(known: "torn")
        case .noWallet(let status): self.init("noWallet", "the card is no wallet (SELECT answered \(status))")
        case .otherWallet(let name): self.init("otherWallet", "the wallet is \(name), not Apple's")
        case .malformed(let text): self.init("malformed", text)
        case .failed(let error): self.init("readerFailed", error.reason)
        case .notActivated: self.init(known: "locked")
        case .payment: self.init(payment: tap)
        case .answered:
            self = tap.statusWords.values.lazy.compactMap(TapReason.pass).first ?? TapReason(known: "noPassData")
        }
    }

    private init(payment tap: TapReport) {
        let text = tap.payment?.reason.text ?? "no payment came of the card"
        self.init(tap.payment?.value == .declined ? "declined" : "paymentFailed", text)
    }
}
