// SPDX-License-Identifier: Apache-2.0

public import BERTLV
public import ISO7816

/// What one kernel does differently from the others: a table, read by the one flow in `KernelRun`.
public struct Kernel: Hashable, Sendable {
    /// What a status word other than 9000 leads to.
    public enum Reaction: String, Hashable, Sendable {
        /// The next candidate.
        case selectNext
        /// Insert or swipe.
        case tryAnotherInterface
        /// The person looks at the phone; then the PPSE again.
        case seePhone
        /// Another card.
        case endApplication
    }

    /// Where the application cryptogram comes from.
    public enum Cryptogram: String, Hashable, Sendable {
        /// GET PROCESSING OPTIONS answers with it.
        case processingOptions
        /// GENERATE AC.
        case generateAC
    }

    /// How the data of the card are proved.
    public enum Authentication: Hashable, Sendable {
        /// A signature with the cryptogram, or over static data: CDA, SDA as the card offers.
        case combinedOrStatic
        /// A signature in the GPO answer or a record, with these versions of 9F69.
        case fast(versions: Set<UInt8>)
    }

    /// Who decides how the cardholder is verified.
    public enum Verification: Hashable, Sendable {
        /// The CVM list, tag 8E; the object, if any, with the results of a mobile device's own verification.
        case list(mobileResults: TLVTag?)
        /// Card qualifiers of two bytes in this tag against the terminal's.
        case qualifiers(TLVTag)
        /// No CVM, whatever the amount.
        case none
    }

    /// The kernel's default number; a configuration may register it under another.
    public var id: KernelID
    /// The scheme, for people.
    public var name: String
    /// Meaning of tags.
    public var context: TagContext
    /// Status words of GET PROCESSING OPTIONS; all others end the application.
    public var reactions: [StatusWord: Reaction]
    /// The PDOL must ask for 9F66, else select next (Book B, 3.3.3.5).
    public var requiresQualifiersInPDOL = false
    /// Objects that the GPO answer must have.
    public var requiredInProcessingOptions: [TLVTag] = []
    /// Bits of AIP byte 2, one of which says that the card does EMV mode; nil where there is no such bit.
    public var emvModeMask: UInt8?
    /// First AFL entry that only mag-stripe mode reads (Book C-2, S3.30): left out in EMV mode, alone in the other.
    public var magStripeEntry: [UInt8]?
    /// Where the cryptogram is.
    public var cryptogram: Cryptogram
    /// Of each group, one object must have been read.
    public var mandatory: [[TLVTag]]
    /// Offline data authentication.
    public var authentication: Authentication
    /// Cardholder verification.
    public var verification: Verification
    /// Whether AIP byte 1 bit 2 stands for on-device verification.
    public var hasOnDeviceVerification = false
    /// Reader's application version, tag 9F09.
    public var version: [UInt8]
    /// Reader capabilities (9F6D) that are merged into the terminal type 9F35, without and with CVM required.
    public var readerCapabilities: (without: UInt8, with: UInt8)? {
        get { capabilities.map { ($0[0], $0[1]) } }
        set { capabilities = newValue.map { [$0.without, $0.with] } }
    }
    /// Whether an application without a CDOL1 still counts as read.
    public var endsWithoutCryptogram = false
    private var capabilities: [UInt8]?

    /// A kernel.
    public init(
        id: KernelID, name: String, context: TagContext, reactions: [StatusWord: Reaction], cryptogram: Cryptogram,
        mandatory: [[TLVTag]], authentication: Authentication, verification: Verification, version: [UInt8]
    ) {
        (self.id, self.name, self.context, self.reactions) = (id, name, context, reactions)
        (self.cryptogram, self.mandatory, self.authentication) = (cryptogram, mandatory, authentication)
        (self.verification, self.version) = (verification, version)
    }
}

/// The kernels of this reader.
///
/// Sources: EMV Contactless Books C-2 (6.5), C-3 (4.1, 5.2), C-4 to C-7; Interac by the public trace and Amadis' pages.
extension Kernel {
    /// All statuses that kernel 2 answers with "select next" (Book C-2, 6.5.3).
    private static let selectNextReactions: [StatusWord: Reaction] = [
        0x6984: .selectNext, 0x6985: .selectNext, 0x6986: .selectNext, 0x6A81: .selectNext,
    ]

    /// Kernel 3's statuses (Book C-3, 5.2.2.2); kernels 6 and 7 follow it.
    private static let phoneReactions: [StatusWord: Reaction] = [
        0x6984: .tryAnotherInterface, 0x6985: .selectNext, 0x6986: .seePhone,
    ]

