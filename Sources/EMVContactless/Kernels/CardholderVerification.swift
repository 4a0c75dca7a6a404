// SPDX-License-Identifier: Apache-2.0

/// What cardholder verification decided.
struct VerificationDecision: Hashable {
    /// Tag 9F34: method, condition, result (EMV Book 4, A4).
    var results: [UInt8]
    /// How the cardholder is, or will be, verified.
    var method: EMVOutcome.Verification
    /// What goes into the TVR.
    var findings: [TerminalVerificationResults.Finding] = []

    /// `3F0000`: no method was performed.
    static let notPerformed = VerificationDecision(results: [0x3F, 0x00, 0x00], method: .noCVM)
}

/// Chooses a cardholder verification method.
struct CardholderVerification {
    let transaction: EMVTransaction
    let terminal: TerminalProfile
    /// Whether the amount is at or over the CVM limit.
    let isRequired: Bool

    /// Tag 9F33 as it holds for this transaction.
    var capabilities: [UInt8] {
        guard !isRequired, terminal.capabilities.count == 3 else { return terminal.capabilities }
        return [terminal.capabilities[0], terminal.capabilitiesWithoutCVM, terminal.capabilities[2]]
    }

    /// The device's own verification (Book C-2, CVM.1): done when it is needed, nothing otherwise.
    func onDevice() -> VerificationDecision {
        isRequired
            ? VerificationDecision(results: [0x01, 0x00, 0x02], method: .confirmationCodeVerified)
            : VerificationDecision(results: [0x3F, 0x00, 0x02], method: .noCVM)
    }

    /// Walks the card's list (EMV Book 3, 10.5): the first rule whose condition holds and whose method works.
    ///
    /// - Parameter currency: the application's currency, tag 9F42.
    func walk(_ list: CardholderVerificationList, currency: [UInt8]?) -> VerificationDecision {
        var findings: [TerminalVerificationResults.Finding] = []
        for rule in list.rules where holds(rule, list, currency) {
            if let method = method(of: rule) {
                let result: UInt8 = method == .noCVM ? 0x02 : 0x00
                if method == .onlinePIN { findings.append(.onlinePIN) }
                return VerificationDecision(
                    results: [rule.code, rule.condition, result], method: method, findings: findings)
            }
            if CardholderVerificationList.Rule.methods[rule.method] == nil { findings.append(.unrecognisedCVM) }
            if rule.method == 0x02 { findings.append(.noPINPad) }
            guard rule.continuesOnFailure else {
                return VerificationDecision(
                    results: [rule.code, rule.condition, 0x01], method: .noCVM,
                    findings: findings + [.verificationFailed])
            }
        }
        return VerificationDecision(
            results: [0x3F, 0x00, 0x01], method: .noCVM, findings: findings + [.verificationFailed])
    }

    /// The method that a rule leads to, or nil where this reader cannot do it. PINs that the card verifies do not exist
    /// contactless.
    private func method(of rule: CardholderVerificationList.Rule) -> EMVOutcome.Verification? {
        let known: [UInt8: (mask: UInt8, method: EMVOutcome.Verification)] = [
            0x02: (0x40, .onlinePIN), 0x1E: (0x20, .signature), 0x1F: (0x08, .noCVM),
        ]
        guard let entry = known[rule.method], capabilities.count == 3, capabilities[1] & entry.mask != 0 else {
            return nil
        }
        return entry.method
    }

    private func holds(
        _ rule: CardholderVerificationList.Rule, _ list: CardholderVerificationList, _ currency: [UInt8]?
    ) -> Bool {
        let isSameCurrency = currency == BCD.bytes(UInt64(transaction.currency), count: 2)
        // Terminal types 14 to 16, 24 to 26, 34 to 36: unattended (EMV Book 4, A1).
        let isUnattended = terminal.type & 15 >= 4
        switch rule.condition {
        case 0x00: return true
        case 0x01: return transaction.isCash && isUnattended
        case 0x02: return !transaction.isCash && !transaction.isCashback
        case 0x03: return method(of: rule) != nil
        case 0x04: return transaction.isCash && !isUnattended
        case 0x05: return transaction.isCashback
        case 0x06: return isSameCurrency && transaction.amount < UInt64(list.amountX)
        case 0x07: return isSameCurrency && transaction.amount > UInt64(list.amountX)
        case 0x08: return isSameCurrency && transaction.amount < UInt64(list.amountY)
        case 0x09: return isSameCurrency && transaction.amount > UInt64(list.amountY)
        default: return false
        }
    }

    /// What card and terminal qualifiers together ask for; nil where neither can do it (Book C-3, 5.7).
    ///
    /// - Parameters:
    ///   - card: the card's qualifiers, or nil when it sent none.
    ///   - related: tag 9F69; its last two bytes repeat the qualifiers under the card's signature.
    ///   - isOnline: whether the cryptogram is for the issuer.
    func decide(
        card: CardTransactionQualifiers?, reader: TerminalTransactionQualifiers, related: [UInt8]?, isOnline: Bool
    ) -> EMVOutcome.Verification? {
        guard reader.requiresCVM else { return .noCVM }
        guard let card else { return reader.supportsSignature ? .signature : nil }
        if card.has(byte: 1, bit: 8), reader.supportsOnlinePIN { return .onlinePIN }
        if card.has(byte: 2, bit: 8) {
            let isProved = related.map { Array($0.suffix(2)) == card.bytes } ?? isOnline
            return isProved ? .confirmationCodeVerified : nil
        }
        if card.has(byte: 1, bit: 7), reader.supportsSignature { return .signature }
        return nil
    }
}
