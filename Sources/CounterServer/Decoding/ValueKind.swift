// SPDX-License-Identifier: Apache-2.0

package import BERTLV
package import EMVContactless

/// One data object's value, named on the command line by a short word or by its tag.
package struct ValueKind: Hashable, Sendable {
    package let name: String
    package let tag: TLVTag
    package var context = TagContext.emv
    /// Whether other contexts give the tag another meaning, so that --context counts.
    package var isFixed = false
    /// For `--help`.
    package let help: String

    /// The words. Tags: EMV Book 3, Annex A; EMV Contactless Books C-2 to C-7, Annex A.
    package static let table: [ValueKind] = [
        ValueKind(name: "dol", tag: 0x9F38, help: "any data object list"),
        ValueKind(name: "pdol", tag: 0x9F38, help: "9F38"),
        ValueKind(name: "cdol1", tag: 0x8C, help: "8C"),
        ValueKind(name: "cdol2", tag: 0x8D, help: "8D"),
        ValueKind(name: "ddol", tag: 0x9F49, help: "9F49"),
        ValueKind(name: "afl", tag: 0x94, help: "application file locator"),
        ValueKind(name: "aip", tag: 0x82, help: "application interchange profile"),
        ValueKind(name: "aid", tag: 0x4F, help: "application identifier"),
        ValueKind(name: "auc", tag: 0x9F07, help: "application usage control"),
        ValueKind(name: "cid", tag: 0x9F27, help: "cryptogram information data"),
        ValueKind(name: "cvm", tag: 0x8E, help: "cardholder verification methods"),
        ValueKind(name: "cvm-results", tag: 0x9F34, help: "9F34"),
        ValueKind(name: "ctq", tag: 0x9F6C, context: .kernel3, help: "card transaction qualifiers"),
        ValueKind(name: "ttq", tag: 0x9F66, help: "terminal transaction qualifiers"),
        ValueKind(name: "tvr", tag: 0x95, help: "terminal verification results"),
        ValueKind(name: "tac", tag: 0xDF8122, context: .kernel2, isFixed: true, help: "terminal action code"),
        ValueKind(name: "iac", tag: 0x9F0F, help: "issuer action code"),
        ValueKind(name: "tsi", tag: 0x9B, help: "transaction status information"),
        ValueKind(name: "iad", tag: 0x9F10, help: "issuer application data"),
        ValueKind(name: "ffi", tag: 0x9F6E, context: .kernel3, isFixed: true, help: "form factor indicator"),
        ValueKind(name: "capabilities", tag: 0x9F33, help: "terminal capabilities"),
        ValueKind(name: "kernel", tag: 0x9F2A, help: "kernel identifier"),
        ValueKind(name: "priority", tag: 0x87, help: "application priority indicator"),
        ValueKind(name: "mobile-cvm", tag: 0x9F71, context: .kernel4, isFixed: true, help: "mobile CVM results"),
        ValueKind(
            name: "reader-capabilities", tag: 0x9F6D, context: .kernel4, isFixed: true,
            help: "contactless reader capabilities"),
        ValueKind(name: "pan", tag: 0x5A, help: "account number"),
        ValueKind(name: "track1", tag: 0x56, help: "track 1 data"),
        ValueKind(name: "track2", tag: 0x57, help: "track 2 equivalent data"),
    ]

    /// A word of the table, or a tag in hex.
    package init?(argument: String) {
        let word = argument.lowercased()
        if let row = Self.table.first(where: { $0.name == word }) {
            self = row
        } else if let tag = TLVTag(hex: argument), tag.rawValue != 0 {
            self.init(name: tag.description, tag: tag, help: "")
        } else {
            return nil
        }
    }

    package init(name: String, tag: TLVTag, context: TagContext = .emv, isFixed: Bool = false, help: String) {
        (self.name, self.tag, self.context) = (name, tag, context)
        (self.isFixed, self.help) = (isFixed, help)
    }

    package static func named(_ name: String) -> ValueKind? { table.first { $0.name == name } }

    /// The context to read it in: the one asked for, else the word's own, else the only one that knows the tag.
    package func context(asked: DecodingContext?) -> TagContext {
        if let asked, !isFixed { return asked.tags }
        guard context == .emv, TagDictionary.standard.entry(for: tag, in: .emv) == nil else { return context }
        return TagDictionary.standard.meanings(of: tag).first?.context ?? .emv
    }
}

/// What `decode --as` takes.
package enum DecodeForm: Hashable, Sendable {
    case frame(Decoded.Kind)
    case status
    case value(ValueKind)

    package init?(argument: String) {
        if let kind = Decoded.Kind(rawValue: argument.lowercased()) {
            self = .frame(kind)
        } else if argument.lowercased() == "status" {
            self = .status
        } else if let kind = ValueKind(argument: argument) {
            self = .value(kind)
        } else {
            return nil
        }
    }
}
