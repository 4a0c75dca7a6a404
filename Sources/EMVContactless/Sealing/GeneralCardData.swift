// SPDX-License-Identifier: Apache-2.0

internal import BERTLV
internal import ISO7816

/// The objects of a read that stand in the clear.
struct GeneralCardData {
    /// BER-TLV.
    let bytes: [UInt8]

    init(_ read: EMVReadResult, tags: [TLVTag]) {
        var builder = TLVBuilder()
        for tag in tags
        where SealedTags.generalAllowed.contains(tag) && !SealedTags.generalForbidden.contains(tag) {
            if let value = Self.value(of: tag, in: read) { builder.append(tag, value) }
        }
        bytes = builder.bytes
    }

    private typealias Maker = @Sendable (EMVReadResult) -> [UInt8]?

    /// Objects that are made here; all others come from the card or the terminal as they are.
    private static let makers: [TLVTag: Maker] = [
        0x42: \.issuerIdentification,
        0x4F: \.application,
        0x9F25: \.lastFourDigits,
        0x9F2A: \.kernelIdentifier,
    ]

    private static func value(of tag: TLVTag, in read: EMVReadResult) -> [UInt8]? {
        if let value = read.terminalObjects[tag] { return value }
        let value = makers[tag].map { $0(read) } ?? read.data.sensitiveBytes(of: tag)
        // The card chooses its name and its label, so it could write its number there.
        return value.flatMap { isAccountNumber($0, of: read) ? nil : $0 }
    }

    /// Whether a value holds the PAN, in ASCII or BCD, or eight ASCII digits in a row, as no label has them.
    private static func isAccountNumber(_ value: [UInt8], of read: EMVReadResult) -> Bool {
        var (longest, run) = (0, 0)
        for byte in value {
            run = (0x30...0x39).contains(byte) ? run + 1 : 0
            longest = max(longest, run)
        }
        guard longest < 8 else { return true }
        guard value.count > 5, let pan = read.data.pan, pan.utf8.count >= 10 else { return false }
        return Hex.encode(value).contains(pan)
    }
}

extension EMVReadResult {
    /// One byte for international kernels, three for domestic ones (Book B, table 3-7).
    fileprivate var kernelIdentifier: [UInt8]? {
        kernel.map { $0.bytes.dropFirst().allSatisfy { $0 == 0 } ? Array($0.bytes.prefix(1)) : $0.bytes }
    }

    /// The first six digits of the PAN (ISO/IEC 7812-1, 4.2).
    fileprivate var issuerIdentification: [UInt8]? {
        guard let pan = data.pan, pan.utf8.count >= 13 else { return nil }
        return BCD.pack(pan.utf8.prefix(6))
    }

    /// The last four digits of the PAN, tag 9F25.
    fileprivate var lastFourDigits: [UInt8]? {
        guard let pan = data.pan, pan.utf8.count >= 13 else { return nil }
        return BCD.pack(pan.utf8.suffix(4))
    }
}
