// SPDX-License-Identifier: Apache-2.0

internal import AppleVAS
internal import HostSystem
internal import ISO7816
internal import Logging
internal import PCSC

/// The counter at work: one preparation and one read at a time, whichever reader object asks.
actor ReadEngine {
    typealias ReadError = PaymentCardReaderSession.ReadError

    private let configuration: Counter.Configuration
    private var reader: (any CardReader)?
    /// The same without what the configuration put around it, where it is one of pcscd's.
    private var pcsc: PCSCReader?
    private var isPreparing = false
    private var current: (life: SessionLife, ticket: ReadTicket)?
    /// A sheet that is still going away after its result was handed out.
    private var dismissal: Task<Void, Never>?

    init(_ configuration: Counter.Configuration) { self.configuration = configuration }

    /// The reader, opened on first use and after it was lost.
    func openReader() async throws(CardChannelError) -> any CardReader {
        if let problem = configuration.problem { throw CardChannelError(.other, reason: problem.description) }
        if let reader { return reader }
        let opened = try await configuration.reader.open(wakingPhone: configuration.wakesPhone)
        // Somebody else may have opened it during the wait.
        if let reader { return reader }
        let wrapped = configuration.wrapReader?(opened) ?? opened
        (reader, pcsc) = (wrapped, opened as? PCSCReader)
        configuration.logger.debug("reader", metadata: ["name": "\(wrapped.name)"])
        return wrapped
    }

    /// Makes the device ready for a session, with progress when it is slow.
    func prepare(for core: ReaderCore, _ progress: Unguarded?) async throws(PaymentCardReaderError) {
        guard !isPreparing else { throw .readerBusy }
        isPreparing = true
        defer { isPreparing = false }
        do { _ = try await openReader() } catch { throw FaultMapping.preparation(error) }
        let delay = core.counter.delays[.preparation]
        if delay > .zero { await configuration.time.sleep(delay) }
        guard let slow = core.counter.conditions.first(where: { $0.name == .slowPreparation }) else {
            return try checkInterruption(of: core.counter)
        }
        for percent in 1...100 {
            await configuration.time.sleep(slow.seconds / 100)
            core.send(.updateProgress(percent))
            progress?.call(.updateProgress(percent))
            if percent >= 50 { try checkInterruption(of: core.counter) }
        }
    }

    /// Going to the background in the middle of a request ends it, and so does cancelling its task.
    private func checkInterruption(of counter: Counter) throws(PaymentCardReaderError) {
        guard !counter.has(.requestInterrupted), !counter.has(.background), !Task.isCancelled else {
            throw .requestInterrupted
        }
    }

    /// One read, from its sheet to its result.
    func read(
        _ plan: ReadPlan, in life: SessionLife, handler: Unguarded?
    ) async throws(ReadError) -> ReadOutcome {
        guard current == nil else { throw .readerSessionBusy }
        let ticket = ReadTicket()
        current = (life, ticket)
        defer { current = nil }
        await dismissal?.value
        let sheet = Sheet(core: life.core, handler: handler)
        let result = await withTaskCancellationHandler {
            await read(plan, sheet, ticket, life)
        } onCancel: {
            ticket.stop(.readCancelled)
        }
        await close(sheet, result)
        return try result.get()
    }

    /// The sheet goes away, in the manner of what it brought.
    private func close(_ sheet: Sheet, _ result: Result<some Sendable, ReadError>) async {
        switch result {
        case .success where sheet.core.options.returnReadResultImmediately:
            dismissal = Task { await sheet.show(.userInterfaceDismissed) }
            return
        case .success: break
        case .failure(.readCancelled), .failure(.pinCancelled): await sheet.show(.readCancelled)
        case .failure: await sheet.show(.readNotCompleted)
        }
        await sheet.show(.userInterfaceDismissed)
    }

    /// A PIN for an earlier read, from its sheet to its result. It is no read that `cancelRead` could end.
    func capturePIN(_ capture: PINCapture, in life: SessionLife) async throws(ReadError) -> PaymentCardReadResult {
        guard current == nil else { throw .readerSessionBusy }
        let ticket = ReadTicket()
        try ticket.cardDetected()
        current = (life, ticket)
        defer { current = nil }
        await dismissal?.value
        let sheet = Sheet(core: life.core, handler: nil)
        let result: Result<PaymentCardReadResult, ReadError>
        do throws(ReadError) {
            result = .success(try await capture.run(on: sheet))
            await sheet.show(.readCompleted)
        } catch { result = .failure(error) }
        await close(sheet, result)
        return try result.get()
    }

    private func read(
        _ plan: ReadPlan, _ sheet: Sheet, _ ticket: ReadTicket, _ life: SessionLife
    ) async -> Result<ReadOutcome, ReadError> {
        life.keptPasses = nil
        let opened: any CardReader
        do { opened = try await openReader() } catch { return .failure(FaultMapping.opening(error)) }
        if let mode = PollingRoute.Mode(rawValue: plan.mode.rawValue) { await pcsc?.setWakeMode(mode) }
        var reading = Reading(plan: plan, reader: opened, sheet: sheet, ticket: ticket, life: life)
        do throws(ReadError) { return .success(try await reading.run()) } catch {
            if let fault = reading.fault, FaultMapping.losesReader(fault) { reader = nil }
            if plan.payment != nil, reading.ledger.hasResult { life.keptPasses = reading.passes }
            return .failure(error)
        }
    }

    /// Cancels the session's own read; true when it did.
    func cancelRead(of life: SessionLife) async -> Bool {
        guard let current, current.life === life else { return false }
        return await current.ticket.cancel()
    }

    /// Ends the session's own read with an error, unless a card is detected.
    func abort(_ life: SessionLife, with error: ReadError) {
        guard let current, current.life === life else { return }
        current.ticket.stop(error)
    }
}
