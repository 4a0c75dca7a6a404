// SPDX-License-Identifier: Apache-2.0

internal import BERTLV

/// The objects of a read that stand in the clear.
struct GeneralCardData {
    /// BER-TLV.
    let bytes: [UInt8]

    init(_ read: EMVReadResult, tags: [TLVTag]) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(128)
        let pan = read.data.pan.map { Array($0.utf8) } ?? []
        for tag in tags where Self.isAllowed(tag) {
            guard let value = Self.value(of: tag, in: read, pan: pan) else { continue }
            TLVBuilder.appendHead(tag, count: value.count, to: &bytes)
            bytes += value
        }
        self.bytes = bytes
    }

    private static func isAllowed(_ tag: TLVTag) -> Bool {
        SealedTags.generalAllowed.contains(tag) && !SealedTags.generalForbidden.contains(tag)
    }

    private typealias Maker = @Sendable (EMVReadResult, _ pan: [UInt8]) -> [UInt8]?

    /// Objects that are made here; all others come from the card or the terminal as they are.
    private static let makers: [TLVTag: Maker] = [
        // First six and last four digits of the PAN (ISO/IEC 7812-1, 4.2).
        0x42: { _, pan in pan.count < 13 ? nil : BCD.pack(pan.prefix(6)) },
        0x4F: { read, _ in read.application },
        0x9F25: { _, pan in pan.count < 13 ? nil : BCD.pack(pan.suffix(4)) },
        0x9F2A: { read, _ in read.kernelIdentifier },
    ]

    private static func value(of tag: TLVTag, in read: EMVReadResult, pan: [UInt8]) -> [UInt8]? {
        if let value = read.terminalObjects[tag] { return value }
        let value = makers[tag].map { $0(read, pan) } ?? read.data.sensitiveBytes(of: tag)
        // The card chooses its name and its label, so it could write its number there.
        return value.flatMap { isAccountNumber($0, pan) ? nil : $0 }
    }

    /// Whether a value holds the PAN, in ASCII or BCD, or eight ASCII digits in a row, as no label has them.
    private static func isAccountNumber(_ value: [UInt8], _ pan: [UInt8]) -> Bool {
        var (longest, run) = (0, 0)
        for byte in value {
            run = (0x30...0x39).contains(byte) ? run + 1 : 0
            longest = max(longest, run)
        }
        guard longest < 8 else { return true }
        guard pan.count >= 10, value.count * 2 >= pan.count else { return false }
        func digit(_ position: Int) -> UInt8 {
            0x30 + (position.isMultiple(of: 2) ? value[position / 2] >> 4 : value[position / 2] & 15)
        }
        return (0...value.count * 2 - pan.count).contains { start in
            pan.indices.allSatisfy { pan[$0] == digit(start + $0) }
        }
    }
}

extension EMVReadResult {
    /// One byte for international kernels, three for domestic ones (Book B, table 3-7).
    fileprivate var kernelIdentifier: [UInt8]? {
        kernel.map { $0.bytes.dropFirst().allSatisfy { $0 == 0 } ? Array($0.bytes.prefix(1)) : $0.bytes }
    }
}
