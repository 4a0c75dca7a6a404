// SPDX-License-Identifier: Apache-2.0

internal import EMVContactless
internal import HostSystem
internal import ISO7816
internal import Logging

/// One read from `readyForTap` to its result: taps, repeated taps, and locked phones.
struct Reading {
    typealias Failure = PaymentCardReaderSession.ReadError

    let plan: ReadPlan
    let reader: any CardReader
    let sheet: Sheet
    let ticket: ReadTicket
    let life: SessionLife
    var ledger: EntryLedger
    /// The passes' part was gone through in a tap of this read.
    var passesAreDone = false
    /// A wallet phone answered in a tap of this read.
    var sawPhone = false
    /// What the reader said last, for an engine that has to open it again.
    var fault: CardChannelError?
    /// The last tap of this read.
    private(set) var lastTap: TapReport?
    private let passesID: String

    init(plan: ReadPlan, reader: any CardReader, sheet: Sheet, ticket: ReadTicket, life: SessionLife) {
        (self.plan, self.reader, self.sheet, self.ticket, self.life) = (plan, reader, sheet, ticket, life)
        ledger = EntryLedger(plan.passes?.merchants ?? [])
        passesID = sheet.core.newReadID()
    }

    /// What the passes' part comes to so far.
    var passes: VASReadResult { VASReadResult(read: passesID, entries: ledger.entries) }

    var counter: Counter { sheet.core.counter }
    var policy: RetryPolicy { counter.configuration.policy }
    var time: HostTime { counter.configuration.time }
    var tapsByItself: Bool { counter.configuration.reader.tapsByItself }

    /// The sheet comes up, and stays until there is a result or an error.
    mutating func run() async throws(Failure) -> ReadOutcome {
        try counter.checkConditions(at: .sheet)
        if let payment = plan.payment { return try await readPayment(payment) }
        return try await readPasses()
    }

    /// Passes alone.
    private mutating func readPasses() async throws(Failure) -> ReadOutcome {
        var tornTaps = 0
        while true {
            await sheet.show(.readyForTap)
            try counter.checkConditions(at: .waiting)
            guard try await cardComes(within: policy.tapTimeout) != nil else {
                // What a phone handed out before the tear is a result.
                if ledger.hasSuccess { return try await finish(cardSeen: false) }
                throw tapsByItself ? .cardReadFailed : .readCancelled
            }
            try ticket.cardDetected()
            await sheet.show(.cardDetected)
            try counter.checkConditions(at: .tap)
            if try await tap() {
                return try await ledger.isLocked ? waitForActivation() : finish(cardSeen: true)
            }
            tornTaps += 1
            if let maximum = policy.maximumTornTaps ?? (tapsByItself ? 3 : nil), tornTaps > maximum {
                guard ledger.hasSuccess else { throw .cardReadFailed }
                return try await finish(cardSeen: true)
            }
            try ticket.cardLost()
            await sheet.show(.readRetry)
            if !tapsByItself { await time.sleep(policy.pollInterval) }
        }
    }

    /// Waits for a card; nil when none came in time. Cancellable as long as it lasts.
    mutating func cardComes(within timeout: Duration?) async throws(Failure) -> CardPresence? {
        let wait = Task { [reader] () -> Result<CardPresence, CardChannelError> in
            do throws(CardChannelError) { return .success(try await reader.waitForCard(timeout: timeout)) } catch {
                return .failure(error)
            }
        }
        do { try ticket.beginWaiting { wait.cancel() } } catch {
            wait.cancel()
            throw error
        }
        let came = await wait.value
        if let stopped = ticket.stopped { throw stopped }
        switch came {
        case .success(let presence): return presence
        case .failure(let error) where error.code == .noCard: return nil
        case .failure(let error):
            fault = error
            throw FaultMapping.read(error)
        }
    }

    /// One exchange; false when the tap was torn. What it brought is in the ledger either way.
    private mutating func tap() async throws(Failure) -> Bool {
        let tap = await run(TapRequest(merchants: plan.passes?.merchants ?? [], mode: plan.mode))
        report(tap.report)
        switch tap.report.ending {
        case .answered, .notActivated, .payment:
            guard ledger.isReadable else { throw .vasReadFail }
            return true
        case .torn: return false
        case .noWallet, .otherWallet, .malformed: throw .vasReadFail
        case .failed(let error):
            fault = error
            throw FaultMapping.read(error)
        }
    }

    /// One exchange, with what it brought in report, ledger and log.
    mutating func run(_ request: TapRequest) async -> Tap {
        let tap = await Tap.run(request, on: reader, time: time)
        ledger.merge(tap.entries)
        // A card that is no wallet may be another card at the next tap, or a phone.
        passesAreDone = passesAreDone || (tap.passesAreDone && tap.isPhone)
        sawPhone = sawPhone || tap.isPhone
        return tap
    }

    mutating func report(_ report: TapReport) {
        lastTap = report
        counter.report(report)
        counter.configuration.logger.debug(
            "tap",
            metadata: [
                "reader": "\(report.readerName)", "wallet": "\(report.walletName ?? "none")",
                "commands": "\(report.commandDurations.count)", "ending": "\(report.ending)",
                "outcome": "\(report.payment?.value.rawValue ?? "none")",
                "reason": "\(report.payment?.reason.code ?? "none")",
            ])
    }

    private func finish(cardSeen: Bool) async throws(Failure) -> ReadOutcome {
        if cardSeen { await removeCard() }
        return try await completed(ReadOutcome(passes: passes))
    }

    func removeCard() async {
        await sheet.show(.removeCard)
        if policy.removalWait > .zero { _ = try? await reader.waitForRemoval(timeout: policy.removalWait) }
    }
}

extension Reading {
    /// A locked phone: the sheet asks once more, and the phone is looked at in silence until its owner has
    /// authenticated, or the window is over and the result says so.
    private mutating func waitForActivation() async throws(Failure) -> ReadOutcome {
        try ticket.cardLost()
        await sheet.show(.readRetry)
        await sheet.show(.readyForTap)
        let end = time.uptime() + policy.activationWindow
        var tapsLeft = policy.activationTaps ?? (tapsByItself ? 1 : .max)
        var cardSeen = false
        while tapsLeft > 0 {
            if !tapsByItself { await time.sleep(policy.pollInterval) }
            let rest = end - time.uptime()
            guard rest > .zero, try await cardComes(within: rest) != nil else { break }
            tapsLeft -= 1
            if try await probe() { cardSeen = true }
            if cardSeen, !ledger.isLocked { break }
        }
        if let stopped = ticket.stopped { throw stopped }
        try ticket.cardDetected()
        if cardSeen { await sheet.show(.cardDetected) }
        return try await finish(cardSeen: cardSeen)
    }

    /// Looks at a locked phone; false when the tap was torn.
    private mutating func probe() async throws(Failure) -> Bool {
        try ticket.beginProbe()
        do throws(Failure) {
            let whole = try await tap()
            try ticket.endProbe(detected: whole && !ledger.isLocked)
            return whole
        } catch {
            // Too late for whoever cancels meanwhile: this error is what the read throws.
            try ticket.endProbe(detected: true)
            throw error
        }
    }
}
