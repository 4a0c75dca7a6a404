// SPDX-License-Identifier: Apache-2.0

internal import EMVContactless
internal import Foundation
internal import HostSystem
internal import ISO7816
internal import Logging
internal import WalletCrypto

/// What one tap of a payment read comes to.
enum TapVerdict: Sendable {
    /// The read has its result.
    case done(ReadOutcome, asksPIN: Bool)
    /// The card left too early.
    case torn
    /// The phone wants its owner to act; the field stays off so long.
    case waitsForOwner(Duration?)

    var isDone: Bool { if case .done = self { true } else { false } }
}

extension Reading {
    /// A payment, with passes before it or without.
    mutating func readPayment(_ payment: PaymentPlan) async throws(Failure) -> ReadOutcome {
        counter.configuration.logger.debug(
            "sheet", metadata: ["title": "\(payment.text.title)", "detail": "\(payment.text.detail ?? "none")"])
        try checkAmount(payment)
        var repeats = 0
        /// A phone that waits for its owner in the field: it is looked at in silence.
        var resting: CardPresence?
        var isSilent = false
        while true {
            if !isSilent { await sheet.show(.readyForTap) }
            try counter.checkConditions(at: .waiting)
            guard let presence = try await cardComes(within: policy.tapTimeout) else {
                return try await giveUp(tapsByItself ? .cardReadFailed : .readCancelled, cardSeen: false)
            }
            isSilent = presence == resting && !tapsByItself
            let verdict = try await isSilent ? look(payment) : detected(payment)
            var pause = policy.pollInterval
            resting = nil
            switch verdict {
            case .done(let outcome, let asksPIN):
                return try await complete(outcome, payment, cardSeen: true, asksPIN: asksPIN)
            case .torn: isSilent = false
            case .waitsForOwner(let fieldOff):
                resting = presence
                pause = max(pause, fieldOff ?? .zero)
            }
            if !isSilent { repeats += 1 }
            if let maximum = policy.maximumTornTaps ?? (tapsByItself ? 3 : nil), repeats > maximum {
                return try await giveUp(.cardReadFailed, cardSeen: true)
            }
            if !isSilent {
                try ticket.cardLost()
                await sheet.show(.readRetry)
            }
            if !tapsByItself { await time.sleep(pause) }
        }
    }

    /// What pre-processing finds before the field is on (EMV Contactless Book B, 3.1).
    private mutating func checkAmount(_ payment: PaymentPlan) throws(Failure) {
        guard let outcome = entryPoint(payment).preProcess().outcome else { return }
        var report = TapReport(began: time.now(), readerName: reader.name, ending: .payment)
        report.payment = outcome
        self.report(report)
        throw PaymentVerdict(outcome).error
    }

    private func entryPoint(_ payment: PaymentPlan) -> EntryPoint {
        var configuration = life.tools.emv
        configuration.preferredNames = payment.preferredNames
        return EntryPoint(
            configuration: configuration,
            transaction: payment.transaction(
                at: time.now(), recorded: configuration.recorded?.date,
                unpredictableNumber: counter.configuration.payment.unpredictableNumber()))
    }

    /// A card came: it is shown, and read.
    private mutating func detected(_ payment: PaymentPlan) async throws(Failure) -> TapVerdict {
        try ticket.cardDetected()
        await sheet.show(.cardDetected)
        try counter.checkConditions(at: .tap)
        try counter.checkConditions(at: .payment)
        return try await tap(payment)
    }

    /// Looks in silence at a phone that stayed in the field.
    private mutating func look(_ payment: PaymentPlan) async throws(Failure) -> TapVerdict {
        try ticket.beginProbe()
        let verdict: TapVerdict
        do throws(Failure) { verdict = try await tap(payment) } catch {
            // Too late for whoever cancels meanwhile: this error is what the read throws.
            try ticket.endProbe(detected: true)
            await sheet.show(.cardDetected)
            throw error
        }
        if case .waitsForOwner = verdict {
            try ticket.endProbe(detected: false)
        } else {
            try ticket.endProbe(detected: true)
            await sheet.show(.cardDetected)
        }
        return verdict
    }

