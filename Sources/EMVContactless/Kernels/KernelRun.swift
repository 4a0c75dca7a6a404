// SPDX-License-Identifier: Apache-2.0

internal import BERTLV
internal import ISO7816
internal import WalletCrypto

/// One application with one kernel, from GET PROCESSING OPTIONS to an outcome. The kernel's table says what differs.
struct KernelRun {
    let kernel: Kernel
    let active: ActiveCombination
    let configuration: EMVConfiguration
    let transaction: EMVTransaction
    let commands: CardCommands
    /// DF name selected.
    let aid: [UInt8]
    let data: CardData
    var result: EMVReadResult
    var tvr = TerminalVerificationResults()
    /// PDOL values sent; CDA covers them.
    var pdolValues: [UInt8] = []
    var verification: VerificationDecision?
    /// What the terminal gives the card.
    private(set) var objects: TerminalObjects

    /// - Parameter common: `TerminalObjects.common` of the terminal and the transaction, where it is there already.
    init(
        kernel: Kernel, active: ActiveCombination, configuration: EMVConfiguration, transaction: EMVTransaction,
        common: [TLVTag: [UInt8]]? = nil, fci: FileControlInformation, channel: any CardChannel
    ) {
        (self.kernel, self.active, self.configuration) = (kernel, active, configuration)
        (self.transaction, commands, aid) = (transaction, CardCommands(channel: channel), fci.name)
        data = CardData()
        objects = TerminalObjects(
            common: common ?? TerminalObjects.common(configuration.terminal, transaction),
            terminal: configuration.terminal, active: active, kernel: kernel)
        for object in fci.objects { data.set(object.tag, object.value) }
        result = EMVReadResult(EMVOutcome(.endApplication, .malformedData), data: data)
        (result.kernel, result.application, result.qualifiers) = (kernel.id, fci.name, active.qualifiers)
        objects.set(0x9F06, aid)
        objects.set(0x9F09, kernel.version)
        if let qualifiers = active.qualifiers { objects.set(0x9F66, qualifiers.bytes) }
        if case .list = kernel.verification { objects.set(0x9F33, cardholderVerification.capabilities) }
    }

    var terminal: TerminalProfile { configuration.terminal }

    var cardholderVerification: CardholderVerification {
        CardholderVerification(transaction: transaction, terminal: terminal, isRequired: active.requiresCVM)
    }

    /// The whole run. Data that make no sense end the application; only transport and our own faults are thrown.
    mutating func run() throws(EMVError) -> EMVReadResult {
        do {
            result.outcome = try outcome()
        } catch let error where error.code == .malformedCardData {
            result.outcome = .endApplication(.malformedData.adding(error.reason))
        }
        (result.verificationResults, result.cvmResults) = (tvr, verification?.results)
        updateObjects()
        result.terminalObjects = terminalObjects()
        pdolValues.wipe()
        return result
    }

    private mutating func outcome() throws(EMVError) -> EMVOutcome {
        if let outcome = try initiate() { return outcome }
        if let outcome = try readRecords() { return outcome }
        if isMagStripeMode { return try computeChecksum() }
        for group in kernel.mandatory where !group.contains(where: data.contains) {
            return .endApplication(.dataMissing.adding(group.map(\.description).joined(separator: " or ")))
        }
        switch kernel.cryptogram {
        case .processingOptions: return concludeWithQualifiers()
        case .generateAC: return try concludeWithGenerateAC()
        }
    }

    // MARK: Terminal data

    /// Brings ``objects`` up to date.
    mutating func updateObjects() {
        objects.set(0x95, tvr.bytes)
        objects.set(0x9F34, verification?.results ?? [0, 0, 0])
        // The number in digits, for COMPUTE CRYPTOGRAPHIC CHECKSUM.
        if isMagStripeMode { objects.set(0x9F6A, transaction.unpredictableNumber.map { BCD.byte(Int($0) % 100) }) }
    }

