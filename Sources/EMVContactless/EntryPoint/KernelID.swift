// SPDX-License-Identifier: Apache-2.0

internal import ISO7816

/// Which kernel processes an application, as three bytes (EMV Contactless Book B, 3.3.2 and table 3-6).
///
/// International kernels have one byte that counts, the other two are zero.
public struct KernelID: Hashable, Sendable, ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// Three bytes.
    public let bytes: [UInt8]

    /// An international kernel, `3` or `0x2A`.
    public init(integerLiteral value: UInt8) { bytes = [value, 0, 0] }

    /// Reads a kernel identifier of 1 to 8 bytes: nil when it is absent in effect (empty, first byte zero) or unusable.
    public init?(_ value: some Collection<UInt8>) {
        guard case .kernel(let kernel) = KernelRequest(value) else { return nil }
        self = kernel
    }

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Upper-case hex; only the first byte for an international kernel.
    public var description: String { Hex.encode(bytes[1] == 0 && bytes[2] == 0 ? bytes.prefix(1) : bytes[...]) }

    /// Interac Flash: the sources disagree about its number, so it is a setting with this default (Amadis: 65).
    public static let interac: KernelID = 0x65

    /// Default kernel by registered application provider (Book B, table 3-6); girocard by one public thread.
    static let defaults: [(rid: [UInt8], kernel: KernelID)] = [
        ([0xA0, 0x00, 0x00, 0x00, 0x04], 0x02), ([0xA0, 0x00, 0x00, 0x00, 0x03], 0x03),
        ([0xA0, 0x00, 0x00, 0x00, 0x25], 0x04), ([0xA0, 0x00, 0x00, 0x00, 0x65], 0x05),
        ([0xA0, 0x00, 0x00, 0x01, 0x52], 0x06), ([0xA0, 0x00, 0x00, 0x03, 0x24], 0x06),
        ([0xA0, 0x00, 0x00, 0x03, 0x33], 0x07), ([0xA0, 0x00, 0x00, 0x03, 0x59], 0x2A),
        ([0xD2, 0x76, 0x00, 0x00, 0x25], 0x2A), ([0xA0, 0x00, 0x00, 0x02, 0x77], .interac),
    ]

    /// The default kernel for an application, or nil when its provider has none.
    public static func byDefault(for aid: some Collection<UInt8>) -> KernelID? {
        let rid = Array(aid.prefix(5))
        return defaults.first { $0.rid == rid }?.kernel
    }
}

/// What a directory entry's kernel identifier, tag 9F2A, asks for (Book B, 3.3.2.5).
enum KernelRequest: Hashable {
    /// Absent, empty or beginning with zero: the provider's default, or any.
    case byDefault
    /// This kernel.
    case kernel(KernelID)
    /// Longer than eight bytes, or a domestic identifier cut short: the entry is passed over.
    case invalid

    init(_ value: (some Collection<UInt8>)?) {
        let bytes = value.map { Array($0) } ?? []
        guard bytes.count <= 8 else { self = .invalid; return }
        guard let first = bytes.first, first != 0 else { self = .byDefault; return }
        // Bits 8-7: 00 international and 01 reserved use byte 1 alone; 10 and 11 (domestic) use three bytes.
        guard first & 0x80 != 0 else { self = .kernel(KernelID(bytes: [first, 0, 0])); return }
        self = bytes.count >= 3 ? .kernel(KernelID(bytes: Array(bytes.prefix(3)))) : .invalid
    }

    /// Whether a kernel that the reader has fits the request for application `aid`.
    func accepts(_ kernel: KernelID, for aid: [UInt8]) -> Bool {
        switch self {
        case .byDefault: KernelID.byDefault(for: aid).map { $0 == kernel } ?? true
        case .kernel(let wanted): wanted == kernel
        case .invalid: false
        }
    }
}
