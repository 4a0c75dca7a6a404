// SPDX-License-Identifier: Apache-2.0

internal import ISO7816
internal import Logging

/// One loyalty read from `readyForTap` to its result: taps, repeated taps, and locked phones.
struct VASReading {
    typealias Failure = PaymentCardReaderSession.ReadError

    let plan: VASPlan
    let reader: any CardReader
    let sheet: Sheet
    let ticket: ReadTicket
    var ledger: EntryLedger
    /// What the reader said last, for an engine that has to open it again.
    private(set) var fault: CardChannelError?

    init(plan: VASPlan, reader: any CardReader, sheet: Sheet, ticket: ReadTicket) {
        (self.plan, self.reader, self.sheet, self.ticket) = (plan, reader, sheet, ticket)
        ledger = EntryLedger(plan.merchants)
    }

    private var counter: Counter { sheet.core.counter }
    private var policy: RetryPolicy { counter.configuration.policy }
    private var time: CounterTime { counter.configuration.time }
    private var tapsByItself: Bool { counter.configuration.reader.tapsByItself }

    /// The sheet comes up, and stays until there is a result or an error.
    mutating func run() async throws(Failure) -> [VASReadResult.ReadEntry] {
        try counter.checkConditions(at: .sheet)
        var tornTaps = 0
        while true {
            await sheet.show(.readyForTap)
            try counter.checkConditions(at: .waiting)
            guard try await cardComes(within: policy.tapTimeout) else {
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

    /// Waits for a card; false when none came in time. Cancellable as long as it lasts.
    private mutating func cardComes(within timeout: Duration?) async throws(Failure) -> Bool {
        let wait = Task { [reader] () -> CardChannelError? in
            do throws(CardChannelError) { _ = try await reader.waitForCard(timeout: timeout) } catch { return error }
            return nil
        }
        do { try ticket.beginWaiting { wait.cancel() } } catch {
            wait.cancel()
            throw error
        }
        let error = await wait.value
        if let stopped = ticket.stopped { throw stopped }
        guard let error else { return true }
        guard error.code != .noCard else { return false }
        fault = error
        throw FaultMapping.read(error)
    }

    /// One exchange; false when the tap was torn. What it brought is in the ledger either way.
    private mutating func tap() async throws(Failure) -> Bool {
        let tap = await VASTap.run(plan.merchants, on: reader, time: time)
        counter.report(tap.report)
        ledger.merge(tap.entries)
        log(tap.report)
        switch tap.report.ending {
        case .answered, .notActivated:
            guard ledger.isReadable else { throw .vasReadFail }
            return true
        case .torn: return false
        case .noWallet, .otherWallet, .malformed: throw .vasReadFail
        case .failed(let error):
            fault = error
            throw FaultMapping.read(error)
        }
    }

    private func log(_ report: TapReport) {
        counter.configuration.logger.debug(
            "tap",
            metadata: [
                "reader": "\(report.readerName)", "wallet": "\(report.walletName ?? "none")",
                "commands": "\(report.commandDurations.count)", "ending": "\(report.ending)",
            ])
    }

    private func finish(cardSeen: Bool) async throws(Failure) -> [VASReadResult.ReadEntry] {
        if cardSeen {
            await sheet.show(.removeCard)
            if policy.removalWait > .zero { _ = try? await reader.waitForRemoval(timeout: policy.removalWait) }
        }
        await sheet.show(.readCompleted)
        return ledger.entries
    }
}

extension VASReading {
    /// A locked phone: the sheet asks once more, and the phone is looked at in silence until its owner has
    /// authenticated, or the window is over and the result says so.
    private mutating func waitForActivation() async throws(Failure) -> [VASReadResult.ReadEntry] {
        try ticket.cardLost()
        await sheet.show(.readRetry)
        await sheet.show(.readyForTap)
        let end = time.uptime() + policy.activationWindow
        var tapsLeft = policy.activationTaps ?? (tapsByItself ? 1 : .max)
        var cardSeen = false
        while tapsLeft > 0 {
            if !tapsByItself { await time.sleep(policy.pollInterval) }
            let rest = end - time.uptime()
            guard rest > .zero, try await cardComes(within: rest) else { break }
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
