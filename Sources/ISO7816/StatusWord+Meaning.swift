// SPDX-License-Identifier: Apache-2.0

extension StatusWord {
    /// What a status word says, and which document says so.
    public struct Meaning: Hashable, Sendable {
        /// A phrase in plain English.
        public let text: String
        /// The document and clause.
        public let source: String
    }

    /// What this status word says in general; applications may give it a meaning of their own. Nil when it is in no
    /// table.
    public var meaning: Meaning? {
        if let text = Self.texts[rawValue] { return Meaning(text: text, source: Self.table) }
        if rawValue & 0xFFF0 == 0x63C0 {
            return Meaning(text: "counter or tries left: \(rawValue & 15)", source: Self.table)
        }
        return switch sw1 {
        case 0x61: Meaning(text: "\(Self.count(sw2)) more bytes are available", source: Self.table)
        case 0x6C: Meaning(text: "wrong Le; \(Self.count(sw2)) bytes are available", source: Self.table)
        default: Self.families[sw1].map { Meaning(text: $0, source: Self.familyTable) }
        }
    }

    private static func count(_ sw2: UInt8) -> String { sw2 == 0 ? "256 or more" : "\(sw2)" }

    private static let table = "ISO/IEC 7816-4, 5.6, table 6"
    private static let familyTable = "ISO/IEC 7816-4, 5.6, table 5"

    private static let texts: [UInt16: String] = [
        0x9000: "success",
        0x6281: "part of the data may be corrupted",
        0x6282: "end of file or record reached before Ne bytes",
        0x6283: "selected file deactivated",
        0x6284: "file control information not formatted as required",
        0x6285: "selected file in termination state",
        0x6286: "no input data from a sensor",
        0x6287: "at least one referenced record is deactivated",
        0x6300: "no information given; state has changed",
        0x6381: "file filled up by the last write",
        0x6400: "execution error; state unchanged",
        0x6401: "immediate response required by the card",
        0x6500: "execution error; state changed",
        0x6581: "memory failure",
        0x6700: "wrong length",
        0x6881: "logical channel not supported",
        0x6882: "secure messaging not supported",
        0x6883: "last command of the chain expected",
        0x6884: "command chaining not supported",
        0x6981: "command incompatible with the file structure",
        0x6982: "security status not satisfied",
        0x6983: "authentication method blocked",
        0x6984: "reference data not usable",
        0x6985: "conditions of use not satisfied",
        0x6986: "command not allowed: no current EF",
        0x6987: "expected secure messaging objects missing",
        0x6988: "incorrect secure messaging objects",
        0x6A80: "incorrect parameters in the data field",
        0x6A81: "function not supported",
        0x6A82: "file or application not found",
        0x6A83: "record not found",
        0x6A84: "not enough memory in the file",
        0x6A85: "Nc inconsistent with the TLV structure",
        0x6A86: "incorrect P1 or P2",
        0x6A87: "Nc inconsistent with P1 and P2",
        0x6A88: "referenced data not found",
        0x6A89: "file already exists",
        0x6A8A: "DF name already exists",
        0x6B00: "wrong P1 or P2",
        0x6D00: "instruction not supported",
        0x6E00: "class not supported",
        0x6F00: "no precise diagnosis",
    ]

    private static let families: [UInt8: String] = [
        0x62: "warning; state unchanged",
        0x63: "warning; state changed",
        0x64: "execution error; state unchanged",
        0x65: "execution error; state changed",
        0x66: "security-related error",
        0x67: "wrong length",
        0x68: "function in CLA not supported",
        0x69: "command not allowed",
        0x6A: "wrong parameters",
        0x6B: "wrong P1 or P2",
        0x6D: "instruction not supported",
        0x6E: "class not supported",
        0x6F: "no precise diagnosis",
    ]
}