    /// What goes to the provider of it. A cryptogram from GET PROCESSING OPTIONS covers the TVR that was sent then, all
    /// zeros, not the one after the read; and where no list decided on a CVM there are no CVM results.
    private func terminalObjects() -> [TLVTag: [UInt8]] {
        var values = objects.values
        if kernel.cryptogram == .processingOptions, !isMagStripeMode {
            values[0x95] = TerminalVerificationResults().bytes
        }
        if verification == nil { values[0x9F34] = nil }
        return values
    }

    /// A DOL's values from the terminal, and from the card where it asks its own objects back.
    mutating func values(for list: DataObjectList, adding more: [TLVTag: [UInt8]] = [:]) -> [UInt8] {
        updateObjects()
        let (terminal, data) = (objects.values, data)
        return list.data(context: kernel.context) { tag in
            more[tag] ?? terminal[tag] ?? data.sensitiveBytes(of: tag)
        }
    }

    /// What a recorded terminal sent for a list of this length.
    func recorded(_ part: KeyPath<RecordedTerminal, [UInt8]?>, for list: DataObjectList) -> [UInt8]? {
        configuration.recorded?[keyPath: part].flatMap { $0.count == list.dataLength ? $0 : nil }
    }

    // MARK: Initiate application processing

    /// GET PROCESSING OPTIONS; nil to go on (EMV Book 3, 10.1).
    mutating func initiate() throws(EMVError) -> EMVOutcome? {
        if let pdol = data.bytes(of: 0x9F38) {
            let list = try DataObjectList(pdol)
            pdolValues =
                recorded(\.processingOptions, for: list) ?? values(for: list, adding: mergedTerminalType())
        }
        var response = try commands.getProcessingOptions(pdolValues)
        defer { response.wipe() }
        guard response.status == .success else { return reaction(to: response.status) }
        result.processingOptionsFormat = try keep(ProcessingOptions(response.data))
        if let missing = kernel.requiredInProcessingOptions.first(where: { !data.contains($0) }) {
            return .endApplication(.dataMissing.adding(missing.description))
        }
        try checkProfileAndLocator()
        if isMagStripeMode, !configuration.acceptsMagStripeMode { return .endApplication(.magStripeMode) }
        return isOverOnDeviceLimit ? .selectNext(.notAllowedContactless) : nil
    }

    /// What is there must have its form (Book C-2, 6.5.3, S3.13).
    private func checkProfileAndLocator() throws(EMVError) {
        if let profile = data.bytes(of: 0x82), profile.count != 2 {
            throw EMVError(.malformedCardData, "an application interchange profile has \(profile.count) bytes, not 2")
        }
        if let locator = data.bytes(of: 0x94), !locator.isEmpty { _ = try ApplicationFileLocator(locator) }
    }

    private func keep(_ options: ProcessingOptions) -> ResponseFormat {
        for object in options.objects { data.set(object.tag, object.value) }
        return options.format
    }

    private func reaction(to status: StatusWord) -> EMVOutcome {
        let reason = EMVReason.applicationRefused.adding("status \(status)")
        switch kernel.reactions[status] ?? .endApplication {
        case .selectNext: return .selectNext(reason)
        case .tryAnotherInterface: return .tryAnotherInterface(.otherInterface)
        case .seePhone: return .seePhone()
        case .endApplication: return .endApplication(reason)
        }
    }

    /// Kernel 4: reader capabilities travel in the terminal type's upper bits (C-4; seen in public Amex traces).
    private func mergedTerminalType() -> [TLVTag: [UInt8]] {
        guard let capabilities = kernel.readerCapabilities else { return [:] }
        return [0x9F35: [terminal.type | (active.requiresCVM ? capabilities.with : capabilities.without)]]
    }

    var profile: ApplicationInterchangeProfile? {
        data.bytes(of: 0x82).flatMap { ApplicationInterchangeProfile($0) }
    }

