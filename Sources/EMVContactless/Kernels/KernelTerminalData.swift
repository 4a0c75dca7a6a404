// SPDX-License-Identifier: Apache-2.0

internal import BERTLV

/// What the terminal tells the card about this transaction, beyond what every kernel knows: one row per kernel.
struct KernelTerminalData {
    let terminal: TerminalProfile
    let active: ActiveCombination
    let kernel: Kernel

    private typealias Maker = @Sendable (KernelTerminalData) -> [TLVTag: [UInt8]]

    private static let makers: [TagContext: Maker] = [
        .kernel4: \.readerCapabilities,
        .kernel5: \.interchangeProfile,
        .interac: \.interacData,
    ]

    /// The objects; empty for kernels that need nothing of their own.
    var objects: [TLVTag: [UInt8]] { Self.makers[kernel.context]?(self) ?? [:] }

    /// 9F6D and 9F6E (Book C-4, 4.3.4, table 4-4): partial online mode and mobile, the CVMs that this reader has.
    private var readerCapabilities: [TLVTag: [UInt8]] {
        guard let capabilities = kernel.readerCapabilities else { return [:] }
        let methods = flags([
            (terminal.acceptsOnDeviceVerification, 0x80), (terminal.supportsOnlinePIN, 0x40),
            (terminal.supportsSignature, 0x20),
        ])
        let modes = flags([(terminal.hasContactSlot, 0x80), (true, 0x18)])
        return [
            0x9F6D: [active.requiresCVM ? capabilities.with : capabilities.without],
            0x9F6E: [modes, methods, active.requiresCVM ? 0x40 : 0x00, 0x00],
        ]
    }

    /// 9F53, terminal interchange profile (C-5, Annex A): CVM required, signature, online PIN, on-device CVM, contact.
    private var interchangeProfile: [TLVTag: [UInt8]] {
        let first = flags([
            (active.requiresCVM, 0x80), (terminal.supportsSignature, 0x40), (terminal.supportsOnlinePIN, 0x20),
            (terminal.acceptsOnDeviceVerification, 0x10), (terminal.hasContactSlot, 0x02),
        ])
        return [0x9F53: [first, 0x00, 0x00]]
    }

    /// Interac's terminal objects, as Amadis documents them: retail merchant, purchase, option status, floor limit.
    private var interacData: [TLVTag: [UInt8]] {
        [
            0x9F58: [0x03], 0x9F59: [0x00, 0x00, 0x00], 0x9F5A: [0x00], 0x9F5D: BCD.bytes(0, count: 6),
            0x9F5E: [0xE0, 0x00], 0x9F5F: BCD.bytes(active.combination.floorLimit ?? 0, count: 6),
        ]
    }

    private func flags(_ flags: [(isSet: Bool, bit: UInt8)]) -> UInt8 {
        flags.reduce(0) { $1.isSet ? $0 | $1.bit : $0 }
    }
}