    /// Passes that were handed out are not asked for again; after the first whole answer, none are.
    private mutating func tap(_ payment: PaymentPlan) async throws(Failure) -> TapVerdict {
        let asks = !passesAreDone || ledger.isLocked
        let request = TapRequest(
            merchants: asks ? ledger.unserved : [], mode: plan.mode, entryPoint: entryPoint(payment),
            isPhone: sawPhone, stopsOnPass: plan.stopsOnPass)
        var tap = await run(request)
        defer { tap.payment?.data.erase() }
        if counter.configuration.payment.testCardsOnly { tap.refuseLiveCard() }
        report(tap.report)
        switch tap.report.ending {
        case .torn: return .torn
        case .failed(let error):
            fault = error
            throw FaultMapping.read(error)
        case .payment, .answered, .notActivated, .noWallet, .otherWallet, .malformed: break
        }
        guard let read = tap.payment else { return try verdictWithoutPayment(tap) }
        return try verdict(on: read)
    }

    private func verdictWithoutPayment(_ tap: Tap) throws(Failure) -> TapVerdict {
        if plan.stopsOnPass, ledger.hasPass { return .done(ReadOutcome(passes: passes), asksPIN: false) }
        if ledger.isLocked { return .waitsForOwner(nil) }
        return try passesOnly(or: tap.report.payment.map { PaymentVerdict($0).error } ?? .cardReadFailed)
    }

    /// The pass is a result of its own; without one the payment's fault is what the read throws.
    private func passesOnly(or error: Failure) throws(Failure) -> TapVerdict {
        guard ledger.hasResult else { throw error }
        return .done(ReadOutcome(passes: passes), asksPIN: false)
    }

    private func verdict(on read: EMVReadResult) throws(Failure) -> TapVerdict {
        var verdict = PaymentVerdict(read.outcome)
        if counter.has(.paymentCardDeclined) { verdict = .declined }
        let keepsErrors = sheet.core.options.includeErrorInReadResult && read.data.pan != nil
        switch verdict {
        case .read:
            return .done(try sealed(read, .success), asksPIN: read.outcome.verification == .onlinePIN)
        case .restart: return .waitsForOwner(read.outcome.fieldOff)
        case .declined:
            guard keepsErrors else { throw .paymentCardDeclined }
            return .done(try sealed(read, .cardDeclined), asksPIN: false)
        case .failed(let error):
            if keepsErrors { return .done(try sealed(read, .failure), asksPIN: false) }
            return try passesOnly(or: error)
        }
    }

    private func sealed(
        _ read: EMVReadResult, _ outcome: PaymentCardReadResult.ReadOutcome
    ) throws(Failure) -> ReadOutcome {
        let (id, now) = (sheet.core.newReadID(), time.now())
        let dates = life.tools.kind.tellsCardDates ? CardDates(read.data, on: EMVDate(now, timeZone: .current)) : nil
        let data: SealedRead
        do { data = try life.tools.sealing.seal(read, transactionID: id, at: now) } catch {
            counter.configuration.logger.error("the read could not be sealed", metadata: ["reason": "\(error)"])
            throw .paymentReadFailed
        }
        let result = PaymentCardReadResult(
            id: id, paymentCardData: data.paymentCardData, generalCardData: data.generalCardData,
            applicationTypeIdentifier: read.kernel?.description, outcome: outcome,
            cardEffectiveState: dates?.effective, cardExpirationState: dates?.expiration)
        return ReadOutcome(payment: result, passes: ledger.hasResult ? passes : nil)
    }

    /// No more taps: what a phone handed out is a result.
    private func giveUp(_ error: Failure, cardSeen: Bool) async throws(Failure) -> ReadOutcome {
        guard ledger.hasResult else { throw error }
        if cardSeen { await removeCard() }
        return try await completed(ReadOutcome(passes: passes))
    }

    private func complete(
        _ outcome: ReadOutcome, _ payment: PaymentPlan, cardSeen: Bool, asksPIN: Bool
    ) async throws(Failure) -> ReadOutcome {
        var outcome = outcome
        if cardSeen { await removeCard() }
        if var result = outcome.payment {
            if asksPIN, let step = payment.pinStep { result = try await step.run(sheet, result) }
            outcome.payment = try await life.tools.kind.keep(result)
        }
        return try await completed(outcome)
    }
}
