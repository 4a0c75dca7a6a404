// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LoyaltyFeed

@Suite("The rules of a lane")
struct LaneTests {
    private func time(_ seconds: Int = 0) -> LaneTime {
        LaneTime(uptime: .seconds(seconds), now: 1_000_000 + Int64(seconds) * 1000, jitter: 0)
    }

    private func report(_ verdict: DeliveryReport.Verdict) -> DeliveryReport { DeliveryReport(verdict, detail: "x") }

    @Test("delivered: the cursor goes on")
    func delivered() {
        var lane = Lane()
        let update = lane.settle([1, 2], [report(.delivered), report(.delivered)], time())
        #expect(lane.cursor == 2)
        #expect(update.cursor == 2)
        #expect(update.aside.isEmpty)
        #expect(update.attempts.count == 2)
    }

    @Test("refused: aside with the schedule's second step, the others go on")
    func refused() {
        var lane = Lane()
        let update = lane.settle([1, 2], [report(.refused(retryAfter: nil)), report(.delivered)], time())
        #expect(lane.cursor == 2)
        #expect(update.aside == [.init(position: 1, tries: 1, isDead: false, due: 1_005_000, delay: 5000)])
    }

    @Test("refused with Retry-After: not before that")
    func refusedRetryAfter() {
        var lane = Lane()
        let update = lane.settle([1], [report(.refused(retryAfter: .seconds(90)))], time())
        #expect(update.aside.first?.due == 1_090_000)
    }

    @Test("unavailable: the whole sink is held, by the head's schedule, and Retry-After")
    func unavailable() {
        var lane = Lane()
        _ = lane.settle([1, 2], [report(.unavailable(retryAfter: nil)), report(.unreachable)], time())
        #expect(lane.cursor == 0)
        #expect(lane.heldUntil == .seconds(5))
        _ = lane.settle([1], [report(.unavailable(retryAfter: nil))], time(5))
        #expect(lane.heldUntil == .seconds(305))
        let update = lane.settle([1], [report(.unavailable(retryAfter: .seconds(7200)))], time(305))
        #expect(lane.heldUntil == .seconds(7505))
        #expect(update.delay == 7_200_000)
        #expect(!lane.mayProbe(at: .seconds(400)))
        #expect(!lane.mayTryAside(at: .seconds(400)))
    }

    @Test("unavailable to the end of the schedule: a dead letter, and on to the next")
    func dead() throws {
        let schedule = try #require(DeliverySchedule([.zero, .seconds(1)]))
        var lane = Lane(schedule: schedule)
        _ = lane.settle([1], [report(.unavailable(retryAfter: nil))], time())
        let update = lane.settle([1], [report(.unavailable(retryAfter: nil))], time(1))
        #expect(update.aside.map(\.isDead) == [true])
        #expect(lane.cursor == 1)
        #expect(!lane.isHeld(at: .seconds(1)))
    }

    @Test("unreachable: 1, 2, 4, … and at most 30 seconds, for ever; the schedule is not used up")
    func unreachable() {
        var lane = Lane()
        var waits: [Duration] = []
        for _ in 0..<40 {
            _ = lane.settle([1], [report(.unreachable)], time())
            waits.append(lane.heldUntil)
        }
        #expect(waits.prefix(6) == [.seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(16), .seconds(30)])
        #expect(waits.dropFirst(6).allSatisfy { $0 == .seconds(30) })
        #expect(lane.tries == 0)
        #expect(!lane.mayTryAside(at: .zero))
    }

    private func poisoned() -> Lane {
        var lane = Lane()
        for second in [0, 5, 305] { _ = lane.settle([1], [report(.unavailable(retryAfter: nil))], time(second)) }
        return lane
    }

    @Test("a head that fails three times is probed past, and goes aside when the next one is taken")
    func probe() {
        var lane = poisoned()
        #expect(lane.mayProbe(at: .seconds(306)))
        let update = lane.settleProbe(head: 1, next: 2, report(.delivered), time(306))
        #expect(lane.cursor == 2)
        #expect(update.aside.map(\.position) == [1])
        #expect(update.aside.map(\.tries) == [3])
        #expect(!lane.isHeld(at: .seconds(306)))
    }

