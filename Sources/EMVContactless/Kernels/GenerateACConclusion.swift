// SPDX-License-Identifier: Apache-2.0

internal import BERTLV
internal import ISO7816

/// Kernels that ask for the cryptogram with GENERATE AC (2, 4, 5, Interac): TVR and action codes decide.
extension KernelRun {
    mutating func concludeWithGenerateAC() throws(EMVError) -> EMVOutcome {
        let cardKey = authenticateStatically()
        for finding in restrictions.findings(version: terminalVersion) { tvr.insert(finding) }
        if active.isOverFloorLimit { tvr.insert(.overFloorLimit) }
        if isOnExceptionList { tvr.insert(.onExceptionFile) }
        verifyCardholder()
        guard let list = data.bytes(of: 0x8C) else {
            return kernel.endsWithoutCryptogram ? readOnly() : .endApplication(.dataMissing.adding("8C"))
        }
        let type = requestedType()
        let cdol = try DataObjectList(list)
        let cdolValues = recorded(\.cryptogramData, for: cdol) ?? values(for: cdol)
        let combinedKey = type == .aac ? nil : cardKey
        let reference = type.rawValue | (combinedKey == nil ? 0 : 0x10)
        var response = try commands.generateAC(reference: reference, cdolValues)
        defer { response.wipe() }
        guard response.status == .success else {
            return .endApplication(.applicationRefused.adding("GENERATE AC, status \(response.status)"))
        }
        let signedObjects = try keep(GeneratedCryptogram(response.data))
        return conclude(requested: type, card: combinedKey, exchanged: [pdolValues, cdolValues, signedObjects])
    }

    private func keep(_ cryptogram: GeneratedCryptogram) -> [UInt8] {
        for object in cryptogram.objects { data.set(object.tag, object.value) }
        return cryptogram.signedObjects
    }

    private var terminalVersion: [UInt8] { active.combination.terminalData[0x9F09] ?? kernel.version }

    // MARK: Before GENERATE AC

    /// Chooses the method (EMV Book 3, 10.3): CDA is asked for where its keys can be had, else SDA is done now.
    ///
    /// - Returns: the card's key for CDA.
    private mutating func authenticateStatically() -> RecoveryKey? {
        guard let profile else { return nil }
        do {
            if profile.supportsCDA {
                return try authentication.cardKey()
            }
            guard profile.supportsSDA else {
                tvr.insert(.authenticationNotPerformed)
                return nil
            }
            tvr.insert(.sdaSelected)
            data.set(0x9F45, try authentication.verifyStatic())
            result.authentication = AuthenticationResult(method: .sda, failure: nil)
        } catch {
            tvr.insert(profile.supportsCDA ? .cdaFailed : .sdaFailed)
            if error.code == "dataMissing" { tvr.insert(.cardDataMissing) }
            result.authentication = AuthenticationResult(method: profile.supportsCDA ? .cda : .sda, failure: error)
        }
        return nil
    }

    private mutating func verifyCardholder() {
        let decision = verificationDecision()
        for finding in decision.findings { tvr.insert(finding) }
        verification = decision
    }

    private func verificationDecision() -> VerificationDecision {
        guard case .list(let mobileResults) = kernel.verification else { return .notPerformed }
        if isOnDevice { return cardholderVerification.onDevice() }
        // `01 xx 02`: a mobile device's own verification, performed and successful (C-4, 9F71).
        if let results = mobileResults.flatMap({ data.bytes(of: $0) }), results.count == 3, results[0] == 1,
            results[2] == 2
        {
            return VerificationDecision(results: results, method: .confirmationCodeVerified)
        }
        guard profile?.supportsCardholderVerification == true else { return .notPerformed }
        guard let list = data.bytes(of: 0x8E).flatMap({ try? CardholderVerificationList($0) }) else {
            var decision = VerificationDecision.notPerformed
            decision.findings = [.cardDataMissing]
            return decision
        }
        return cardholderVerification.walk(list, currency: data.bytes(of: 0x9F42))
    }

