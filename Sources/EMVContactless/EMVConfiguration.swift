// SPDX-License-Identifier: Apache-2.0

public import BERTLV

/// What a reader is set up with.
public struct EMVConfiguration: Sendable {
    /// The terminal.
    public var terminal: TerminalProfile
    /// Applications with kernels and limits, in order of preference among equals.
    public var combinations: [Combination]
    /// Kernels by number; a number may be given to any kernel.
    public var kernels: [KernelID: Kernel]
    /// Keys of the certification authorities. A test counter loads test keys only.
    public var authorities: AuthorityKeys
    /// Revoked issuer certificates.
    public var revocations: RevocationList
    /// SHA-256 of the PAN digits of cards that must not be approved offline. For an online request the finding stands in
    /// the TVR, where the kernel has one, and the issuer decides.
    public var exceptionList: Set<[UInt8]> = []
    /// Ask for an online cryptogram even where the card could approve offline. What a test counter wants.
    public var alwaysRequestsOnline = true
    /// Read cards that only do mag-stripe mode (COMPUTE CRYPTOGRAPHIC CHECKSUM). Off: they end the application.
    public var acceptsMagStripeMode = false
    /// Application names, or first bytes of them, that go before the card's own order; the first is the most wanted.
    public var preferredNames: [[UInt8]] = []
    /// After a card refused the PPSE, select the configured names one by one. Never done on a phone.
    public var triesConfiguredNames = false

    /// For replays: what a recorded terminal sent, in place of what this one would send, so that signatures and
    /// cryptograms over it still verify.
    package var recorded: RecordedTerminal?

    /// A configuration with the standard kernels and no authority keys.
    public init(
        terminal: TerminalProfile, combinations: [Combination], kernels: [KernelID: Kernel] = Kernel.standard,
        authorities: AuthorityKeys = AuthorityKeys(), revocations: RevocationList = RevocationList()
    ) {
        (self.terminal, self.combinations, self.kernels) = (terminal, combinations, kernels)
        (self.authorities, self.revocations) = (authorities, revocations)
    }
}

/// What a terminal sent to the card in a recorded read. Each is used where its length is what the card's list asks for.
package struct RecordedTerminal: Hashable, Sendable {
    /// Values of the PDOL in GET PROCESSING OPTIONS.
    package var processingOptions: [UInt8]?
    /// Values of the CDOL1 in GENERATE AC.
    package var cryptogramData: [UInt8]?
    /// Bits 8 and 7 of GENERATE AC's reference control parameter: the type asked for.
    package var cryptogramType: UInt8?
    /// Whether signatures were taken out of the trace, and with them the cryptograms inside.
    package var isRedacted = false
    /// The day of the read, which certificates are judged by.
    package var date: EMVDate?

    /// Nothing recorded yet.
    package init() {}
}

/// What is in the field, as far as it is known before the payment read.
public enum PresentedDevice: Hashable, Sendable {
    /// Not known: a card, or a phone that did not say so.
    case unknown
    /// A wallet phone: it answered the value added services. It counts failing commands.
    case phone
}

/// What one read gave.
public struct EMVReadResult: Sendable {
    /// How it ended.
    public internal(set) var outcome: EMVOutcome
    /// What the card handed out; sensitive values cannot be taken from it outside this package.
    public let data: CardData
    /// The kernel that ran.
    public internal(set) var kernel: KernelID?
    /// Name of the application selected, tag 84.
    public internal(set) var application: [UInt8]?
    /// How GET PROCESSING OPTIONS answered.
    public internal(set) var processingOptionsFormat: ResponseFormat?
    /// Offline data authentication, where it was tried.
    public internal(set) var authentication: AuthenticationResult?
    /// Terminal verification results.
    public internal(set) var verificationResults = TerminalVerificationResults()
    /// CVM results, tag 9F34.
    public internal(set) var cvmResults: [UInt8]?
    /// The terminal's qualifiers sent, tag 9F66.
    public internal(set) var qualifiers: TerminalTransactionQualifiers?
    /// What the terminal gave, or would have given, to the card: amounts, date, TVR, CVM results and the like.
    public internal(set) var terminalObjects: [TLVTag: [UInt8]] = [:]
    /// What the card's directory lists.
    public internal(set) var directory: [DirectoryEntry] = []

    init(_ outcome: EMVOutcome, data: CardData = CardData()) { (self.outcome, self.data) = (outcome, data) }
}
