// SPDX-License-Identifier: Apache-2.0

/// When a command that is sent counts as one that was recorded.
public struct ReplayMatching: Hashable, Sendable {
    /// How closely the two are compared.
    public enum Rule: String, Hashable, Sendable, CaseIterable {
        /// Byte for byte.
        case exact
        /// Byte for byte, but for parts that are new at every tap: the nonce 9F28 of GET VAS DATA.
        case varying
        /// By meaning: SELECT by its AID; GET VAS DATA by P1, P2 and the merchant id 9F25, whatever the order of tags,
        /// optional tags, Le; GET PROCESSING OPTIONS, GENERATE AC and the like whatever their amount, date and
        /// unpredictable number. All other commands byte for byte.
        case equivalent
    }

    /// How closely the two are compared.
    public var rule: Rule
    /// Whether exchanges that do not match are passed over, instead of being a mismatch. Exchanges that were passed
    /// over are found by a later command of the same tap.
    public var skipping: Bool

    /// A way to match.
    public init(_ rule: Rule, skipping: Bool = false) { (self.rule, self.skipping) = (rule, skipping) }

    /// Byte for byte.
    public static let exact = ReplayMatching(.exact)
    /// Nonces blanked.
    public static let varying = ReplayMatching(.varying)
    /// By meaning.
    public static let equivalent = ReplayMatching(.equivalent)
    /// ``Rule/equivalent`` and skipping: what a reader needs that asks for some of what another terminal asked for.
    public static let byMeaning = ReplayMatching(.equivalent, skipping: true)

    /// Whether `sent` counts as `recorded`.
    public func matches(recorded: [UInt8], sent: [UInt8]) -> Bool {
        if recorded == sent { return true }
        return switch rule {
        case .exact: false
        case .varying: VaryingParts.blanked(command: recorded) == VaryingParts.blanked(command: sent)
        case .equivalent: VASCommandMeaning(recorded) == VASCommandMeaning(sent)
        }
    }
}
