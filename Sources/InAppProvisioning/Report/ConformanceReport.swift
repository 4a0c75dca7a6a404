// SPDX-License-Identifier: Apache-2.0

/// What was found about one flow.
public struct ConformanceReport: Hashable, Sendable {
    /// What no run on this side of Apple's servers can say.
    public static let banner = """
        Not covered: Apple's servers, the allow-listing of the app, the network's metadata of the card product, \
        and the network's decision.
        """

    /// All checks, in the order of ``ConformanceCheck/all``.
    public let results: [ConformanceResult]
    /// The mistakes in the envelope that were named.
    public let mistakes: [EnvelopeMistake]

    /// A report: checks without a result are not verifiable.
    public init(_ results: [ConformanceResult], mistakes: [EnvelopeMistake] = []) {
        let unknown = results.filter { ConformanceCheck.named($0.id) == nil }
        self.results =
            ConformanceCheck.all.map { check in
                results.first { $0.id == check.id }
                    ?? ConformanceResult(check, .notVerifiable, "not looked at in this run")
            } + unknown
        self.mistakes = mistakes
    }

    /// Whether no check failed.
    public var isOK: Bool { failures.isEmpty }
    /// What failed.
    public var failures: [ConformanceResult] { results.filter { $0.verdict == .fail } }
    /// What should be changed or explained.
    public var warnings: [ConformanceResult] { results.filter { $0.verdict == .warn } }
    /// The stable names of the mistakes with `+` between them, or nil.
    public var diagnosis: String? { mistakes.isEmpty ? nil : mistakes.map(\.id).joined(separator: "+") }

    /// The result of a check by its name.
    public subscript(id: String) -> ConformanceResult? { results.first { $0.id == id } }
}