    /// Mastercard.
    public static let kernel2: Kernel = {
        var kernel = Kernel(
            id: 2, name: "Mastercard", context: .kernel2, reactions: selectNextReactions, cryptogram: .generateAC,
            mandatory: [[0x57], [0x5A], [0x5F24], [0x8C]], authentication: .combinedOrStatic,
            verification: .list(mobileResults: nil), version: [0x00, 0x02])
        kernel.requiredInProcessingOptions = [0x82, 0x94]
        kernel.emvModeMask = 0x80
        kernel.magStripeEntry = [0x08, 0x01, 0x01, 0x00]
        kernel.hasOnDeviceVerification = true
        return kernel
    }()

    /// Visa: the qVSDC path.
    public static let kernel3: Kernel = {
        var kernel = Kernel(
            id: 3, name: "Visa", context: .kernel3, reactions: phoneReactions, cryptogram: .processingOptions,
            mandatory: [[0x9F26], [0x9F36], [0x57, 0x5A]], authentication: .fast(versions: [0, 1]),
            verification: .qualifiers(0x9F6C), version: [0x01, 0x2C])
        kernel.requiresQualifiersInPDOL = true
        return kernel
    }()

    /// American Express.
    public static let kernel4: Kernel = {
        var kernel = Kernel(
            id: 4, name: "American Express", context: .kernel4,
            reactions: phoneReactions, cryptogram: .generateAC, mandatory: [[0x57, 0x5A], [0x8C]],
            authentication: .combinedOrStatic,
            verification: .list(mobileResults: 0x9F71), version: [0x00, 0x01])
        kernel.requiredInProcessingOptions = [0x82, 0x94]
        // Bit 8 EMV mode, bit 7 Expresspay Mobile.
        kernel.emvModeMask = 0xC0
        kernel.readerCapabilities = (0xC0, 0xC8)
        return kernel
    }()

    /// JCB, to a read; a cryptogram where the card has a CDOL1.
    public static let kernel5: Kernel = {
        var kernel = Kernel(
            id: 5, name: "JCB", context: .kernel5, reactions: selectNextReactions, cryptogram: .generateAC,
            mandatory: [[0x57, 0x5A]], authentication: .combinedOrStatic, verification: .list(mobileResults: nil),
            version: [0x01, 0x20])
        kernel.requiredInProcessingOptions = [0x82, 0x94]
        kernel.endsWithoutCryptogram = true
        return kernel
    }()

    /// Discover and Diners: D-PAS. The qualifiers' layout is taken to be kernel 3's (unconfirmed).
    public static let kernel6: Kernel = {
        var kernel = Kernel(
            id: 6, name: "Discover", context: .kernel6, reactions: phoneReactions, cryptogram: .processingOptions,
            mandatory: [[0x9F26], [0x9F36], [0x57, 0x5A]], authentication: .fast(versions: [0, 1]),
            verification: .qualifiers(0x9F71), version: [0x00, 0x01])
        kernel.requiresQualifiersInPDOL = true
        return kernel
    }()

    /// UnionPay: qPBOC. fDDA version 01 only.
    public static let kernel7: Kernel = {
        var kernel = Kernel(
            id: 7, name: "UnionPay", context: .kernel7, reactions: phoneReactions, cryptogram: .processingOptions,
            mandatory: [[0x9F26], [0x9F36], [0x57, 0x5A]], authentication: .fast(versions: [1]),
            verification: .qualifiers(0x9F6C), version: [0x00, 0x30])
        kernel.requiresQualifiersInPDOL = true
        return kernel
    }()

    /// Interac Flash, to a read; a cryptogram where the card has a CDOL1. Under the limits there is never a CVM.
    public static let interac: Kernel = {
        var kernel = Kernel(
            id: .interac, name: "Interac", context: .interac, reactions: selectNextReactions, cryptogram: .generateAC,
            mandatory: [[0x57, 0x5A]], authentication: .combinedOrStatic, verification: .none, version: [0x00, 0x01])
        kernel.requiredInProcessingOptions = [0x82, 0x94]
        kernel.endsWithoutCryptogram = true
        return kernel
    }()

    /// All of them, under their default numbers.
    public static let standard: [KernelID: Kernel] = Dictionary(
        uniqueKeysWithValues: [kernel2, kernel3, kernel4, kernel5, kernel6, kernel7, interac].map { ($0.id, $0) })
}
