// SPDX-License-Identifier: Apache-2.0

/// How a check ended.
public enum ConformanceVerdict: String, Hashable, Sendable, CaseIterable {
    /// As it should be.
    case pass
    /// A phone refuses, or users suffer.
    case fail
    /// It may work; it should be changed or explained.
    case warn
    /// Nobody can say from this run.
    case notVerifiable
}

/// A group of checks: one step of adding a card.
public enum ConformanceGroup: String, Hashable, Sendable, CaseIterable {
    /// Before anything is asked.
    case preflight = "P"
    /// What the issuer does with certificates.
    case chain = "C"
    /// How the request travels.
    case request = "R"
    /// The three blobs.
    case envelope = "E"
    /// What is inside.
    case payload = "J"
    /// The network's one-time password.
    case activation = "A"
    /// What the app does with the handler.
    case handler = "H"
    /// The issuer extension.
    case issuerExtension = "X"
    /// Watch and library.
    case watch = "W"
    /// Wrong and repeated requests.
    case negative = "N"
    /// What is seen where it should not be.
    case leakage = "L"

    /// The group's name for people.
    public var title: String {
        switch self {
        case .preflight: "Preflight"
        case .chain: "Certificate chain"
        case .request: "Request path"
        case .envelope: "Envelope"
        case .payload: "Payload"
        case .activation: "Activation data"
        case .handler: "Handler discipline"
        case .issuerExtension: "Issuer extension"
        case .watch: "Watch and library"
        case .negative: "Negative and replay"
        case .leakage: "Leakage"
        }
    }
}

/// A rule that is checked.
public struct ConformanceCheck: Hashable, Sendable, Identifiable {
    /// Its stable name: the letter of its group, a hyphen, words.
    public let id: String
    /// The rule, as a sentence without a full stop.
    public let rule: String
    /// What a violation is: a failure or a warning. Rules that are inferred only warn.
    public let violation: ConformanceVerdict
    /// Where the rule comes from.
    public let source: String
    /// What a user of a phone would see.
    public let symptom: String

    /// A rule.
    public init(_ id: String, _ rule: String, _ violation: ConformanceVerdict, source: String, symptom: String) {
        (self.id, self.rule, self.violation, self.source, self.symptom) = (id, rule, violation, source, symptom)
    }

    /// The group, by the letter before the hyphen.
    public var group: ConformanceGroup { ConformanceGroup(rawValue: String(id.prefix(1))) ?? .preflight }

    /// The check with this name.
    public static func named(_ id: String) -> ConformanceCheck? { all.first { $0.id == id } }
}

/// How one check ended, and why.
public struct ConformanceResult: Hashable, Sendable, Identifiable {
    /// Which check.
    public var check: ConformanceCheck
    /// How it ended.
    public var verdict: ConformanceVerdict
    /// What was seen: lengths, first bytes, masked values.
    public var evidence: String

    /// A result.
    public init(_ check: ConformanceCheck, _ verdict: ConformanceVerdict, _ evidence: String = "") {
        (self.check, self.verdict, self.evidence) = (check, verdict, evidence)
    }

    /// The check's name.
    public var id: String { check.id }
}

/// Results as they come, at most one for each check: the first violation wins over everything else.
struct Findings {
    private(set) var results: [ConformanceResult] = []

    mutating func add(_ result: ConformanceResult) {
        guard let index = results.firstIndex(where: { $0.id == result.id }) else { return results.append(result) }
        if results[index].verdict == .pass || results[index].verdict == .notVerifiable { results[index] = result }
    }

    mutating func pass(_ check: ConformanceCheck, _ evidence: String = "") {
        add(ConformanceResult(check, .pass, evidence))
    }

    mutating func violate(_ check: ConformanceCheck, _ evidence: String) {
        add(ConformanceResult(check, check.violation, evidence))
    }

    mutating func skip(_ checks: [ConformanceCheck], _ evidence: String) {
        for check in checks where !results.contains(where: { $0.id == check.id }) {
            add(ConformanceResult(check, .notVerifiable, evidence))
        }
    }

    /// Passes or violates.
    mutating func expect(_ condition: Bool, _ check: ConformanceCheck, _ evidence: @autoclosure () -> String) {
        if condition { pass(check) } else { violate(check, evidence()) }
    }

    func verdict(_ check: ConformanceCheck) -> ConformanceVerdict? { results.first { $0.id == check.id }?.verdict }
}
