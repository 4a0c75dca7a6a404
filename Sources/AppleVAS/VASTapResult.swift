// SPDX-License-Identifier: Apache-2.0

public import ISO7816

/// How a tap ended. None of these is an error.
public enum VASTapResult: Sendable {
    /// The card does not know `OSE.VAS.01`: a plain card, or a phone whose wallet is off. 6A82, rarely another word.
    case notAWallet(StatusWord)
    /// A wallet that speaks another protocol, or none that is known; ``VASSelection/wallet`` names it.
    case otherWallet(VASSelection)
    /// An Apple wallet, with an answer for each merchant in order.
    case applePay(VASSelection, entries: [VASEntry])
    /// The mode was ``VASMode/paymentOnly``: nothing was sent.
    case paymentOnly

    /// What the wallet said of itself, if one answered.
    public var selection: VASSelection? {
        switch self {
        case .applePay(let selection, _), .otherWallet(let selection): selection
        case .notAWallet, .paymentOnly: nil
        }
    }

    /// The answers; empty unless an Apple wallet answered.
    public var entries: [VASEntry] {
        if case .applePay(_, let entries) = self { entries } else { [] }
    }
}
