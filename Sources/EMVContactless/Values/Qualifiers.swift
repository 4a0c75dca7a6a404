// SPDX-License-Identifier: Apache-2.0

public import BERTLV

/// A data object made of bits.
public protocol BitObject: Hashable, Sendable, CustomStringConvertible {
    /// The tag whose bit table gives the words.
    static var tag: TLVTag { get }
    /// The value.
    var bytes: [UInt8] { get }
}

extension BitObject {
    /// Whether bit `bit` (1 to 8, 8 the most significant) of byte `byte` (from 1) is set; false outside the value.
    public func has(byte: Int, bit: Int) -> Bool {
        BitCondition.bit(byte: byte, bit: bit, isSet: true).holds(in: bytes)
    }

    /// What the bits say in `context`, in words.
    public func words(in context: TagContext = .emv) -> [String] { BitFields.words(for: Self.tag, in: context, bytes) }

    /// The words, joined.
    public var description: String { words().joined(separator: ", ") }
}

/// Application interchange profile, tag 82, two bytes: what the card can do (EMV Book 3, Annex C1).
public struct ApplicationInterchangeProfile: BitObject {
    /// `0x82`.
    public static let tag: TLVTag = 0x82
    /// Two bytes.
    public let bytes: [UInt8]

    /// Takes exactly two bytes.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 2 else { return nil }
        self.bytes = Array(bytes)
    }

    /// Static data authentication.
    public var supportsSDA: Bool { has(byte: 1, bit: 7) }
    /// Dynamic data authentication.
    public var supportsDDA: Bool { has(byte: 1, bit: 6) }
    /// Combined DDA and application cryptogram generation.
    public var supportsCDA: Bool { has(byte: 1, bit: 1) }
    /// The card has a CVM list to follow.
    public var supportsCardholderVerification: Bool { has(byte: 1, bit: 5) }
    /// The consumer's device verifies the cardholder (Book C-2, A.1.16).
    public var supportsOnDeviceVerification: Bool { has(byte: 1, bit: 2) }
}

/// Card transaction qualifiers, tag 9F6C of kernels 3 and 7, two bytes (Book C-3, Annex A).
public struct CardTransactionQualifiers: BitObject {
    /// `0x9F6C`.
    public static let tag: TLVTag = 0x9F6C
    /// Two bytes.
    public let bytes: [UInt8]

    /// Takes exactly two bytes.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 2 else { return nil }
        self.bytes = Array(bytes)
    }

    /// Kernel 3's words: EMV itself has no such object.
    public var description: String { words(in: .kernel3).joined(separator: ", ") }
}

/// Terminal transaction qualifiers, tag 9F66, four bytes (Book C-3, Annex A).
public struct TerminalTransactionQualifiers: BitObject {
    /// `0x9F66`.
    public static let tag: TLVTag = 0x9F66
    /// Four bytes.
    public private(set) var bytes: [UInt8]

    /// Nothing supported, nothing asked for.
    public init() { bytes = [0, 0, 0, 0] }

    /// Takes exactly four bytes.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 4 else { return nil }
        self.bytes = Array(bytes)
    }

    /// Byte 1, bit 4: the reader never goes online.
    public var isOfflineOnly: Bool { has(byte: 1, bit: 4) }
    /// Byte 1, bit 3.
    public var supportsOnlinePIN: Bool { has(byte: 1, bit: 3) }
    /// Byte 1, bit 2.
    public var supportsSignature: Bool { has(byte: 1, bit: 2) }

    /// Byte 2, bit 8: this transaction needs an online cryptogram.
    public var requiresOnlineCryptogram: Bool {
        get { has(byte: 2, bit: 8) }
        set { bytes[1] = newValue ? bytes[1] | 0x80 : bytes[1] & 0x7F }
    }

    /// Byte 2, bit 7: this transaction needs the cardholder verified.
    public var requiresCVM: Bool {
        get { has(byte: 2, bit: 7) }
        set { bytes[1] = newValue ? bytes[1] | 0x40 : bytes[1] & 0xBF }
    }
}

/// Terminal verification results, tag 95, five bytes: what the reader found (EMV Book 3, Annex C5).
public struct TerminalVerificationResults: BitObject {
    /// `0x95`.
    public static let tag: TLVTag = 0x95
    /// Five bytes.
    public private(set) var bytes: [UInt8]

    /// Nothing found.
    public init() { bytes = [0, 0, 0, 0, 0] }

    /// Takes exactly five bytes.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 5 else { return nil }
        self.bytes = Array(bytes)
    }

    /// One finding: byte (from 1) and bit (1 to 8).
    public struct Finding: Hashable, Sendable {
        let byte: Int
        let bit: Int

        /// Offline data authentication was not performed.
        public static let authenticationNotPerformed = Finding(byte: 1, bit: 8)
        /// SDA failed.
        public static let sdaFailed = Finding(byte: 1, bit: 7)
        /// The card left out data it must have.
        public static let cardDataMissing = Finding(byte: 1, bit: 6)
        /// The card is on the exception file.
        public static let onExceptionFile = Finding(byte: 1, bit: 5)
        /// DDA failed.
        public static let ddaFailed = Finding(byte: 1, bit: 4)
        /// CDA failed.
        public static let cdaFailed = Finding(byte: 1, bit: 3)
        /// SDA is the method used.
        public static let sdaSelected = Finding(byte: 1, bit: 2)
        /// Reader and card have different application versions.
        public static let versionsDiffer = Finding(byte: 2, bit: 8)
        /// The application is expired.
        public static let expired = Finding(byte: 2, bit: 7)
        /// The application is not yet effective.
        public static let notYetEffective = Finding(byte: 2, bit: 6)
        /// The card may not be used for this.
        public static let serviceNotAllowed = Finding(byte: 2, bit: 5)
        /// No cardholder verification succeeded.
        public static let verificationFailed = Finding(byte: 3, bit: 8)
        /// A CVM code that the specification does not know.
        public static let unrecognisedCVM = Finding(byte: 3, bit: 7)
        /// A PIN is wanted and there is no PIN pad.
        public static let noPINPad = Finding(byte: 3, bit: 5)
        /// A PIN goes online.
        public static let onlinePIN = Finding(byte: 3, bit: 3)
        /// The amount is over the floor limit.
        public static let overFloorLimit = Finding(byte: 4, bit: 8)
    }

    /// Notes a finding.
    public mutating func insert(_ finding: Finding) { bytes[finding.byte - 1] |= 1 << UInt8(finding.bit - 1) }

    /// Whether a finding is noted.
    public func contains(_ finding: Finding) -> Bool { has(byte: finding.byte, bit: finding.bit) }

    /// Whether any bit is set here and in one of `codes`, terminal or issuer action codes of five bytes each.
    public func matches(_ codes: [[UInt8]]) -> Bool {
        codes.contains { code in zip(bytes, code).contains { $0 & $1 != 0 } }
    }
}
