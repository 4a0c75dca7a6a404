// SPDX-License-Identifier: Apache-2.0

public import BERTLV
public import ISO7816

/// An application with the kernel that processes it and the limits that hold (EMV Contactless Book B, 3.1.1).
///
/// Amounts are minor units of the transaction's currency. A limit of nil is not checked.
public struct Combination: Hashable, Sendable {
    /// The application, whole or its first bytes.
    public var aid: AID
    /// The kernel.
    public var kernel: KernelID
    /// Whether a card's longer name that begins with ``aid`` fits.
    public var allowsPartialSelection = true
    /// Whether the directory entry's extended selection bytes are added to the name in SELECT.
    public var supportsExtendedSelection = false
    /// Static terminal transaction qualifiers of kernels 3, 6 and 7.
    public var qualifiers: TerminalTransactionQualifiers?
    /// Reader contactless transaction limit; an amount equal to it is over it.
    public var transactionLimit: UInt64?
    /// The same for a device that verifies its cardholder (kernel 2); nil takes ``transactionLimit``.
    public var onDeviceTransactionLimit: UInt64?
    /// Reader CVM required limit; an amount equal to it needs a CVM.
    public var cvmLimit: UInt64?
    /// Reader contactless floor limit; above it a cryptogram for the issuer is needed.
    public var floorLimit: UInt64?
    /// Whether an amount of one unit of currency asks for a status check.
    public var statusCheck = false
    /// Whether a zero amount may be processed; nil is the specification's "not present", which lets it.
    public var allowsZeroAmount: Bool?
    /// Terminal data for this combination alone, over the terminal's own.
    public var terminalData: [TLVTag: [UInt8]] = [:]

    /// A combination without limits.
    public init(aid: AID, kernel: KernelID, qualifiers: TerminalTransactionQualifiers? = nil) {
        (self.aid, self.kernel, self.qualifiers) = (aid, kernel, qualifiers)
    }

    /// A combination as a configuration file has it: kernel identifier of exactly eight bytes, qualifiers of four.
    ///
    /// - Throws: code `configuration`.
    public init(aid: [UInt8], kernelIdentifier: [UInt8], qualifiers: [UInt8]? = nil) throws(EMVError) {
        guard let aid = try? AID(aid), aid.bytes.count >= 5 else {
            throw EMVError(.configuration, "an application identifier has 5 to 16 bytes")
        }
        guard kernelIdentifier.count == 8, let kernel = KernelID(kernelIdentifier) else {
            throw EMVError(.configuration, "a kernel identifier has 8 bytes and is not zero")
        }
        let read = qualifiers.map { TerminalTransactionQualifiers($0) }
        if case .some(.none) = read { throw EMVError(.configuration, "terminal transaction qualifiers have 4 bytes") }
        self.init(aid: aid, kernel: kernel, qualifiers: read ?? nil)
    }

    /// Whether a card's application name fits.
    func matches(name: [UInt8]) -> Bool {
        name == aid.bytes || (allowsPartialSelection && name.starts(with: aid.bytes))
    }
}

/// A combination that is allowed for this transaction, with what pre-processing found.
public struct ActiveCombination: Hashable, Sendable {
    /// The combination.
    public let combination: Combination
    /// Its qualifiers for this transaction.
    public internal(set) var qualifiers: TerminalTransactionQualifiers?
    /// The amount is zero.
    public internal(set) var isZeroAmount = false
    /// A status check is asked for.
    public internal(set) var isStatusCheck = false
    /// The amount is at or over the CVM limit.
    public internal(set) var requiresCVM = false
    /// The amount is over the floor limit.
    public internal(set) var isOverFloorLimit = false
}

/// What is checked before the field goes on (Book B, 3.1.1).
public struct PreProcessing: Hashable, Sendable {
    /// Combinations that may be used, in configuration order.
    public let active: [ActiveCombination]
    /// Why nothing can be read; nil when ``active`` holds something.
    public let outcome: EMVOutcome?

    /// Checks every combination against the transaction.
    ///
    /// - Parameters:
    ///   - combinations: what is configured, in order of preference.
    ///   - transaction: amount, currency and type.
    ///   - terminalFloorLimit: tag 9F1B, used where a combination has no floor limit of its own.
    public init(_ combinations: [Combination], transaction: EMVTransaction, terminalFloorLimit: UInt64? = nil) {
        active = combinations.compactMap {
            Self.activate($0, transaction, floorLimit: $0.floorLimit ?? terminalFloorLimit)
        }
        if !active.isEmpty {
            outcome = nil
        } else if combinations.isEmpty {
            outcome = .endApplication(.nothingConfigured)
        } else {
            outcome = .tryAnotherInterface(.notAllowedContactless)
        }
    }

    /// Nil where the combination is not allowed.
    private static func activate(
        _ combination: Combination, _ transaction: EMVTransaction, floorLimit: UInt64?
    ) -> ActiveCombination? {
        let amount = transaction.amount
        let limits = [combination.transactionLimit, combination.onDeviceTransactionLimit].compactMap { $0 }
        if let limit = limits.max(), amount >= limit { return nil }
        var active = ActiveCombination(combination: combination, qualifiers: combination.qualifiers)
        active.qualifiers?.requiresOnlineCryptogram = false
        active.qualifiers?.requiresCVM = false
        active.isZeroAmount = amount == 0
        active.isStatusCheck = combination.statusCheck && amount == transaction.oneUnit
        active.requiresCVM = combination.cvmLimit.map { amount >= $0 } ?? false
        active.isOverFloorLimit = floorLimit.map { amount > $0 } ?? false
        if active.isZeroAmount {
            let isAllowed = combination.allowsZeroAmount ?? true
            guard isAllowed, active.qualifiers?.isOfflineOnly != true else { return nil }
        }
        if active.isOverFloorLimit || active.isStatusCheck || active.isZeroAmount {
            active.qualifiers?.requiresOnlineCryptogram = true
        }
        if active.requiresCVM { active.qualifiers?.requiresCVM = true }
        return active
    }
}
