// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ProximityReader

/// A card that leaves at every command there is: a result or a typed error each time, whole events, and a next tap that
/// works.
@Suite("Cut at every command")
struct CutTests {
    /// Whole events: what a read shows is one of these from its first to its last.
    static func isWhole(_ events: [String]) -> Bool {
        var rest = events[...]
        while rest.starts(with: Sequence.retry) { rest = rest.dropFirst(Sequence.retry.count) }
        let endings: [[String]] = [
            Sequence.good, Sequence.failedTap, Sequence.cancelled,
            ["readyForTap", "readCompleted", "userInterfaceDismissed"],
        ]
        return endings.contains(Array(rest))
    }

    private func cuts(_ taps: [Composed.Tap], passes: [String], stops: Bool) async throws {
        let whole = try await read(TapsReader(taps), passes, stops)
        for (tap, commands) in whole.commands.enumerated() {
            for after in 0..<commands {
                // The tap that was cut comes once more, whole, and those behind it.
                let again = Array(taps[...tap]) + taps[tap...]
                let cut = try await read(TapsReader(again, cut: (tap, after)), passes, stops)
                #expect(cut.error == whole.error, "tap \(tap), cut after \(after)")
                #expect(cut.summary == whole.summary, "tap \(tap), cut after \(after)")
                #expect(Self.isWhole(cut.events), "\(cut.events)")
                #expect(cut.retries == whole.retries + 1, "tap \(tap), cut after \(after)")
                // Nobody comes back.
                let gone = try await read(TapsReader(Array(taps[...tap]), cut: (tap, after)), passes, stops)
                #expect(gone.error == "readCancelled" || gone.summary.contains("9000"))
                #expect(Self.isWhole(gone.events), "\(gone.events)")
            }
        }
    }

    struct Outcome {
        var error: String?
        var summary = ""
        var events: [String]
        var commands: [Int]

        var retries: Int { events.filter { $0 == "readRetry" }.count }
    }

    private func read(_ taps: TapsReader, _ passes: [String], _ stops: Bool) async throws -> Outcome {
        let bench = try PaymentBench { _ in
        } reader: { _ in
            taps
        }
        let (result, events) = await bench.read(passes: passes, stops: stops)
        let both = try? result.get()
        let entries = both?.passes?.entries.map { String($0.statusWord, radix: 16) } ?? []
        return Outcome(
            error: caseName(result), summary: "\(both?.payment.map { "\($0.outcome)" } ?? "none") \(entries)",
            events: events, commands: taps.sent.map(\.count))
    }

    @Test("Composed taps", arguments: Flow.table + Flow.refusals)
    func composed(_ flow: Flow) async throws {
        try await cuts(flow.taps, passes: flow.passes, stops: flow.stops)
    }

    @Test(
        "Composed scenarios", .enabled(if: PaymentVectors.isThere, "COUNTERTOP_VECTORS is not set"),
        arguments: PaymentVectors.scenarios)
    func scenarios(_ scenario: OneTapScenario) async throws {
        try await cuts(scenario.taps, passes: scenario.merchants, stops: scenario.stopsOnPass)
    }

    @Test(
        "Recorded cards", .enabled(if: PaymentVectors.isThere, "COUNTERTOP_VECTORS is not set"),
        arguments: PaymentVectors.traces)
    func traces(_ name: String) async throws {
        let rows = PaymentVectors.json("traces/" + name)["exchanges"] as? [[String: Any]] ?? []
        let tap = PaymentVectors.exchanges(rows)
        for passes in [[], [Bench.club]] { try await cuts([tap], passes: passes, stops: false) }
    }

    @Test("The same session reads after a torn read that nobody finished")
    func nextRead() async throws {
        for after in 0..<5 {
            let taps = TapsReader([Flow.both, Flow.both], cut: (0, after))
            let bench = try PaymentBench { _ in
            } reader: { _ in
                taps
            } set: {
                $0.policy.maximumTornTaps = 0
            }
            let (result, _) = await bench.bench.run { reader in
                let session = try await reader.prepare(using: bench.bench.token())
                let first = try? await PaymentBench.read(session, PaymentBench.purchase, [Bench.club], false)
                #expect(first?.payment == nil)
                return try await PaymentBench.read(session, PaymentBench.purchase, [Bench.club], false)
            }
            let both = try result.get()
            #expect(both.payment?.outcome == .success && both.passes?.entries.count == 1)
        }
    }
}
