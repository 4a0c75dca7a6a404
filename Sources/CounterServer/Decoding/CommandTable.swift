// SPDX-License-Identifier: Apache-2.0

internal import ISO7816

/// Commands by their first bytes.
struct CommandRow: Sendable {
    /// Nil takes any byte.
    let header: [UInt8?]
    let name: String
    /// Whether the data field is TLV.
    var hasObjects = false
    var context: DecodingContext?
    /// Where the command is defined.
    let source: String

    func matches(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.count >= 4 && zip(header, bytes).allSatisfy { $0 == nil || $0 == $1 }
    }

    private static let iso = "ISO/IEC 7816-4, 11"
    private static let emv = "EMV Book 3, 6.5"
    private static let vas = "kormax/apple-vas README"

    /// The first row that matches counts.
    static let table: [CommandRow] = [
        CommandRow(header: [0x00, 0xA4], name: "SELECT", source: iso),
        CommandRow(
            header: [0x80, 0xCA, 0x01, 0x01], name: "GET VAS DATA", hasObjects: true,
            context: .vas(.getVASDataCommand), source: vas),
        CommandRow(
            header: [0x80, 0xCA, 0x01, 0x00], name: "GET VAS DATA (URL only)", hasObjects: true,
            context: .vas(.getVASDataCommand), source: vas),
        CommandRow(header: [0x80, 0xA8, 0x00, 0x00], name: "GET PROCESSING OPTIONS", hasObjects: true, source: emv),
        CommandRow(header: [0x00, 0xB2], name: "READ RECORD", source: iso),
        CommandRow(header: [0x80, 0xAE], name: "GENERATE AC", source: emv),
        CommandRow(
            header: [0x80, 0x2A, 0x8E, 0x80], name: "COMPUTE CRYPTOGRAPHIC CHECKSUM",
            source: "EMV Contactless Book C-2, 5.4"),
        CommandRow(
            header: [0x80, 0xEA, 0x00, 0x00], name: "EXCHANGE RELAY RESISTANCE DATA",
            source: "EMV Contactless Book C-2, 5.3"),
        CommandRow(header: [0x80, 0xD0, 0x00, 0x00], name: "RECOVER AC", source: "EMV Contactless Book C-2, 5.8"),
        CommandRow(header: [0x80, 0xCA], name: "GET DATA", source: emv),
        CommandRow(header: [0x80, 0xDA], name: "PUT DATA", source: "EMV Contactless Book C-2, 5.6"),
        CommandRow(header: [0x00, 0x88, 0x00, 0x00], name: "INTERNAL AUTHENTICATE", source: emv),
        CommandRow(header: [0x00, 0x82, 0x00, 0x00], name: "EXTERNAL AUTHENTICATE", source: emv),
        CommandRow(header: [0x00, 0x84, 0x00, 0x00], name: "GET CHALLENGE", source: emv),
        CommandRow(header: [0x00, 0x20, 0x00], name: "VERIFY", source: emv),
        CommandRow(header: [0x00, 0xC0, 0x00, 0x00], name: "GET RESPONSE", source: iso),
    ]

    static func row(for bytes: some Collection<UInt8>) -> CommandRow? { table.first { $0.matches(bytes) } }
}

extension CommandAPDU {
    /// What the parameters say beyond the command's name; nil where there is nothing to add.
    var parameterWords: String? {
        switch ins {
        case 0xA4 where p1 == 0x04: applicationWords(Array(data))
        case 0xB2 where p2 & 0x07 == 4: "SFI \(p2 >> 3), record \(p1)"
        case 0xAE: cryptogramWords
        case 0xCA where cla == 0x80 && p1 != 0x01: "tag \(Hex.encode([p1, p2]))"
        default: nil
        }
    }

    /// EMV Book 3, 6.5.5.2: bits 8-7 the type, bit 5 CDA.
    private var cryptogramWords: String {
        let type = ["AAC", "TC", "ARQC", "RFU"][Int(p1 >> 6)]
        return "\(type) requested\(p1 & 0x10 == 0 ? "" : ", with CDA signature")"
    }

    private func applicationWords(_ name: [UInt8]) -> String? {
        guard !name.isEmpty else { return nil }
        if name.allSatisfy({ (0x20...0x7E).contains($0) }) { return String(decoding: name, as: UTF8.self) }
        return ApplicationNames.provider(of: name)
    }
}
