// SPDX-License-Identifier: Apache-2.0

package import BERTLV
package import WalletCrypto

extension EMVReadResult {
    /// The data record: objects of card and terminal as BER-TLV, for sealing (EMV Contactless Book A, 6.2.4).
    ///
    /// Objects that neither side has are left out. The card's value wins where both have one.
    /// - Parameter tags: which, in this order.
    package func dataRecord(_ tags: [TLVTag]) -> SecretBytes {
        var record = TLVBuilder()
        for tag in tags {
            if data.withBytes(of: tag, { record.append(tag, $0) }) == nil {
                terminalObjects[tag].map { record.append(tag, $0) }
            }
        }
        return SecretBytes(copying: record.bytes)
    }
}
