// SPDX-License-Identifier: Apache-2.0

package import BERTLV
package import WalletCrypto

extension EMVReadResult {
    /// The data record: objects of card and terminal as BER-TLV, for sealing (EMV Contactless Book A, 6.2.4).
    ///
    /// Objects that neither side has are left out. What the terminal set is the terminal's, whatever the card says of it.
    /// Written once, in memory that is overwritten at the end.
    /// - Parameter tags: which, in this order.
    package func dataRecord(_ tags: [TLVTag]) -> SecretBytes {
        let present = tags.compactMap { tag in valueCount(of: tag).map { (tag, $0) } }
        let heads = present.map { TLVBuilder.head($0, count: $1) }
        let total = zip(heads, present).reduce(0) { $0 + $1.0.count + $1.1.1 }
        return SecretBytes(count: total) { record in
            var rest = record[...]
            func put(_ bytes: UnsafeRawBufferPointer) {
                UnsafeMutableRawBufferPointer(rebasing: rest.prefix(bytes.count)).copyMemory(from: bytes)
                rest = rest.dropFirst(bytes.count)
            }
            for (head, (tag, _)) in zip(heads, present) {
                head.withUnsafeBytes(put)
                if let value = terminalObjects[tag] {
                    value.withUnsafeBytes(put)
                } else {
                    data.lend(tag, put)
                }
            }
        }
    }

    private func valueCount(of tag: TLVTag) -> Int? {
        terminalObjects[tag]?.count ?? data.withBytes(of: tag) { $0.count }
    }
}
