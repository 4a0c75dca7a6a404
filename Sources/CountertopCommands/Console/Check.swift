// SPDX-License-Identifier: Apache-2.0

internal import CounterServer

/// One thing that was looked at, and what was found.
struct Check: Equatable, Sendable {
    enum Verdict: String, Sendable {
        case pass, warn, fail, skipped
    }

    /// A stable word for scripts.
    let id: String
    let verdict: Verdict
    let text: String
    /// The command or the change that mends it.
    var fix: String?

    var json: JSON {
        .object([
            "id": .string(id), "verdict": .string(verdict.rawValue), "text": .string(text), "fix": .optional(fix),
        ])
    }
}

/// Several of them.
struct CheckList: Sendable {
    private(set) var checks: [Check] = []

    /// Whether nothing failed; warnings do not count.
    var ok: Bool { !checks.contains { $0.verdict == .fail } }

    mutating func add(_ id: String, _ verdict: Check.Verdict, _ text: String, fix: String? = nil) {
        checks.append(Check(id: id, verdict: verdict, text: text, fix: fix))
    }

    /// Shows the list; status 1 when something failed.
    func show(_ talk: Talk) throws {
        try talk.result(
            json: .object(["ok": .bool(ok), "checks": .array(checks.map(\.json))]),
            text: checks.flatMap { check in lines(check, talk) })
        if !ok { throw ToolError.silent(.checkFailed) }
    }

    private func lines(_ check: Check, _ talk: Talk) -> [String] {
        let paint: Paint? = [.pass: .green, .warn: .yellow, .fail: .red][check.verdict]
        let word = check.verdict.rawValue
        let padding = String(repeating: " ", count: 8 - word.count)
        let first = "\(paint.map { talk.paint(word, $0) } ?? word)\(padding)\(check.id): \(check.text)"
        return [first] + (check.fix.map { ["        fix: \($0)"] } ?? [])
    }
}
