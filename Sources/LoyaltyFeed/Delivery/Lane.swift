// SPDX-License-Identifier: Apache-2.0

internal import HostSystem

/// The times at which a report is looked at.
struct LaneTime: Sendable {
    /// The time that only grows.
    var uptime: Duration
    /// Milliseconds since 1970.
    var now: Int64
    /// 0 to 1: how much longer than planned a wait is, so that counters do not all come at once.
    var jitter: Double
}

/// What a report changes, to be written in one transaction.
struct LaneUpdate: Hashable, Sendable {
    /// An event that goes aside, or is there already.
    struct Aside: Hashable, Sendable {
        var position: Int64
        var tries: Int
        var isDead: Bool
        var due: Int64
        var delay: Int64
    }

    /// An attempt that was made.
    struct Attempt: Hashable, Sendable {
        var position: Int64
        var report: DeliveryReport
    }

    var attempts: [Attempt] = []
    var aside: [Aside] = []
    /// Those aside that are delivered now.
    var done: [Int64] = []
    /// The head as it is afterwards.
    var cursor: Int64 = 0
    var tries = 0
    var due: Int64 = 0
    var delay: Int64 = 0
    var isDisabled = false
}

/// One sink's way through the events: the rules, without clock and database.
///
/// Events go out in order. An endpoint that does not work (`unavailable`, `unreachable`) holds them all, for as long as
/// the schedule of the head event says; an event that alone is not taken goes aside, where it has a schedule of its own,
/// and the others go on.
struct Lane: Sendable {
    let schedule: DeliverySchedule
    /// The last position that was delivered or went aside.
    private(set) var cursor: Int64
    /// Attempts of the head that used up its schedule.
    private(set) var tries: Int
    private(set) var isDisabled: Bool
    /// Until when the sink is held, by the time that only grows.
    private(set) var heldUntil: Duration
    /// Whether the endpoint itself asked to wait, or nobody answered: then nothing is tried meanwhile.
    private(set) var asksToWait = false
    /// Until when those aside are left alone: one of them has just met a failing endpoint.
    private(set) var asideHeldUntil = Duration.zero
    private var delay: Duration
    private var unreachable = 0
    private var hasProbed = false

    /// After so many attempts the next event is tried, to see whether only the head is the trouble.
    static let probeAfter = 3
    /// How long those aside wait after one of them met a failing endpoint: thousands may be due at once.
    static let asidePause = Duration.seconds(5)
    /// The longest wait for somebody to answer at all.
    static let longestUnreachable = Duration.seconds(30)

    init(
        schedule: DeliverySchedule = .standard, cursor: Int64 = 0, tries: Int = 0, isDisabled: Bool = false,
        heldUntil: Duration = .zero, delay: Duration = .zero
    ) {
        (self.schedule, self.cursor, self.tries, self.isDisabled) = (schedule, cursor, tries, isDisabled)
        (self.heldUntil, self.delay) = (heldUntil, delay)
    }

    func isHeld(at uptime: Duration) -> Bool { uptime < heldUntil }

    /// Whether those aside may be tried.
    func mayTryAside(at uptime: Duration) -> Bool {
        !isDisabled && !(asksToWait && isHeld(at: uptime)) && uptime >= asideHeldUntil
    }

    /// Whether the event after the head may be tried.
    func mayProbe(at uptime: Duration) -> Bool {
        !isDisabled && isHeld(at: uptime) && tries >= Self.probeAfter && !hasProbed && !asksToWait
    }

    /// Takes over what somebody else wrote: a resend, or that the sink is enabled again.
    mutating func adopt(isDisabled: Bool, isHeld: Bool) {
        if self.isDisabled, !isDisabled { tries = 0 }
        self.isDisabled = isDisabled
        if !isHeld { release() }
    }

    private mutating func release() {
        (heldUntil, delay, asksToWait, unreachable, hasProbed) = (.zero, .zero, false, 0, false)
    }
}

extension Lane {
    /// Reports about the head and events after it, in order.
    mutating func settle(_ positions: [Int64], _ reports: [DeliveryReport], _ time: LaneTime) -> LaneUpdate {
        var update = LaneUpdate()
        let lastDelivered = reports.lastIndex { $0.verdict == .delivered } ?? -1
        for (index, (position, report)) in zip(positions, reports).enumerated() {
            update.attempts.append(.init(position: position, report: report))
            if report.verdict == .delivered {
                advance(to: position)
            } else if let pause = report.refusal {
                goAside(position, tries: tries + 1, pause, time, &update)
                advance(to: position)
            } else if index < lastDelivered {
                // Later ones went through: this one alone is the trouble.
                goAside(position, tries: tries + (report.verdict == .unreachable ? 0 : 1), nil, time, &update)
                advance(to: position)
            } else {
                hold(position, report, time, &update)
                break
            }
        }
        return finish(update, time)
    }