    private var isMagStripeMode: Bool {
        guard let mask = kernel.emvModeMask else { return false }
        return profile.map { $0.bytes[1] & mask == 0 } ?? false
    }

    var isOnDevice: Bool {
        kernel.hasOnDeviceVerification && terminal.acceptsOnDeviceVerification
            && profile?.supportsOnDeviceVerification == true
    }

    /// Kernel 2 has a limit for devices that verify their owner and one for all others.
    private var isOverOnDeviceLimit: Bool {
        let combination = active.combination
        guard combination.onDeviceTransactionLimit != nil else { return false }
        let limit = isOnDevice ? combination.onDeviceTransactionLimit : combination.transactionLimit
        return limit.map { transaction.amount > $0 } ?? false
    }

    // MARK: Read application data

    /// Every record of the AFL in order; nil to go on (EMV Book 3, 10.2).
    mutating func readRecords() throws(EMVError) -> EMVOutcome? {
        guard var bytes = data.bytes(of: 0x94) else { return nil }
        if let entry = kernel.magStripeEntry, bytes.starts(with: entry), bytes.count > entry.count {
            bytes = isMagStripeMode ? entry : Array(bytes.dropFirst(entry.count))
        }
        for record in try ApplicationFileLocator(bytes).records {
            var response = try commands.readRecord(sfi: record.sfi, number: record.number)
            defer { response.wipe() }
            guard response.status == .success else {
                return .endApplication(
                    .recordMissing.adding("file \(record.sfi) record \(record.number), status \(response.status)"))
            }
            try keep(try ApplicationRecord(response.data, sfi: record.sfi), record)
        }
        return nil
    }

    private func keep(
        _ record: ApplicationRecord, _ place: ApplicationFileLocator.Record
    ) throws(EMVError) {
        for object in record.objects {
            let isNew = data.withBytes(of: object.tag) { $0.isEmpty || $0.elementsEqual(object.value) } ?? true
            guard isNew else {
                throw EMVError(.malformedCardData, "object \(object.tag) came twice with different values")
            }
            data.set(object.tag, object.value)
        }
        data.append(record: place, record.signedBytes)
    }

    // MARK: Mag-stripe mode

    /// COMPUTE CRYPTOGRAPHIC CHECKSUM with the UDOL's values (Book C-2, 6.5.8).
    private mutating func computeChecksum() throws(EMVError) -> EMVOutcome {
        let list = try DataObjectList(data.bytes(of: 0x9F69) ?? [0x9F, 0x6A, 0x04])
        var response = try commands.computeCryptographicChecksum(values(for: list))
        defer { response.wipe() }
        guard response.status == .success else {
            return .endApplication(.applicationRefused.adding("status \(response.status)"))
        }
        for object in try Objects.leaves(response.data, in: "the answer to COMPUTE CRYPTOGRAPHIC CHECKSUM") {
            data.set(object.tag, object.value)
        }
        guard data.contains(0x9F36), data.contains(0x9F61) || data.contains(0x9F60) else {
            return .endApplication(.dataMissing.adding("9F36 or 9F61"))
        }
        var outcome = EMVOutcome.onlineRequest(.noCVM)
        outcome.reason = EMVReason(code: "magStripeMode", text: "The card was read in mag-stripe mode")
        return outcome
    }

    var isOnExceptionList: Bool {
        guard !configuration.exceptionList.isEmpty, let pan = data.pan else { return false }
        return configuration.exceptionList.contains(Digest.sha256(Array(pan.utf8)))
    }

    var restrictions: ProcessingRestrictions {
        ProcessingRestrictions(data: data, transaction: transaction, terminal: terminal)
    }

    var authentication: OfflineAuthentication {
        OfflineAuthentication(
            data: data, aid: aid, authorities: configuration.authorities, revocations: configuration.revocations,
            date: transaction.date)
    }
}
