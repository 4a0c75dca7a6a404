// SPDX-License-Identifier: Apache-2.0

import CardTesting
import Foundation
import HostSystem
import LoyaltyFeed
import Synchronization
import TestSupport

/// A counter's outbox in a folder of its own, with clocks that stand still.
struct FeedBench {
    let folder: TemporaryFolder
    let clock = FixedClock(Date(timeIntervalSince1970: 1_795_225_200))
    let time = ManualTime()

    init() throws { folder = try TemporaryFolder() }

    var state: String { folder.path("state") }

    var feedClock: HostTime {
        HostTime(
            now: clock.read, uptime: { [time] in time.uptime }, sleep: { [time] in await time.sleep($0) })
    }

    func options(window: Duration = .zero) -> OutboxOptions {
        var options = OutboxOptions()
        options.clock = feedClock
        options.random = SeededRandom.source(seed: 5)
        options.basketWindow = window
        return options
    }

    func open(window: Duration = .zero) throws -> Outbox {
        try Outbox(directory: state, counter: CounterIdentity(id: "c1"), options: options(window: window))
    }

    /// Both clocks go on.
    func advance(_ duration: Duration) {
        clock.advance(by: duration / .seconds(1))
        time.advance(by: duration)
    }
}

/// Taps as a counter commits them.
enum Taps {
    static let began = Date(timeIntervalSince1970: 1_795_225_200)

    static func id(_ number: Int) -> ULID {
        ULID(
            milliseconds: 1_795_225_200_000 + UInt64(number),
            // Not zeros alone: a run of digits could be a card number.
            random: [0xFF, 0xFF] + withUnsafeBytes(of: UInt64(number).bigEndian, Array.init))
    }

    static func read(_ number: Int, member: String? = nil) -> TapRecord {
        let pass = PassRecord(
            passTypeIdentifier: "pass.com.example.club", statusWord: 0x9000,
            outcome: .read(member: member ?? "M-\(number)", keyID: "beef7375", deviceTime: began))
        return TapRecord(
            id: id(number), began: began.addingTimeInterval(Double(number)), readerName: "Test reader",
            result: .read, mode: "vas", latencyMilliseconds: 212.5, passes: [pass], trace: "# WHAT: tap \(number)\n")
    }

    static func parked(_ number: Int, cryptogram: [UInt8] = [UInt8](repeating: 7, count: 60)) -> TapRecord {
        var tap = read(number)
        tap.passes[0].outcome = .parked(cryptogram: cryptogram, keyID: "0badcafe")
        return tap
    }

    static func failed(_ number: Int) -> TapRecord {
        TapRecord(
            id: id(number), began: began, readerName: "Test reader",
            result: .failed(code: "locked", reason: "the phone is locked"), mode: "vas", latencyMilliseconds: 80)
    }
}