    /// The report about the event after the head, which was tried past the head.
    mutating func settleProbe(
        head: Int64, next: Int64, _ report: DeliveryReport, _ time: LaneTime
    ) -> LaneUpdate {
        var update = LaneUpdate(attempts: [.init(position: next, report: report)])
        hasProbed = true
        switch report.verdict {
        case .delivered:
            goAside(head, tries: tries, nil, time, &update)
            advance(to: next)
        case .unavailable(let pause?): wait(pause, time)
        case .unreachable: waitForAnswer(time)
        case .disabled: isDisabled = true
        case .unavailable, .refused: break
        }
        return finish(update, time)
    }

    /// Gives the head up at once: it cannot be sent at all.
    mutating func giveUp(_ position: Int64, _ report: DeliveryReport, _ time: LaneTime) -> LaneUpdate {
        var update = LaneUpdate(attempts: [.init(position: position, report: report)])
        update.aside = [.init(position: position, tries: tries + 1, isDead: true, due: time.now, delay: 0)]
        advance(to: position)
        return finish(update, time)
    }

    /// Gives up an event that went aside.
    mutating func giveUpAside(
        _ position: Int64, tries: Int, _ report: DeliveryReport, _ time: LaneTime
    ) -> LaneUpdate {
        var update = LaneUpdate(attempts: [.init(position: position, report: report)])
        update.aside = [.init(position: position, tries: tries + 1, isDead: true, due: time.now, delay: 0)]
        return finish(update, time)
    }

    /// Reports about events that went aside: each counts, and the sink is waited for once.
    mutating func settleAside(
        _ events: [(position: Int64, tries: Int)], _ reports: [DeliveryReport], _ time: LaneTime
    ) -> LaneUpdate {
        var update = LaneUpdate()
        var hasNoAnswer = false
        for (event, report) in zip(events, reports) {
            update.attempts.append(.init(position: event.position, report: report))
            switch report.verdict {
            case .delivered: update.done.append(event.position)
            case .refused(let pause): goAside(event.position, tries: event.tries + 1, pause, time, &update)
            case .unavailable(let pause):
                goAside(event.position, tries: event.tries + 1, pause, time, &update)
                asideHeldUntil = time.uptime + Self.stretched(Self.asidePause, time)
                if let pause { wait(pause, time) }
            case .unreachable: hasNoAnswer = true
            case .disabled: isDisabled = true
            }
        }
        if hasNoAnswer { waitForAnswer(time) }
        return finish(update, time)
    }

    private mutating func advance(to position: Int64) {
        (cursor, tries) = (position, 0)
        release()
    }

    private mutating func hold(
        _ position: Int64, _ report: DeliveryReport, _ time: LaneTime, _ update: inout LaneUpdate
    ) {
        switch report.verdict {
        case .unavailable(let pause):
            tries += 1
            (hasProbed, unreachable) = (false, 0)
            guard let step = schedule.delay(after: tries) else {
                goAside(position, tries: tries, nil, time, &update)
                return advance(to: position)
            }
            delay = max(Self.stretched(step, time), pause ?? .zero)
            heldUntil = time.uptime + delay
            asksToWait = pause != nil
        case .disabled: isDisabled = true
        case .unreachable, .delivered, .refused: waitForAnswer(time)
        }
    }

    /// Nobody answered: 1, 2, 4, … seconds, never more than half a minute; the schedule is not used up.
    private mutating func waitForAnswer(_ time: LaneTime) {
        let step = Duration.seconds(1 << min(unreachable, 5))
        unreachable += 1
        delay = min(Self.stretched(step, time), Self.longestUnreachable)
        (heldUntil, asksToWait) = (time.uptime + delay, true)
    }

    private mutating func wait(_ pause: Duration, _ time: LaneTime) {
        guard time.uptime + pause > heldUntil else { return }
        (heldUntil, delay, asksToWait) = (time.uptime + pause, pause, true)
    }

    private func goAside(
        _ position: Int64, tries: Int, _ pause: Duration?, _ time: LaneTime, _ update: inout LaneUpdate
    ) {
        let step = schedule.delay(after: tries)
        let delay = max(step.map { Self.stretched($0, time) } ?? .zero, pause ?? .zero).milliseconds
        update.aside.append(
            .init(position: position, tries: tries, isDead: step == nil, due: time.now + delay, delay: delay))
    }

    /// Up to a tenth longer than planned.
    private static func stretched(_ step: Duration, _ time: LaneTime) -> Duration {
        step + .milliseconds(Int64(Double(step.milliseconds) / 10 * time.jitter))
    }

    private func finish(_ update: LaneUpdate, _ time: LaneTime) -> LaneUpdate {
        var update = update
        (update.cursor, update.tries, update.isDisabled) = (cursor, tries, isDisabled)
        if isHeld(at: time.uptime) {
            update.due = time.now + (heldUntil - time.uptime).milliseconds
            update.delay = delay.milliseconds
        }
        return update
    }
}

extension DeliveryReport {
    /// How long to wait at least when the event was refused; nil when it was not.
    fileprivate var refusal: Duration? {
        if case .refused(let pause) = verdict { pause ?? .zero } else { nil }
    }
}
