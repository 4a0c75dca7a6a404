// SPDX-License-Identifier: Apache-2.0

internal import BERTLV

/// Whether this card may be used here, today, for this (EMV Book 3, 10.4).
struct ProcessingRestrictions {
    let data: CardData
    let transaction: EMVTransaction
    let terminal: TerminalProfile

    /// Expired, by tag 5F24.
    var isExpired: Bool {
        guard let date = data.sensitiveBytes(of: 0x5F24).flatMap({ EMVDate(bcd: $0) }) else { return false }
        return date.isBefore(dayOf: transaction.date)
    }

    /// Not yet effective, by tag 5F25.
    var isNotYetEffective: Bool {
        guard let date = data.bytes(of: 0x5F25).flatMap({ EMVDate(bcd: $0) }) else { return false }
        return transaction.date.isBefore(dayOf: date)
    }

    /// Whether the application usage control, tag 9F07, lets the card be used for this. Without it, or without the
    /// issuer's country, everything but the terminal's kind is allowed.
    var isServiceAllowed: Bool {
        guard let control = data.bytes(of: 0x9F07), control.count == 2 else { return true }
        // Terminal types x4 with cash dispensing are ATMs; this reader never is one.
        guard control[0] & 0x01 != 0 else { return false }
        guard let country = data.bytes(of: 0x5F28) else { return true }
        let isDomestic = country == BCD.bytes(UInt64(terminal.country), count: 2)
        if transaction.isCash { return control[0] & (isDomestic ? 0x80 : 0x40) != 0 }
        if transaction.isCashback, transaction.otherAmount > 0 {
            return control[1] & (isDomestic ? 0x80 : 0x40) != 0
        }
        // Goods or services.
        return control[0] & (isDomestic ? 0x28 : 0x14) != 0
    }

    /// What goes into the TVR.
    func findings(version: [UInt8]) -> [TerminalVerificationResults.Finding] {
        var findings: [TerminalVerificationResults.Finding] = []
        if let card = data.bytes(of: 0x9F08), card != version { findings.append(.versionsDiffer) }
        if isExpired { findings.append(.expired) }
        if isNotYetEffective { findings.append(.notYetEffective) }
        if !isServiceAllowed { findings.append(.serviceNotAllowed) }
        return findings
    }
}
