// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import ISO7816
internal import Logging
internal import LoyaltyFeed
internal import ProximityReader
internal import Synchronization
internal import WalletCrypto

/// Contact after contact over Apple's API, whatever becomes of the reader.
///
/// The engine behind the API opens a reader again that was lost; this loop asks it to, and says meanwhile that the
/// counter is away.
final class ReaderLoop: Sendable {
    /// What is known of the contact that is going on.
    private struct Contact {
        var tap: TapReport?
        var kept: TapOutcome?
        /// Why it could not be kept.
        var failure: (any Error)?
    }

    /// How a read ended.
    private enum Ending {
        case over(TapOutcome)
        case notKept(any Error)
        /// There is no reader, for this reason; before that a contact may have come to an error.
        case away(String, TapOutcome?)
        /// No contact, and no reader's fault: the session, say.
        case broken(String)
        case cancelled
        case usedUp
    }

    private struct Presence {
        var isAway = false
        var recoveries = 0
        var advice: String?
    }

    let slot: ReaderSlot
    private let setting: CounterSetting
    private let desk: TapDesk?
    private let writer: TapWriter
    private let board: StateBoard
    private let pulse: Pulse
    private let metrics: CounterMetrics
    private let contact = Mutex(Contact())
    private let presence = Mutex(Presence())

    /// Between two attempts to find a reader again.
    static let pause = Duration.milliseconds(250)

    init(
        _ setting: CounterSetting, desk: TapDesk?, writer: TapWriter, board: StateBoard, pulse: Pulse,
        metrics: CounterMetrics
    ) {
        (self.setting, self.desk, self.writer, self.board) = (setting, desk, writer, board)
        (self.pulse, self.metrics) = (pulse, metrics)
        slot = ReaderSlot(what: setting.request.title)
    }

    private var logger: Logger { setting.logger }

    /// How often the reader came back, and whether it is there.
    var reader: (isConnected: Bool, recoveries: Int) {
        presence.withLock { (!$0.isAway && slot.reader != nil, $0.recoveries) }
    }

    /// Reads until the task is cancelled. A contact that is going on then is finished, and kept.
    func run() async {
        pulse.start()
        let reading: Reading
        do { reading = try Reading(configuration(), setting) } catch {
            logger.critical("the counter cannot be set up", metadata: ["reason": "\(error)"])
            board.close(CounterState(.stopped, "The counter cannot be set up: \(error)"))
            desk?.close()
            return
        }
        while !Task.isCancelled {
            let ending = await read(with: reading)
            if case .usedUp = ending { break }
            await settle(ending)
        }
        desk?.close()
        if !Task.isCancelled {
            board.show(CounterState(.stopped, "The trace is used up"))
            logger.notice("the trace is used up: no more taps")
            pulse.rest()
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
        }
        board.close(CounterState(.stopped, "The counter has stopped"))
        metrics.reader(isConnected: false)
    }

    // MARK: One read

    private func read(with reading: Reading) async -> Ending {
        contact.withLock { $0 = Contact() }
        slot.begin()
        do {
            try await reading.read()
            return contact.withLock { $0.kept }.map(Ending.over) ?? .broken("the read was not kept")
        } catch {
            return await ending(of: error)
        }
    }

    private func ending(of error: any Error) async -> Ending {
        let contact = contact.withLock { $0 }
        if let failure = contact.failure { return .notKept(failure) }
        let absence = Absence.text(error, contact.tap)
        if let tap = contact.tap {
            let (writer, trace) = (writer, slot.trace)
            // A task of its own: what came to an error is kept, although the loop was told to end.
            switch await Task(operation: { try await writer.keep(failure: tap, trace) }).result {
            case .success(let outcome): return absence.map { .away($0, outcome) } ?? .over(outcome)
            case .failure(let error): return .notKept(error)
            }
        }
        if Task.isCancelled { return .cancelled }
        if await slot.isUsedUp { return .usedUp }
        return absence.map { .away($0, nil) } ?? .broken(Absence.words(error))
    }

    // MARK: After a read

