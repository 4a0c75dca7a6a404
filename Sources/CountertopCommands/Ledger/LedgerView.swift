// SPDX-License-Identifier: Apache-2.0

internal import CounterServer
internal import LoyaltyFeed
internal import Synchronization

/// What a ledger tells, as lines of talk or as JSON Lines.
final class LedgerView: Sendable {
    let talk: Talk
    /// What it waits for; said once, not with every attempt.
    private let said = Mutex<BrokerError?>(nil)

    init(talk: Talk) { self.talk = talk }

    /// Says one report. Nobody to read the results is no reason to stop storing.
    func show(_ report: LedgerReport) {
        guard isNews(report) else { return }
        guard !talk.isJSON else {
            try? talk.result(Self.json(report).compact)
            return
        }
        switch report {
        case .ready: talk.console.say("countertop: ready: the ledger takes events")
        case .stored(let counts): talk.detail("\(counts.last) messages: \(Self.words(counts))")
        case .rejected(let sequence, let reason):
            talk.console.say("countertop: message \(sequence.map(String.init) ?? "?") is no event: \(reason)")
        case .waiting(let error):
            talk.console.say("countertop: waiting: \(error.reason)")
            if let hint = error.hint { talk.detail("hint: \(hint)") }
        }
    }

    private func isNews(_ report: LedgerReport) -> Bool {
        said.withLock { said in
            guard case .waiting(let error) = report else {
                said = nil
                return true
            }
            defer { said = error }
            return said != error
        }
    }

    /// The last line.
    func end(_ counts: LedgerCounts) throws {
        if talk.isJSON { return try talk.result(Self.json("ended", counts).compact) }
        try talk.result("\(Self.words(counts))")
    }

    private static func words(_ counts: LedgerCounts) -> String {
        "\(counts.stored) stored, \(counts.known) there already, \(counts.rejected) rejected"
    }

    static func json(_ report: LedgerReport) -> JSON {
        switch report {
        case .ready: .object(["state": "ready"])
        case .stored(let counts): json("stored", counts)
        case .rejected(let sequence, let reason):
            .object([
                "state": "rejected", "streamSequence": sequence.map { .number(Int(clamping: $0)) },
                "reason": .string(reason),
            ])
        case .waiting(let error):
            .object([
                "state": "waiting", "code": .string(error.code.rawValue), "reason": .string(error.reason),
                "hint": .optional(error.hint),
            ])
        }
    }

    private static func json(_ state: String, _ counts: LedgerCounts) -> JSON {
        .object([
            "state": .string(state), "stored": .number(counts.stored), "known": .number(counts.known),
            "rejected": .number(counts.rejected),
        ])
    }
}
