// SPDX-License-Identifier: Apache-2.0

public import ISO7816

/// Status words answered whatever the phone's state, without data: the object under the key `statusWords`.
///
/// ```json
/// {"getVASData": "6984", "passes": {"pass.com.example.club": "6287"}}
/// ```
public struct ForcedStatusWords: Hashable, Sendable {
    /// `select`: to SELECT `OSE.VAS.01`.
    public var select: StatusWord?
    /// `getVASData`: to every GET VAS DATA for a pass.
    public var getVASData: StatusWord?
    /// `urlOnly`: to every GET VAS DATA with P2 = 00.
    public var urlOnly: StatusWord?
    /// `passes`: to GET VAS DATA for these pass type identifiers, whether the wallet has such a pass or not.
    public var passes: [String: StatusWord] = [:]

    /// Nothing forced.
    public init() {}
}
