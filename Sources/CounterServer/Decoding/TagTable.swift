// SPDX-License-Identifier: Apache-2.0

internal import BERTLV

/// The part of the pass exchange that bytes belong to; the same tag means different things in different parts.
package enum VASPart: String, CaseIterable, Sendable {
    case selectAnswer
    case getVASDataCommand
    case getVASDataAnswer
}

/// One tag with its meaning.
struct TagRow: Sendable {
    /// How the value reads.
    enum Format: Sendable {
        case template, bytes, ascii, version, merchantID, mobileCapabilities, terminalCapabilities, cryptogram
    }

    let tag: TLVTag
    let context: VASPart
    let name: String
    let format: Format
    /// Where the meaning is documented.
    let source: String
}

/// The tags of Apple VAS.
enum TagTable {
    private static let kormax = "kormax/apple-vas README"
    private static let iso = "ISO/IEC 7816-4"

    static let rows: [TagRow] = [
        TagRow(tag: 0x6F, context: .selectAnswer, name: "FCI template", format: .template, source: "\(iso), 7.4.3"),
        TagRow(
            tag: 0xA5, context: .selectAnswer, name: "FCI proprietary template", format: .template,
            source: "\(iso), 7.4.3"),
        TagRow(tag: 0x84, context: .selectAnswer, name: "DF name", format: .bytes, source: "\(iso), 7.4.3"),
        TagRow(tag: 0x50, context: .selectAnswer, name: "wallet name", format: .ascii, source: kormax),
        TagRow(
            tag: 0x9F21, context: .selectAnswer, name: "VAS application version (mobile)", format: .version,
            source: kormax),
        TagRow(
            tag: 0x9F23, context: .selectAnswer, name: "mobile capabilities", format: .mobileCapabilities,
            source: "\(kormax); bits: proxmark3 cmdhfvas.c"),
        TagRow(tag: 0x9F24, context: .selectAnswer, name: "device nonce", format: .bytes, source: kormax),
        TagRow(
            tag: 0x9F22, context: .getVASDataCommand, name: "VAS application version (terminal)", format: .version,
            source: kormax),
        TagRow(
            tag: 0x9F25, context: .getVASDataCommand, name: "merchant id", format: .merchantID, source: kormax),
        TagRow(
            tag: 0x9F26, context: .getVASDataCommand, name: "terminal capabilities", format: .terminalCapabilities,
            source: kormax),
        TagRow(tag: 0x9F28, context: .getVASDataCommand, name: "terminal nonce", format: .bytes, source: kormax),
        TagRow(tag: 0x9F29, context: .getVASDataCommand, name: "sign-up URL", format: .ascii, source: kormax),
        TagRow(
            tag: 0x9F2B, context: .getVASDataCommand, name: "filter", format: .bytes,
            source: "kormax/apple-vas PR #2"),
        TagRow(
            tag: 0x70, context: .getVASDataAnswer, name: "VAS data template", format: .template, source: kormax),
        TagRow(tag: 0x9F27, context: .getVASDataAnswer, name: "VAS data", format: .cryptogram, source: kormax),
        TagRow(tag: 0x9F2A, context: .getVASDataAnswer, name: "mobile token", format: .bytes, source: kormax),
    ]

    /// The row for a tag, the one of the context first. No VAS tag has two meanings within VAS.
    static func row(_ tag: TLVTag, in context: VASPart?) -> TagRow? {
        let matching = rows.filter { $0.tag == tag }
        return matching.first { $0.context == context } ?? matching.first
    }
}
