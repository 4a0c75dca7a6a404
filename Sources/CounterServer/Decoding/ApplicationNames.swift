// SPDX-License-Identifier: Apache-2.0

internal import EMVContactless
internal import ISO7816

/// Providers and applications by their identifiers, for people.
enum ApplicationNames {
    /// Registered application providers (ISO/IEC 7816-5 registrations as smartcardfyi.com and openemv/emv-utils list
    /// them).
    static let providers: [(rid: [UInt8], name: String)] = [
        ([0xA0, 0x00, 0x00, 0x00, 0x03], "Visa"), ([0xA0, 0x00, 0x00, 0x00, 0x04], "Mastercard"),
        ([0xA0, 0x00, 0x00, 0x00, 0x25], "American Express"), ([0xA0, 0x00, 0x00, 0x00, 0x65], "JCB"),
        ([0xA0, 0x00, 0x00, 0x01, 0x52], "Discover"), ([0xA0, 0x00, 0x00, 0x03, 0x24], "Discover (ZIP)"),
        ([0xA0, 0x00, 0x00, 0x03, 0x33], "UnionPay"), ([0xA0, 0x00, 0x00, 0x02, 0x77], "Interac"),
        ([0xA0, 0x00, 0x00, 0x00, 0x42], "Cartes Bancaires"), ([0xA0, 0x00, 0x00, 0x03, 0x59], "girocard"),
        ([0xD2, 0x76, 0x00, 0x00, 0x25], "girocard"),
    ]

    /// `Visa`; nil for a provider that is not in the table.
    static func provider(of aid: [UInt8]) -> String? {
        providers.first { aid.starts(with: $0.rid) }?.name
    }

    /// `Visa, kernel 03`, or the text that the name spells.
    static func words(_ aid: [UInt8]) -> [String] {
        if aid.count > 5, aid.allSatisfy({ (0x20...0x7E).contains($0) }) {
            return [String(decoding: aid, as: UTF8.self)]
        }
        guard let name = provider(of: aid) else { return [] }
        return [KernelID.byDefault(for: aid).map { "\(name), kernel \($0)" } ?? name]
    }
}
