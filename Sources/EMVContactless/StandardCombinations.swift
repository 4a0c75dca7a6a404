// SPDX-License-Identifier: Apache-2.0

internal import ISO7816

/// The applications a test counter takes, as data: application, kernel.
///
/// Sources: the schemes' published identifiers as openemv/emv-utils and smartcardfyi.com list them.
private let standardApplications: [(aid: [UInt8], kernel: KernelID)] = [
    ([0xA0, 0, 0, 0, 0x03, 0x10, 0x10], 0x03),  // Visa
    ([0xA0, 0, 0, 0, 0x03, 0x20, 0x10], 0x03),  // Visa Electron
    ([0xA0, 0, 0, 0, 0x03, 0x20, 0x20], 0x03),  // V Pay
    ([0xA0, 0, 0, 0, 0x04, 0x10, 0x10], 0x02),  // Mastercard
    ([0xA0, 0, 0, 0, 0x04, 0x30, 0x60], 0x02),  // Maestro
    ([0xA0, 0, 0, 0, 0x04, 0x22, 0x03], 0x02),  // US Maestro
    ([0xA0, 0, 0, 0, 0x25, 0x01], 0x04),  // American Express
    ([0xA0, 0, 0, 0, 0x65, 0x10, 0x10], 0x05),  // JCB
    ([0xA0, 0, 0, 0x01, 0x52, 0x30, 0x10], 0x06),  // Discover, Diners
    ([0xA0, 0, 0, 0x01, 0x52, 0x40, 0x10], 0x06),  // US Debit
    ([0xA0, 0, 0, 0x03, 0x33, 0x01, 0x01], 0x07),  // UnionPay
    ([0xA0, 0, 0, 0x02, 0x77, 0x10, 0x10], .interac),  // Interac
    ([0xA0, 0, 0, 0, 0x42, 0x10, 0x10], 0x03),  // Cartes Bancaires, as the entry's kernel identifier says
    ([0xA0, 0, 0, 0, 0x42, 0x10, 0x10], 0x02),
]

extension Combination {
    /// Every application this reader has a kernel for, for a counter that always asks for an online cryptogram: floor
    /// limit zero, EMV mode, the device's own verification, neither PIN pad nor contact slot.
    ///
    /// - Parameter cvmLimit: amount in minor units from which a CVM is required; nil never requires one.
    public static func standard(cvmLimit: UInt64? = nil) -> [Combination] {
        standardApplications.compactMap { row in
            guard let aid = try? AID(row.aid) else { return nil }
            // 9F66: byte 1 bit 6 EMV mode, byte 3 bit 7 consumer device CVM.
            var combination = Combination(
                aid: aid, kernel: row.kernel, qualifiers: TerminalTransactionQualifiers([0x20, 0x00, 0x40, 0x00]))
            (combination.floorLimit, combination.cvmLimit) = (0, cvmLimit)
            return combination
        }
    }
}
