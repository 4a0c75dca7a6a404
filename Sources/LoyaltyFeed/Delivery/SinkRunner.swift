// SPDX-License-Identifier: Apache-2.0

internal import HostSystem
internal import Logging

/// Carries events to one sink.
struct SinkRunner {
    let outbox: Outbox
    let slot: SinkSlot
    let clock: HostTime
    let logger: Logger
    private var lane: Lane
    private var asideFirst = false
    private var random = SystemRandomNumberGenerator()

    /// While something waits aside, the wall clock is looked at this often, for it may jump.
    private static let glance: Int64 = 60_000
    private static let troublePause = Duration.seconds(1)

    init(outbox: Outbox, slot: SinkSlot, clock: HostTime, logger: Logger) {
        (self.outbox, self.slot, self.clock) = (outbox, slot, clock)
        var logger = logger
        logger[metadataKey: "sink"] = "\(slot.sink.name)"
        self.logger = logger
        lane = Lane(schedule: slot.schedule, isDisabled: true)
    }

    private var name: String { slot.sink.name }
    private var now: Int64 { EventTime.milliseconds(clock.now()) }

    /// Delivers until the task is cancelled.
    consuming func run() async {
        var isLoaded = false
        while !Task.isCancelled {
            do throws(OutboxError) {
                isLoaded = isLoaded ? try await look() : try await load()
                if try await step() { continue }
                await slot.wake.wait(atMost: try await pause(), clock)
            } catch {
                if Task.isCancelled { break }
                logger.warning("the outbox does not answer", metadata: ["reason": "\(error.reason)"])
                await clock.sleep(Self.troublePause)
            }
        }
    }

    /// The lane as the last run left it. What is left of a wait is never longer than the wait was.
    private mutating func load() async throws(OutboxError) -> Bool {
        guard let kept = try await outbox.lane(of: name) else {
            throw OutboxError(.failed, "the sink is not registered")
        }
        let left = min(max(0, kept.due - now), kept.delay)
        lane = Lane(
            schedule: slot.schedule, cursor: kept.cursor, tries: kept.tries, isDisabled: kept.isDisabled,
            heldUntil: left > 0 ? clock.uptime() + .milliseconds(left) : .zero, delay: .milliseconds(kept.delay))
        return true
    }

    /// Whether somebody else changed something.
    private mutating func look() async throws(OutboxError) -> Bool {
        guard lane.isDisabled || lane.isHeld(at: clock.uptime()) else { return true }
        if let kept = try await outbox.lane(of: name) {
            lane.adopt(isDisabled: kept.isDisabled, isHeld: kept.due > 0)
        }
        return true
    }

    /// How long to wait for the next thing to do; nil until something changes.
    private func pause() async throws(OutboxError) -> Duration? {
        if lane.isDisabled { return nil }
        let uptime = clock.uptime()
        var waits: [Duration] = []
        if lane.isHeld(at: uptime) { waits.append(lane.heldUntil - uptime) }
        if lane.asideHeldUntil > uptime { waits.append(lane.asideHeldUntil - uptime) }
        if lane.mayTryAside(at: uptime), let next = try await outbox.aside(of: name, now: now, limit: 0).next {
            waits.append(.milliseconds(min(max(next, 1), Self.glance)))
        }
        return waits.min()
    }

    /// One attempt, if one is due; in turn from those aside and from the head.
    private mutating func step() async throws(OutboxError) -> Bool {
        if lane.isDisabled { return false }
        asideFirst.toggle()
        if asideFirst {
            if try await stepAside() { return true }
            return try await stepHead()
        }
        if try await stepHead() { return true }
        return try await stepAside()
    }