    private func settle(_ ending: Ending) async {
        switch ending {
        case .over(let outcome):
            if let reason = outcome.failure { tellFailure(outcome, reason) }
            desk?.finish(.success(outcome))
            await waitForRemoval()
        case .notKept(let error):
            metrics.countNotKept()
            logger.error("a tap could not be kept", metadata: ["reason": "\(error)"])
            board.show(CounterState(.retry, "The tap could not be kept: \(error)"))
            let known = error as? OutboxError
            desk?.finish(
                .failure(
                    ControlError(
                        .notKept, "the tap could not be kept: \(known?.reason ?? "\(error)")",
                        hint: known?.code == .full ? "make room on the disk, and tap again" : known?.hint)))
            await waitForRemoval()
        case .away(let text, let outcome):
            leave(text)
            desk?.finish(
                outcome.map { .success($0) } ?? .failure(ControlError(.unavailable, text)))
            pulse.rest()
            try? await Task.sleep(for: Self.pause)
        case .broken(let text):
            logger.warning("a read ended without a tap", metadata: ["reason": "\(text)"])
            desk?.finish(.failure(ControlError(.unavailable, text)))
            pulse.rest()
            try? await Task.sleep(for: Self.pause)
        case .cancelled, .usedUp: break
        }
    }

    /// A phone that stays is not read again; an emulated one has been taken away.
    private func waitForRemoval() async {
        pulse.rest()
        guard desk == nil, setting.waitsForRemoval else { return }
        await slot.waitForRemoval()
    }

    private func tellFailure(_ outcome: TapOutcome, _ reason: TapReason) {
        board.show(CounterState(.retry, reason.sentence))
        logger.info(
            "tap failed", metadata: ["tap": "\(outcome.id)", "code": "\(reason.code)", "reason": "\(reason.text)"])
    }

    private func leave(_ text: String) {
        let isNew = presence.withLock { presence in
            defer { presence.isAway = true }
            return !presence.isAway
        }
        metrics.reader(isConnected: false)
        board.show(CounterState(.away, text))
        if isNew { logger.warning("the reader is away", metadata: ["reason": "\(text)"]) }
    }

    // MARK: What the engine tells

    private func configuration() -> ProximityReader.Counter.Configuration {
        var configuration = ProximityReader.Counter.Configuration(
            reader: desk.map { .custom($0.reader) } ?? setting.reader)
        configuration.policy = setting.policy(isEmulated: desk != nil)
        configuration.payment = setting.payment
        configuration.logger = setting.engineLogger
        configuration.wakesPhone = setting.wakesPhone
        configuration.wrapReader = { [slot] in slot.install($0) }
        configuration.tapHandler = { [weak self] tap in self?.contact.withLock { $0.tap = tap } }
        configuration.eventHandler = { [weak self] in self?.take($0) }
        configuration.beforeCompletion = { [weak self] in try await self?.keep($0) }
        return configuration
    }

    private func keep(_ read: CompletedRead) async throws {
        do {
            let outcome = try await writer.keep(read, slot.trace)
            contact.withLock { $0.kept = outcome }
            logger.debug("tap kept", metadata: ["tap": "\(outcome.id)", "events": "\(outcome.events.count)"])
            for key in outcome.missingKeys {
                logger.warning(
                    "a pass is kept closed until its key is here",
                    metadata: [
                        "tap": "\(outcome.id)", "key": "\(key)", "hint": "\(TapReason.hint(for: "unknownKey") ?? "")",
                    ])
            }
        } catch {
            contact.withLock { $0.failure = error }
            throw error
        }
    }

    private func take(_ event: PaymentCardReader.Event) {
        switch event {
        case .readyForTap:
            pulse.rest()
            comeBack()
            board.show(CounterState(.ready, "Hold the phone to the reader"))
        case .cardDetected:
            pulse.work()
            board.show(CounterState(.hold, "Hold still"))
        case .readCompleted:
            let failure = contact.withLock { $0.kept?.failure }
            if failure == nil { board.show(CounterState(.done, "The tap was read and kept")) }
        case .readRetry: board.show(CounterState(.retry, "Hold the phone to the reader again"))
        default: break
        }
    }

    /// The reader is there: the sheet is up.
    private func comeBack() {
        let wasAway = presence.withLock { presence in
            defer { presence.isAway = false }
            if presence.isAway { presence.recoveries += 1 }
            return presence.isAway
        }
        metrics.reader(isConnected: true)
        guard wasAway else { return }
        metrics.readerRecovered()
        logger.notice("the reader is back", metadata: ["reader": "\(slot.reader?.name ?? "")"])
    }
}

extension TapReason {
    /// With a capital letter and what to do.
    var sentence: String {
        text.prefix(1).uppercased() + text.dropFirst()
            + (hint.map { ". " + $0.prefix(1).uppercased() + $0.dropFirst() } ?? "")
    }
}