    @Test(
        "a probe that fails too holds the sink, and is not repeated before the head's next attempt",
        arguments: [
            DeliveryReport.Verdict.unavailable(retryAfter: nil), .refused(retryAfter: nil), .unreachable,
        ])
    func failedProbe(verdict: DeliveryReport.Verdict) {
        var lane = poisoned()
        _ = lane.settleProbe(head: 1, next: 2, report(verdict), time(306))
        #expect(lane.cursor == 0)
        #expect(!lane.mayProbe(at: .seconds(307)))
    }

    @Test("in a batch, what failed before a delivered one goes aside")
    func batch() {
        var lane = Lane()
        let reports = [.delivered, .unavailable(retryAfter: nil), .unreachable, .delivered, .unreachable].map(report)
        let update = lane.settle([1, 2, 3, 4, 5], reports, time())
        #expect(lane.cursor == 4)
        #expect(update.aside.map(\.position) == [2, 3])
        #expect(update.aside.map(\.tries) == [0 + 1, 0])
        #expect(lane.isHeld(at: .zero))
    }

    @Test("disabled: nothing goes until somebody enables it")
    func disabled() {
        var lane = Lane()
        let update = lane.settle([1], [report(.disabled)], time())
        #expect(update.isDisabled)
        #expect(!lane.mayTryAside(at: .zero))
        lane.adopt(isDisabled: false, isHeld: false)
        #expect(lane.mayTryAside(at: .zero))
        #expect(lane.cursor == 0)
    }

    @Test("aside: delivered goes, refused comes again, at the end it is dead")
    func aside() {
        var lane = Lane()
        let update = lane.settleAside(
            [(1, 1), (2, 9), (3, 2)],
            [.delivered, .refused(retryAfter: nil), .unavailable(retryAfter: nil)].map(report), time())
        #expect(update.done == [1])
        #expect(update.aside.map(\.isDead) == [true, false])
        #expect(!lane.isHeld(at: .zero))
        _ = lane.settleAside([(4, 1)], [report(.unreachable)], time())
        #expect(!lane.mayTryAside(at: .zero))
    }

    @Test("aside: what was delivered after one that nobody answered is done, and the wait is one step")
    func asideInPart() {
        var lane = Lane()
        let reports = [.delivered, .unreachable, .delivered, .unreachable, .disabled, .delivered].map(report)
        let update = lane.settleAside((1...6).map { ($0, 1) }, reports, time())
        #expect(update.done == [1, 3, 6])
        #expect(update.attempts.count == 6)
        #expect(update.aside.isEmpty)
        #expect(update.isDisabled)
        #expect(lane.heldUntil == .seconds(1))
    }

    @Test("aside: one that meets a failing endpoint makes the others aside wait some seconds, and not the head")
    func asideUnavailable() {
        var lane = Lane()
        _ = lane.settleAside([(1, 1)], [report(.unavailable(retryAfter: nil))], time())
        #expect(!lane.isHeld(at: .zero))
        #expect(!lane.mayTryAside(at: .seconds(4)))
        #expect(lane.mayTryAside(at: .seconds(5)))
    }

    @Test("what cannot be sent at all is given up at once")
    func giveUp() {
        var lane = Lane()
        let update = lane.giveUp(1, report(.refused(retryAfter: nil)), time())
        #expect(lane.cursor == 1 && update.cursor == 1)
        #expect(update.aside.map(\.isDead) == [true])
        #expect(lane.giveUpAside(7, tries: 2, report(.refused(retryAfter: nil)), time()).aside.map(\.isDead) == [true])
        #expect(lane.cursor == 1)
    }

    @Test("waits are stretched by up to a tenth")
    func jitter() {
        var lane = Lane()
        let time = LaneTime(uptime: .zero, now: 0, jitter: 1)
        _ = lane.settle([1], [report(.unavailable(retryAfter: nil))], time)
        #expect(lane.heldUntil == .milliseconds(5500))
    }

    @Test("the schedule's table")
    func table() throws {
        func schedule(_ value: SettingValue?) throws -> DeliverySchedule {
            try DeliverySchedule(SinkTable(name: "a", type: "webhook", values: value.map { ["schedule": $0] } ?? [:]))
        }
        #expect(try schedule(nil) == .standard)
        #expect(DeliverySchedule.standard.steps.count == 10)
        #expect(try schedule(.array([.string("0s"), .string("5m")])).steps == [.zero, .seconds(300)])
        #expect(throws: SettingError.self) { try schedule(.string("5m")) }
        #expect(DeliverySchedule([]) == nil)
    }
}
