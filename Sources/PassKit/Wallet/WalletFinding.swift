// SPDX-License-Identifier: Apache-2.0

/// What was seen while a wallet was at work: one check, how it ended, and why.
public struct WalletFinding: Hashable, Sendable, CustomStringConvertible {
    /// How a check ended.
    public enum Verdict: String, Hashable, Sendable, CaseIterable {
        /// As it should be.
        case pass
        /// A phone refuses, or users suffer.
        case fail
        /// It may work; it should be changed.
        case warn
        /// Nobody can say from here.
        case notVerifiable
    }

    /// Which check.
    public var check: WalletCheck
    /// How it ended.
    public var verdict: Verdict
    /// What was seen: lengths, times, masked values.
    public var evidence: String

    /// A finding.
    public init(_ check: WalletCheck, _ verdict: Verdict? = nil, _ evidence: String = "") {
        (self.check, self.verdict, self.evidence) = (check, verdict ?? check.verdict, evidence)
    }

    /// One line.
    public var description: String {
        "\(check.id) \(verdict.rawValue): \(check.rule)" + (evidence.isEmpty ? "" : " (\(evidence))")
    }
}

/// A check that the emulated Wallet makes of an app or an extension.
public struct WalletCheck: Hashable, Sendable {
    /// Its stable name: the letter of its group, then words.
    public let id: String
    /// The rule, as a sentence without a full stop.
    public let rule: String
    /// What a violation is.
    public let verdict: WalletFinding.Verdict
    /// Where the rule comes from.
    public let source: String
    /// What a user of a phone would see.
    public let symptom: String

    /// A check.
    public init(_ id: String, _ rule: String, _ verdict: WalletFinding.Verdict, source: String, symptom: String) {
        (self.id, self.rule, self.verdict, self.source, self.symptom) = (id, rule, verdict, source, symptom)
    }

    /// Its group: the letter before the hyphen.
    public var group: String { String(id.prefix { $0 != "-" }) }
}
