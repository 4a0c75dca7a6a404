// SPDX-License-Identifier: Apache-2.0

internal import BERTLV

/// What a card decided, by the upper two bits of its cryptogram information (EMV Book 3, table 15).
enum CryptogramType: UInt8 {
    case aac = 0x00
    case tc = 0x40
    case arqc = 0x80
}

/// Kernels whose cryptogram came with GET PROCESSING OPTIONS (3, 6, 7): card and terminal qualifiers decide.
extension KernelRun {
    mutating func concludeWithQualifiers() -> EMVOutcome {
        guard let type = cryptogramType() else { return .endApplication(.dataMissing.adding("9F27")) }
        guard type != .aac else { return .declined(.cardDeclined) }
        var isOnline = type == .arqc
        if type == .tc, let outcome = checkOffline(&isOnline) { return outcome }
        if type == .arqc { checkOnlineAuthentication() }
        if let outcome = checkService() { return outcome }
        let qualifiers = active.qualifiers ?? TerminalTransactionQualifiers()
        let method = cardholderVerification.decide(
            card: cardQualifiers, reader: qualifiers, related: data.sensitiveBytes(of: 0x9F69), isOnline: isOnline)
        guard let method else { return .declined(.verificationFailed) }
        return isOnline ? .onlineRequest(method) : .approved(method)
    }

    /// From 9F27, or from the CVR in the issuer application data where the card sent none (Book C-3, Annex A).
    private func cryptogramType() -> CryptogramType? {
        if let cid = data.bytes(of: 0x9F27)?.first { return CryptogramType(rawValue: cid & 0xC0) }
        guard let issuerData = data.sensitiveBytes(of: 0x9F10), issuerData.count >= 5 else { return nil }
        // Bits 6-5 of the CVR's second byte: 00 AAC, 01 TC, 10 ARQC.
        return CryptogramType(rawValue: (issuerData[4] & 0x30) << 2)
    }

    private var cardQualifiers: CardTransactionQualifiers? {
        guard case .qualifiers(let tag) = kernel.verification else { return nil }
        return data.bytes(of: tag).flatMap { CardTransactionQualifiers($0) }
    }

    /// Offline approval: the data must be proved, the application in date, the card not on the exception list. The
    /// card's qualifiers may send the transaction online instead (Book C-3, 5.5 and 5.6).
    private mutating func checkOffline(_ isOnline: inout Bool) -> EMVOutcome? {
        if isOnExceptionList {
            tvr.insert(.onExceptionFile)
            return .declined(.cardDeclined)
        }
        if authenticateFast() == false {
            if cardQualifiers?.has(byte: 1, bit: 6) == true {
                isOnline = true
            } else if cardQualifiers?.has(byte: 1, bit: 5) == true, terminal.hasContactSlot {
                return .tryAnotherInterface(.authenticationFailed)
            } else {
                return .declined(.authenticationFailed)
            }
        }
        if restrictions.isExpired {
            tvr.insert(.expired)
            guard cardQualifiers?.has(byte: 1, bit: 4) == true else { return .declined(.expired) }
            isOnline = true
        }
        guard restrictions.isServiceAllowed else {
            tvr.insert(.serviceNotAllowed)
            return .declined(.cardDeclined)
        }
        return nil
    }

    /// With a cryptogram for the issuer the result is noted, nothing more.
    private mutating func checkOnlineAuthentication() {
        guard active.qualifiers?.has(byte: 1, bit: 1) == true, data.contains(0x9F4B) else {
            return tvr.insert(.authenticationNotPerformed)
        }
        _ = authenticateFast()
    }

    private mutating func authenticateFast() -> Bool {
        guard case .fast(let versions) = kernel.authentication else { return false }
        updateObjects()
        do {
            try authentication.verifyFast(versions: versions, terminal: objects.values)
            result.authentication = AuthenticationResult(method: .fDDA, failure: nil)
            return true
        } catch {
            result.authentication = AuthenticationResult(method: .fDDA, failure: error)
            tvr.insert(.ddaFailed)
            return false
        }
    }

    /// Cash and cashback may have to go over the contact interface (CTQ byte 1, bits 3 and 2).
    private func checkService() -> EMVOutcome? {
        let isCash = transaction.isCash && cardQualifiers?.has(byte: 1, bit: 3) == true
        let isCashback = transaction.isCashback && cardQualifiers?.has(byte: 1, bit: 2) == true
        guard isCash || isCashback else { return nil }
        return terminal.hasContactSlot ? .tryAnotherInterface(.otherInterface) : .declined(.cardDeclined)
    }
}
