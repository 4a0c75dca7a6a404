// SPDX-License-Identifier: Apache-2.0

package import BERTLV
package import EMVContactless
internal import ISO7816

/// Which protocol gives tags their meaning.
package enum DecodingContext: Hashable, Sendable {
    /// The pass exchange (Apple VAS).
    case vas(VASPart?)
    /// A payment, in the meaning of one kernel or of EMV alone.
    case payment(TagContext)

    /// Names on the command line. The scheme's name stands for its kernel.
    package static let names: [(name: String, context: DecodingContext)] = [
        ("emv", .payment(.emv)), ("vas", .vas(nil)),
        ("kernel2", .payment(.kernel2)), ("mastercard", .payment(.kernel2)),
        ("kernel3", .payment(.kernel3)), ("visa", .payment(.kernel3)),
        ("kernel4", .payment(.kernel4)), ("amex", .payment(.kernel4)),
        ("kernel5", .payment(.kernel5)), ("jcb", .payment(.kernel5)),
        ("kernel6", .payment(.kernel6)), ("discover", .payment(.kernel6)),
        ("kernel7", .payment(.kernel7)), ("unionpay", .payment(.kernel7)),
        ("kernel8", .payment(.kernel8)), ("interac", .payment(.interac)),
    ]

    package init?(name: String) {
        guard let row = Self.names.first(where: { $0.name == name.lowercased() }) else { return nil }
        self = row.context
    }

    /// The first name that stands for it.
    package var name: String {
        if case .vas = self { return "vas" }
        return Self.names.first { $0.context == self }?.name ?? "emv"
    }

    /// The dictionary's context.
    package var tags: TagContext {
        switch self {
        case .vas: .valueAddedServices
        case .payment(let context): context
        }
    }
}

/// Finds out which protocol and which kernel bytes belong to.
package enum ContextGuess {
    /// The context of `trees`; nil when they could belong anywhere.
    package static func context(of trees: [TLVTree]) -> DecodingContext? {
        guard let first = trees.first else { return nil }
        if let part = vasPart(first) { return .vas(part) }
        let objects = trees.flatMap(leaves)
        for object in objects where object.tag == 0x84 || object.tag == 0x4F {
            if let context = context(ofApplication: object.bytes) { return .payment(context) }
        }
        return kernel(objects).map { .payment($0) }
    }

    /// The kernel context of an application's provider.
    package static func context(ofApplication aid: [UInt8]) -> TagContext? {
        guard let kernel = KernelID.byDefault(for: aid) else { return nil }
        return kernels.first { $0.kernel == kernel }?.context
    }

    private static let kernels: [(kernel: KernelID, context: TagContext)] = [
        (0x02, .kernel2), (0x03, .kernel3), (0x04, .kernel4), (0x05, .kernel5), (0x06, .kernel6), (0x07, .kernel7),
        (0x08, .kernel8), (.interac, .interac),
    ]

    /// Visa first: where lengths do not tell two kernels apart, the most common one is meant.
    private static let candidates: [TagContext] = [
        .kernel3, .kernel2, .kernel4, .kernel7, .kernel6, .kernel5, .kernel8, .interac,
    ]

    /// A wallet's answer to SELECT has a name in tag 50 and its versions; pass data is longer than one byte
    /// (kormax/apple-vas README).
    private static func vasPart(_ tree: TLVTree) -> VASPart? {
        let objects = leaves(tree)
        switch tree.object.tag {
        case 0x6F:
            let isWallet = objects.contains { [0x9F21, 0x9F23, 0x9F24].contains($0.tag) && $0.value.count <= 4 }
            let names = objects.filter { $0.tag == 0x50 }.map { String(decoding: $0.value, as: UTF8.self) }
            return isWallet || !names.filter { wallets.contains($0) }.isEmpty ? .selectAnswer : nil
        case 0x70:
            let isData = objects.contains { $0.tag == 0x9F27 && $0.value.count > 1 || $0.tag == 0x9F2A }
            return isData ? .getVASDataAnswer : nil
        default: return nil
        }
    }

    private static let wallets: Set<String> = ["ApplePay", "AndroidPay", "SamsungPay"]

    /// The kernel whose own tags occur most often, with lengths that fit; nil when none has any.
    private static func kernel(_ objects: [TLV]) -> TagContext? {
        var best: (context: TagContext, count: Int)?
        for context in candidates {
            let count = objects.count { object in
                TagDictionary.standard.meanings(of: object.tag).contains {
                    $0.context == context && $0.lengths.contains(object.value.count)
                }
            }
            if count > best?.count ?? 0 { best = (context, count) }
        }
        return best?.context
    }

    package static func leaves(_ tree: TLVTree) -> [TLV] {
        tree.object.tag.isConstructed ? tree.children.flatMap(leaves) : [tree.object]
    }
}