    /// Terminal action analysis (EMV Book 3, 10.7): denial codes, then online codes.
    private func requestedType() -> CryptogramType {
        if let recorded = configuration.recorded?.cryptogramType.flatMap(CryptogramType.init(rawValue:)) {
            return recorded
        }
        if tvr.matches([terminal.actionCodeDenial, data.bytes(of: 0x9F0E) ?? []]) { return .aac }
        if configuration.alwaysRequestsOnline { return .arqc }
        let issuerOnline = data.bytes(of: 0x9F0F) ?? [0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        return tvr.matches([terminal.actionCodeOnline, issuerOnline]) ? .arqc : .tc
    }

    /// Read without a cryptogram, for kernels that this reader supports only so far.
    private func readOnly() -> EMVOutcome {
        var outcome = EMVOutcome.endApplication(.readOnly)
        outcome.hasDataRecord = true
        outcome.uiRequestOnOutcome = UIRequest(.cardReadOK, .cardReadSuccessfully)
        return outcome
    }

    // MARK: After GENERATE AC

    private mutating func conclude(
        requested: CryptogramType, card: RecoveryKey?, exchanged: [[UInt8]]
    ) -> EMVOutcome {
        guard let cid = data.bytes(of: 0x9F27)?.first, data.contains(0x9F36) else {
            return .endApplication(.dataMissing.adding("9F27 or 9F36"))
        }
        // A card may answer with less than was asked for, never with more (EMV Book 3, 9.2).
        guard let type = CryptogramType(rawValue: cid & 0xC0), Self.rank(type) <= Self.rank(requested) else {
            return .endApplication(.malformedData.adding("the card answered with another cryptogram than asked for"))
        }
        guard type != .aac else { return .declined(requested == .aac ? .actionCodes : .cardDeclined) }
        if let card {
            if let outcome = checkCombined(type, card, exchanged) { return outcome }
        } else if !data.contains(0x9F26) {
            // A redacted trace has no signature any more that the cryptogram could be taken out of.
            guard configuration.recorded?.isRedacted == true else { return cryptogramMissing() }
            data.set(0x9F26, [UInt8](repeating: 0, count: 8))
        }
        let method = verification?.method ?? .noCVM
        return type == .tc ? .approved(method) : .onlineRequest(method)
    }

    private func cryptogramMissing() -> EMVOutcome {
        guard data.contains(0x9F4B) else { return .endApplication(.dataMissing.adding("9F26")) }
        let why = result.authentication?.failure.map { ": \($0)" } ?? ""
        return .endApplication(
            .dataMissing.adding("9F26, which is inside the signature 9F4B that could not be opened\(why)"))
    }

    private static func rank(_ type: CryptogramType) -> Int {
        switch type {
        case .aac: 0
        case .arqc: 1
        case .tc: 2
        }
    }

    /// CDA. A failure sets the TVR bit: offline that declines, online the action codes decide.
    private mutating func checkCombined(
        _ type: CryptogramType, _ card: RecoveryKey, _ exchanged: [[UInt8]]
    ) -> EMVOutcome? {
        do {
            let cryptogram = try authentication.verifyCombined(
                card: card, unpredictableNumber: transaction.unpredictableNumber, exchanged: exchanged)
            data.set(0x9F26, cryptogram)
            result.authentication = AuthenticationResult(method: .cda, failure: nil)
            return nil
        } catch {
            tvr.insert(.cdaFailed)
            result.authentication = AuthenticationResult(method: .cda, failure: error)
        }
        if type == .tc { return .declined(.authenticationFailed) }
        let denial = [terminal.actionCodeDenial, data.bytes(of: 0x9F0E) ?? []]
        if tvr.matches(denial) { return .declined(.authenticationFailed) }
        // The cryptogram travels inside the signature: without it there is nothing to send to the issuer.
        return data.contains(0x9F26) ? nil : .endApplication(.authenticationFailed)
    }
}
