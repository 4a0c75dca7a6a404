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
        var heads: [UInt8] = []
        heads.reserveCapacity(tags.count * 4)
        var present: [(tag: TLVTag, head: Range<Int>)] = []
        present.reserveCapacity(tags.count)
        var total = 0
        for tag in tags {
            guard let count = valueCount(of: tag) else { continue }
            let start = heads.count
            TLVBuilder.appendHead(tag, count: count, to: &heads)
            present.append((tag, start..<heads.count))
            total += heads.count - start + count
        }
        return SecretBytes(count: total) { record in
            var position = 0
            func put(_ bytes: UnsafeRawBufferPointer) {
                UnsafeMutableRawBufferPointer(rebasing: record[position...]).copyMemory(from: bytes)
                position += bytes.count
            }
            for (tag, head) in present {
                heads[head].withUnsafeBytes(put)
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
