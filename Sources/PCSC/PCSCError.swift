// SPDX-License-Identifier: Apache-2.0

public import ISO7816

/// A return code of the PC/SC service that is not success, with what it means and what to do.
///
/// Two errors are equal when their codes are; the texts are for people.
public struct PCSCError: Error, Sendable {
    /// The code as PC/SC numbers it, such as 0x8010001D.
    public let rawCode: UInt32
    /// What happened, in words; no card data in it.
    public let reason: String
    /// What the person can do about it, if anything.
    public let hint: String?

    /// An error by its code; texts come from the table of codes unless given.
    public init(rawCode: UInt32, reason: String? = nil, hint: String? = nil) {
        let row = PCSCErrorRow.byCode[rawCode]
        self.rawCode = rawCode
        self.reason = reason ?? row?.meaning ?? "PC/SC error \(Self.hexadecimal(rawCode))"
        self.hint = hint ?? row?.hint
    }

    /// The code's name in pcsclite.h, or the number in hexadecimal when the table does not have it.
    public var name: String { PCSCErrorRow.byCode[rawCode]?.name ?? Self.hexadecimal(rawCode) }

    private static func hexadecimal(_ code: UInt32) -> String {
        let digits = String(code, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: 8 - digits.count) + digits
    }
}

extension PCSCError: Hashable {
    /// Same code.
    public static func == (left: PCSCError, right: PCSCError) -> Bool { left.rawCode == right.rawCode }
    /// The code.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawCode) }
}

extension PCSCError: CustomStringConvertible {
    /// The reason and the code's name.
    public var description: String { "\(reason) (\(name))" }
}

extension PCSCError {
    /// Codes that the code of this target compares with (pcsclite.h).
    public static let cancelled: UInt32 = 0x8010_0002
    static let invalidHandle: UInt32 = 0x8010_0003
    /// There is no reader by that name.
    public static let unknownReader: UInt32 = 0x8010_0009
    /// Time is up.
    public static let timeout: UInt32 = 0x8010_000A
    static let noSmartcard: UInt32 = 0x8010_000C
    static let protocolMismatch: UInt32 = 0x8010_000F
    static let commError: UInt32 = 0x8010_0013
    /// More than one reader goes by that name.
    public static let duplicateReader: UInt32 = 0x8010_001B
    /// The service pcscd is not running.
    public static let noService: UInt32 = 0x8010_001D
    static let serviceStopped: UInt32 = 0x8010_001E
    /// There is no reader at all.
    public static let noReaders: UInt32 = 0x8010_002E
    static let resetCard: UInt32 = 0x8010_0068

    /// Whether the context that gave this code is of no use any more: pcscd died, or was started anew.
    var meansStaleContext: Bool {
        [Self.noService, Self.commError, Self.serviceStopped, Self.invalidHandle].contains(rawCode)
    }
}

extension CardChannelError {
    /// The same fault in the terms of the card channel; reason, hint and raw code are kept.
    public init(_ error: PCSCError) {
        let code = PCSCErrorRow.byCode[error.rawCode]?.channel ?? .other
        self.init(code, reason: error.description, hint: error.hint, rawCode: error.rawCode)
    }
}
