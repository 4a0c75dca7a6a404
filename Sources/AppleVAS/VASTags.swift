// SPDX-License-Identifier: Apache-2.0

internal import BERTLV

/// The tags of Apple VAS. A dictionary of its own: 9F21, 9F24, 9F26 and 9F27 mean other things in EMV.
///
/// Source: kormax/apple-vas README (tables "Command data" and "Response data"), which agrees with proxmark3
/// `cmdhfvas.c`.
enum VASTag {
    /// FCI template (ISO/IEC 7816-4, 7.4.3).
    static let fciTemplate: TLVTag = 0x6F
    /// FCI proprietary template (ISO/IEC 7816-4, 7.4.3); Google's answer has one.
    static let fciProprietaryTemplate: TLVTag = 0xA5
    /// The wallet's name: application label (ISO/IEC 7816-4, 12.2.4).
    static let walletName: TLVTag = 0x50
    /// VAS application version of the phone, 2 bytes.
    static let mobileVersion: TLVTag = 0x9F21
    /// VAS application version of the terminal, 2 bytes.
    static let terminalVersion: TLVTag = 0x9F22
    /// What the phone can do, 4 bytes.
    static let mobileCapabilities: TLVTag = 0x9F23
    /// The phone's nonce, 4 bytes, new at each SELECT.
    static let mobileNonce: TLVTag = 0x9F24
    /// SHA-256 of the pass type identifier, 32 bytes.
    static let merchantID: TLVTag = 0x9F25
    /// What the terminal wants, 4 bytes.
    static let terminalCapabilities: TLVTag = 0x9F26
    /// The encrypted pass data.
    static let cryptogram: TLVTag = 0x9F27
    /// The terminal's nonce, 4 bytes.
    static let terminalNonce: TLVTag = 0x9F28
    /// The sign-up URL.
    static let url: TLVTag = 0x9F29
    /// The mobile token; only ever seen empty.
    static let mobileToken: TLVTag = 0x9F2A
    /// The filter, 5 bytes.
    static let filter: TLVTag = 0x9F2B
    /// The response's template (ISO/IEC 7816-4 calls 70 an interindustry template nesting data objects of a file).
    static let responseTemplate: TLVTag = 0x70
}
