// SPDX-License-Identifier: Apache-2.0

public import BERTLV

/// Which objects of a read go where. Tables: what is not named goes nowhere.
public enum SealedTags {
    /// What the provider gets, sealed, in this order; objects that a read has not are left out.
    ///
    /// The fields of an authorisation request (EMV Book 4, 12.1; Book A, 6.2.4), form factor, PAR and custom data.
    public static let sealed: [TLVTag] = [
        0x57, 0x5A, 0x5F24, 0x5F2A, 0x5F34, 0x82, 0x84, 0x95, 0x9A, 0x9C, 0x9F02, 0x9F03, 0x9F10, 0x9F1A, 0x9F24,
        0x9F26, 0x9F27, 0x9F33, 0x9F34, 0x9F35, 0x9F36, 0x9F37, 0x9F5A, 0x9F6B, 0x9F6C, 0x9F6E, 0x9F7C,
    ]

    /// What goes with them for a card read in mag-stripe mode: tracks, codes, where the digits belong, the number sent
    /// (Book C-2, Annex A).
    public static let sealedInMagStripeMode: [TLVTag] = [
        0x56, 0x9F60, 0x9F61, 0x9F62, 0x9F63, 0x9F64, 0x9F65, 0x9F66, 0x9F67, 0x9F6A,
    ]

    /// What may stand in the clear: the issuer, the application, the amount, the last four digits, the terminal.
    public static let generalAllowed: Set<TLVTag> = [
        0x42, 0x4F, 0x50, 0x5F2A, 0x9A, 0x9C, 0x9F02, 0x9F03, 0x9F1A, 0x9F24, 0x9F25, 0x9F27, 0x9F2A, 0x9F33, 0x9F35,
        0x9F40,
    ]

    /// What does stand in the clear where nothing else is asked for, in this order.
    public static let general: [TLVTag] = [
        0x42, 0x4F, 0x50, 0x5F2A, 0x9A, 0x9C, 0x9F02, 0x9F25, 0x9F27, 0x9F2A,
    ]

    /// What must never stand in the clear, whatever is asked for: account, tracks, names, expiry, cryptogram.
    public static let generalForbidden: Set<TLVTag> = [
        0x5A, 0x57, 0x56, 0x9F6B, 0x5F20, 0x9F0B, 0x9F1F, 0x9F20, 0x5F24, 0x5F34, 0x9F26, 0x9F10, 0x9F36,
    ]

    /// What of a read is not shown without being asked for: account, tracks and names.
    public static let masked: Set<TLVTag> = [0x5A, 0x57, 0x56, 0x9F6B, 0x5F20, 0x9F1F, 0x9F20]
}
