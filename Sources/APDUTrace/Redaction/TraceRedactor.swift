// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import ISO7816

/// Takes cardholder data out of traces, so that they can be kept, shown and shared, and still replay.
///
/// Account numbers become published test numbers of the same scheme and length, tracks and expiry dates agree with
/// them, cryptograms, signatures, certificates, names and references are overwritten; all lengths stay. A replay ends
/// as the original does, but for offline data authentication, which cannot succeed. Passes (VAS) are encrypted already
/// and stay. Redacting twice changes nothing more. Never fails, whatever the bytes.
public struct TraceRedactor: Sendable {
    /// Replaces the values of every card; what everything that records uses.
    public static let standard = TraceRedactor()

    /// Keeps the values of cards whose account numbers are all in `TestCards`; see ``refusals(in:)`` for others.
    public static let allowingTestCards = TraceRedactor(keepsTestCards: true)

    /// The header key that says that a trace is redacted.
    public static let headerKey = "REDACTED"

    /// Whether test cards' values stay.
    public let keepsTestCards: Bool
    private let now: @Sendable () -> Date

    /// A redactor.
    ///
    /// - Parameters:
    ///   - keepsTestCards: leaves a trace as it is in which account numbers are found and all are test cards'.
    ///   - now: the time that tells an expired card from a valid one.
    public init(keepsTestCards: Bool = false, now: @escaping @Sendable () -> Date = { Date() }) {
        (self.keepsTestCards, self.now) = (keepsTestCards, now)
    }

    /// The trace without cardholder data; the header line `# REDACTED:` is added when anything was changed.
    public func redact(_ trace: APDUTrace) -> APDUTrace {
        if keepsTestCards {
            let accounts = self.accounts(in: trace)
            if !accounts.isEmpty, accounts.allSatisfy(TestCards.contains(pan:)) { return trace }
        }
        // What is found late is removed from earlier places in the next round; when a round changes nothing, another
        // redaction will not either.
        var current = trace
        for _ in 0..<8 {
            let next = round(current)
            if next == current { break }
            current = next
        }
        return current == trace ? trace : Self.marked(current)
    }

    private func round(_ trace: APDUTrace) -> APDUTrace {
        let known = session().run(trace).known
        var redacted = session(known: known).run(trace).trace
        redacted.header.lines = redacted.header.lines.map { line in
            var line = line
            // The key itself is fixed text.
            if line.key != Self.headerKey { line.text = text(line.text, known) }
            return line
        }
        return redacted
    }

    /// A text, such as a log line or a file's name, without account numbers, tracks and hex that holds them.
    public func redact(text: String) -> String { self.text(text, KnownSecrets()) }

    /// Account numbers in a trace that are no published test card's, masked; ``allowingTestCards`` does not keep them,
    /// and a command that is told to keep test cards refuses the trace.
    public func refusals(in trace: APDUTrace) -> [String] {
        accounts(in: trace).filter { !TestCards.contains(pan: $0) }.map(AccountNumber.masked).sorted()
    }

    /// The header line's text.
    static let note =
        "card data replaced by countertop: test account numbers, no names, no cryptograms; "
        + "offline data authentication cannot succeed"

    static func marked(_ trace: APDUTrace) -> APDUTrace {
        var trace = trace
        if trace.header[headerKey] == nil { trace.header[headerKey] = note }
        return trace
    }

    func session(known: KnownSecrets = KnownSecrets()) -> RedactionSession {
        RedactionSession(today: today, known: known)
    }

    private func accounts(in trace: APDUTrace) -> [String] {
        session().run(trace).known.accounts.map { digits in
            String(decoding: digits.map { $0 + 0x30 }, as: UTF8.self)
        }
    }

    private func text(_ text: String, _ known: KnownSecrets) -> String {
        TextRedaction(values: ValueRedaction(application: nil, today: today), known: known).redacted(text)
    }

    /// YYMMDD as a number; years before 2000 are negative.
    private var today: Int {
        let days = Int((now().timeIntervalSince1970 / 86_400).rounded(.down))
        return CivilDate.yearMonthDay(daysSince1970: days)
    }
}

/// Calendar dates without a calendar (days to civil date, Gregorian).
enum CivilDate {
    /// (year - 2000) * 10000 + month * 100 + day.
    static func yearMonthDay(daysSince1970 days: Int) -> Int {
        // Years begin in March here, so that the leap day is the last day of a year.
        let shifted = min(max(days, -100_000_000), 100_000_000) + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        let year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
        return (year - 2000) * 10_000 + (month < 10 ? month + 3 : month - 9) * 100 + day
    }
}

extension RedactionSession {
    /// Redacts a whole trace but for its header.
    func run(_ trace: APDUTrace) -> (trace: APDUTrace, known: KnownSecrets) {
        var (session, result) = (self, trace)
        for index in trace.taps.indices {
            session.fieldOff()
            var tap = APDUTrace.Tap()
            for exchange in trace.taps[index].exchanges {
                let redacted = session.take(exchange)
                tap.exchanges.removeLast(redacted.count - 1)
                tap.exchanges += redacted
            }
            if let lost = trace.taps[index].lost {
                tap.lost = session.take(lost)
            }
            tap.closingComments = trace.taps[index].closingComments.map { session.redacted($0) }
            result.taps[index] = tap
        }
        return (result, session.known)
    }

    /// A command without an answer.
    mutating func take(_ lost: LostCommand) -> LostCommand {
        var lost = lost
        let exchange = TraceExchange(command: lost.command, response: [], comments: lost.comments)
        if let redacted = take(exchange).last { (lost.command, lost.comments) = (redacted.command, redacted.comments) }
        return lost
    }
}
