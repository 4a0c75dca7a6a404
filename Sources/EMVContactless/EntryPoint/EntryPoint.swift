// SPDX-License-Identifier: Apache-2.0

internal import BERTLV
public import ISO7816

/// Reads a contactless card: pre-processing, directory, selection, kernel (EMV Contactless Book B).
///
/// A value; every read is independent. Synchronous: ``read(over:device:)`` blocks the thread that owns the channel for
/// the length of the tap. Nothing is kept between reads but what the caller keeps.
public struct EntryPoint: Sendable {
    /// The reader's set-up.
    public let configuration: EMVConfiguration
    /// What is read for.
    public let transaction: EMVTransaction
    /// What the terminal gives every kernel.
    let terminalObjects: [TLVTag: [UInt8]]
    private let preProcessing: PreProcessing

    /// An entry point for one transaction. Does what must be done before the field goes on.
    public init(configuration: EMVConfiguration, transaction: EMVTransaction) {
        (self.configuration, self.transaction) = (configuration, transaction)
        terminalObjects = TerminalObjects.common(configuration.terminal, transaction)
        preProcessing = PreProcessing(
            configuration.combinations.filter { configuration.kernels[$0.kernel] != nil }, transaction: transaction,
            terminalFloorLimit: configuration.terminal.floorLimit)
    }

    /// Start A: what may be used for this transaction, as found before the field goes on.
    public func preProcess() -> PreProcessing { preProcessing }

    /// Reads the card in the field, from the PPSE to an outcome.
    ///
    /// After an outcome with start point B (see phone) the caller cycles the field and calls this again.
    /// - Parameters:
    ///   - channel: the card.
    ///   - device: `phone` when it answered the value added services: no name is then tried blindly.
    /// - Throws: transport errors and data that are not TLV; the card data read so far are overwritten.
    public func read(
        over channel: any CardChannel, device: PresentedDevice = .unknown
    ) throws(EMVError) -> EMVReadResult {
        if let outcome = preProcessing.outcome { return EMVReadResult(outcome) }
        let response = try CardCommands(channel: channel).select(AID.proximityPaymentSystem.bytes)
        guard response.status == .success else {
            guard configuration.triesConfiguredNames, device != .phone else {
                return EMVReadResult(.endApplication(.notAPaymentCard.adding("status \(response.status)")))
            }
            let direct = preProcessing.active.map { Candidate(direct: $0.combination.aid.bytes, active: $0) }
            return try process(direct, over: channel)
        }
        let list = try CandidateList(directory: response.data, combinations: preProcessing.active)
        var result = try process(preferred(list.candidates), over: channel)
        result.directory = list.entries
        return result
    }

    /// The merchant's preference first, then the card's order.
    private func preferred(_ candidates: [Candidate]) -> [Candidate] {
        let names = configuration.preferredNames
        func rank(_ candidate: Candidate) -> Int {
            names.firstIndex { candidate.name.starts(with: $0) } ?? names.count
        }
        return candidates.enumerated().sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }
            .map(\.element)
    }

    /// Start C: candidates in order until one does not say "select next".
    public func process(
        _ candidates: [Candidate], over channel: any CardChannel
    ) throws(EMVError) -> EMVReadResult {
        var last: EMVReadResult?
        for candidate in candidates {
            let result = try read(candidate, over: channel)
            guard result.outcome.value == .selectNext else { return result }
            last = result
            last?.outcome = .endApplication(result.outcome.reason)
        }
        return last ?? EMVReadResult(.endApplication(.noSupportedApplication))
    }

    /// Final SELECT of one candidate, then its kernel.
    public func read(_ candidate: Candidate, over channel: any CardChannel) throws(EMVError) -> EMVReadResult {
        guard let kernel = configuration.kernels[candidate.active.combination.kernel] else {
            return EMVReadResult(.selectNext(.noKernel))
        }
        switch try select(candidate, kernel: kernel, over: channel) {
        case .failure(let outcome): return EMVReadResult(outcome.value)
        case .success(let fci):
            var kernel = kernel
            kernel.id = candidate.active.combination.kernel
            var run = KernelRun(
                kernel: kernel, active: candidate.active, configuration: configuration, transaction: transaction,
                common: terminalObjects, fci: fci, channel: channel)
            return try run.run()
        }
    }

    /// Why a candidate was not selected.
    struct Refusal: Error {
        let value: EMVOutcome
    }

    /// SELECT of one candidate; everything wrong with the answer means "select next" (Book B, 3.3.3).
    func select(
        _ candidate: Candidate, kernel: Kernel, over channel: any CardChannel
    ) throws(EMVError) -> Result<FileControlInformation, Refusal> {
        let name = candidate.selectionName
        let response = try CardCommands(channel: channel).select(name)
        guard response.status == .success else {
            let reason = EMVReason.applicationRefused.adding("SELECT, status \(response.status)")
            return .failure(Refusal(value: .selectNext(reason)))
        }
        guard let fci = try? FileControlInformation(response.data) else {
            return .failure(Refusal(value: .selectNext(.malformedData)))
        }
        let isExpected =
            fci.name == candidate.name || fci.name == name || (candidate.isDirect && fci.name.starts(with: name))
        guard isExpected else { return .failure(Refusal(value: .selectNext(.wrongApplication))) }
        if kernel.requiresQualifiersInPDOL {
            let list = fci.pdol.flatMap { try? DataObjectList($0) }
            guard list?.contains(TerminalTransactionQualifiers.tag) == true else {
                return .failure(Refusal(value: .selectNext(.qualifiersNotAsked)))
            }
        }
        return .success(fci)
    }
}