    private mutating func stepHead() async throws(OutboxError) -> Bool {
        let uptime = clock.uptime()
        guard lane.isHeld(at: uptime) else {
            let rows = try await outbox.rows(after: lane.cursor, limit: max(1, slot.sink.batchLimit))
            if let broken = rows.first?.broken {
                return try await giveUp(broken) { $0.giveUp(broken.position, $1, $2) }
            }
            let events = rows.prefix { $0.broken == nil }.compactMap(\.event)
            guard !events.isEmpty else { return false }
            return try await attempt(events) { $0.settle(events.map(\.position), $1, $2) }
        }
        guard lane.mayProbe(at: uptime) else { return false }
        let events = try await outbox.rows(after: lane.cursor, limit: 2).compactMap(\.event)
        guard events.count == 2 else { return false }
        return try await attempt([events[1]]) { lane, reports, time in
            lane.settleProbe(head: events[0].position, next: events[1].position, reports[0], time)
        }
    }

    private mutating func stepAside() async throws(OutboxError) -> Bool {
        guard lane.mayTryAside(at: clock.uptime()) else { return false }
        let (aside, _) = try await outbox.aside(of: name, now: now, limit: max(1, slot.sink.batchLimit))
        if let first = aside.first, let broken = first.row.broken {
            return try await giveUp(broken) { $0.giveUpAside(broken.position, tries: first.tries, $1, $2) }
        }
        let events = aside.compactMap { aside in aside.row.event.map { ($0, aside.tries) } }
        guard !events.isEmpty else { return false }
        return try await attempt(events.map(\.0)) { lane, reports, time in
            lane.settleAside(events.map { ($0.0.position, $0.1) }, reports, time)
        }
    }

    /// What cannot be read is never sent: it is given up at once, and the others go on.
    private mutating func giveUp(
        _ broken: BrokenEvent, _ settle: (inout Lane, DeliveryReport, LaneTime) -> LaneUpdate
    ) async throws(OutboxError) -> Bool {
        let report = DeliveryReport(.refused(retryAfter: nil), detail: "its body cannot be read: \(broken.reason)")
        let update = settle(&lane, report, LaneTime(uptime: clock.uptime(), now: now, jitter: 0))
        let ids = broken.id.map { [broken.position: $0] } ?? [:]
        try await write(update, ids, now, 0)
        tell(update, ids)
        return true
    }

    private mutating func attempt(
        _ events: [StoredEvent], _ settle: (inout Lane, [DeliveryReport], LaneTime) -> LaneUpdate
    ) async throws(OutboxError) -> Bool {
        let (began, start) = (now, clock.uptime())
        let reports = await slot.deliver(events.map(\.outgoing))
        let took = (clock.uptime() - start) / .milliseconds(1)
        let time = LaneTime(uptime: clock.uptime(), now: now, jitter: .random(in: 0...1, using: &random))
        let update = settle(&lane, reports, time)
        let ids = Dictionary(uniqueKeysWithValues: events.map { ($0.position, $0.outgoing.event.id) })
        try await write(update, ids, began, took)
        tell(update, ids)
        return true
    }

    /// Until it is written: on a full disk the sink shall not get the same event again and again. Only when the process
    /// ends before it is, the next one sends what the outbox does not know, and its id tells the sink.
    private func write(
        _ update: LaneUpdate, _ ids: [Int64: ULID], _ began: Int64, _ took: Double
    ) async throws(OutboxError) {
        while true {
            do {
                return try await outbox.apply(update, sink: name, ids: ids, began: began, milliseconds: took)
            } catch {
                if Task.isCancelled { throw error }
                logger.warning("what became of an event cannot be written", metadata: ["reason": "\(error.reason)"])
                await clock.sleep(Self.troublePause)
            }
        }
    }

    private func tell(_ update: LaneUpdate, _ ids: [Int64: ULID]) {
        for attempt in update.attempts {
            guard attempt.report.verdict != .delivered else { continue }
            logger.info(
                "not delivered",
                metadata: [
                    "event": "\(ids[attempt.position]?.description ?? "?")",
                    "outcome": "\(attempt.report.verdict.name)",
                    "detail": "\(attempt.report.detail)",
                ])
        }
        for aside in update.aside where aside.isDead {
            logger.warning(
                "given up; `countertop outbox resend` tries it again",
                metadata: ["event": "\(ids[aside.position]?.description ?? "?")"])
        }
        if update.isDisabled {
            logger.warning("the sink wants no more events; it is disabled until it is enabled again")
        }
    }
}
