// SPDX-License-Identifier: Apache-2.0

public import HostSystem
public import Logging
internal import WalletCrypto

/// Carries released events to the sinks, each at its own pace, and looks after the outbox: ends of basket windows,
/// purging, what other processes ask for.
///
/// One engine for an outbox. ``run()`` is called once; ``testEvent(sink:)`` from any task meanwhile.
public struct DeliveryEngine: Sendable {
    private let outbox: Outbox
    private let slots: [SinkSlot]
    private let clock: HostTime
    private let logger: Logger

    /// An engine.
    ///
    /// - Parameters:
    ///   - outbox: where events come from.
    ///   - sinks: where they go; names differ.
    ///   - schedules: by a sink's name, where it is not ``DeliverySchedule/standard``.
    ///   - clock: what is taken for the time.
    ///   - logger: told what a sink does to others: held, gone on, disabled, given up.
    ///   - grace: how long an attempt under way may go on after the engine was cancelled.
    public init(
        outbox: Outbox, sinks: [any Sink], schedules: [String: DeliverySchedule] = [:], clock: HostTime = .system,
        logger: Logger, grace: Duration = .seconds(5)
    ) {
        (self.outbox, self.clock, self.logger) = (outbox, clock, logger)
        slots = sinks.map { SinkSlot($0, schedules[$0.name] ?? .standard, grace) }
    }

    /// Delivers until the task is cancelled. An attempt under way is finished first, and its outcome written.
    public func run() async {
        await persist("register the sinks") { () async throws(OutboxError) in
            let left = try await outbox.register(sinks: slots.map(\.sink.name))
            for (name, count) in left.sorted(by: { $0.key < $1.key }) where count > 0 {
                logger.warning(
                    "a sink is no longer configured, and events wait for it; they are kept no longer than others",
                    metadata: ["sink": "\(name)", "events": "\(count)"])
            }
        }
        await withTaskGroup { group in
            let changes = outbox.changes
            let upkeep = Upkeep(outbox: outbox, clock: clock, logger: logger, wake: WakeSignal())
            for slot in slots {
                group.addTask { await SinkRunner(outbox: outbox, slot: slot, clock: clock, logger: logger).run() }
            }
            group.addTask { await upkeep.run { for slot in slots { slot.wake.signal() } } }
            group.addTask {
                for await change in changes {
                    switch change {
                    case .event, .several: for slot in slots { slot.wake.signal() }
                    case .tap: upkeep.wake.signal()
                    case .delivery: continue
                    }
                }
            }
        }
        for slot in slots { await slot.turnstile.pass { await slot.sink.close() } }
    }

    /// Sends an event of type `dev.countertop.test.v1` past the outbox, to see whether a sink works.
    ///
    /// - Returns: what became of it; nil when there is no sink of this name.
    public func testEvent(sink name: String) async -> DeliveryReport? {
        guard let slot = slots.first(where: { $0.sink.name == name }) else { return nil }
        return await slot.deliver([outbox.testEvent()]).first
    }

    /// Tries again until it works: a full disk has room again, a locked file is free again.
    private func persist(_ what: String, _ body: () async throws(OutboxError) -> Void) async {
        while !Task.isCancelled {
            do throws(OutboxError) { return try await body() } catch {
                logger.warning("cannot \(what) yet", metadata: ["reason": "\(error.reason)"])
                await clock.sleep(.seconds(1))
            }
        }
    }
}

extension Outbox {
    /// An event that nobody tapped for.
    public func testEvent() -> OutgoingEvent {
        TestEvent.make(
            id: ids.next(), source: identity.id.isEmpty ? "/counters/test" : identity.source,
            at: options.clock.now())
    }
}

/// A sink with what guards it.
final class SinkSlot: Sendable {
    let sink: any Sink
    let schedule: DeliverySchedule
    let wake = WakeSignal()
    let turnstile = Turnstile()
    private let grace: Duration

    init(_ sink: any Sink, _ schedule: DeliverySchedule, _ grace: Duration) {
        (self.sink, self.schedule, self.grace) = (sink, schedule, grace)
    }

    /// As many reports as events. When the task is cancelled, the attempt goes on for the time of grace.
    func deliver(_ events: [OutgoingEvent]) async -> [DeliveryReport] {
        let (sink, grace) = (sink, grace)
        let attempt = Task { await turnstile.pass { await sink.deliver(events) } }
        let reports = await withTaskCancellationHandler {
            await attempt.value
        } onCancel: {
            Task {
                // The real time: somebody waits for the process to end.
                try? await Task.sleep(for: grace)
                attempt.cancel()
            }
        }
        let missing = max(0, events.count - reports.count)
        let none = DeliveryReport(.unreachable, detail: "the sink said nothing about this event")
        return Array(reports.prefix(events.count)) + [DeliveryReport](repeating: none, count: missing)
    }
}

/// What an outbox needs from time to time.
struct Upkeep: Sendable {
    let outbox: Outbox
    let clock: HostTime
    let logger: Logger
    let wake: WakeSignal

    /// How often to look whether another process wrote.
    private static let interval = Duration.seconds(1)
    private static let purgeInterval = Duration.seconds(3600)
    /// How often to look for passes that waited too long.
    private static let dropInterval = Duration.seconds(60)

    func run(onOutsideChange: @Sendable () -> Void) async {
        var version: Int?
        var (purgeDue, dropDue) = (Duration.zero, Duration.zero)
        while !Task.isCancelled {
            var next: Duration?
            do throws(OutboxError) {
                let current = try await outbox.outsideVersion()
                if let version, version != current {
                    outbox.listeners.tell([.several])
                    onOutsideChange()
                }
                version = current
                next = try await outbox.releaseDue()
                if clock.uptime() >= dropDue {
                    dropDue = clock.uptime() + Self.dropInterval
                    let count = try await outbox.dropParked()
                    if count > 0 {
                        logger.warning("dropped passes whose key never came", metadata: ["count": "\(count)"])
                    }
                }
                if clock.uptime() >= purgeDue {
                    purgeDue = clock.uptime() + Self.purgeInterval
                    let count = try await outbox.purge()
                    if count > 0 { logger.info("removed old taps", metadata: ["count": "\(count)"]) }
                }
            } catch {
                if !Task.isCancelled {
                    logger.warning("upkeep of the outbox failed", metadata: ["reason": "\(error.reason)"])
                }
            }
            let pause = min(Self.interval, next.map { $0 - clock.uptime() } ?? Self.interval)
            await wake.wait(atMost: max(pause, .milliseconds(1)), clock)
        }
    }
}
