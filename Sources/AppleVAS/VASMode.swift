// SPDX-License-Identifier: Apache-2.0

/// What the terminal asks a phone for: loyalty data, a payment, or both.
///
/// The raw value stands in the last two bits of tag 9F26 and is the last byte of the polling frame (kormax/apple-vas
/// README, "Terminal capabilities"). The names differ between sources; the numbers do not.
public enum VASMode: UInt8, Hashable, Sendable, CaseIterable {
    /// 0: when a pass was read, the payment is skipped. Also called "VAS over payment".
    case vasOrPayment = 0
    /// 1: both in one tap, the pass first. Also called "single tap".
    case vasAndPayment = 1
    /// 2: the phone proposes the matching pass and no card.
    case vasOnly = 2
    /// 3: no pass is asked for.
    case paymentOnly = 3
}

/// Tag 9F26, four bytes: what the terminal is and wants (kormax/apple-vas README, "Terminal capabilities").
public struct VASTerminalCapabilities: Hashable, Sendable {
    /// The mode, bits 2 and 1 of the last byte.
    public var mode: VASMode
    /// Whether another GET VAS DATA follows in this tap, bit 8 of the last byte.
    public var moreFollows: Bool
    /// The second byte: bit 8 VAS supported, bit 7 user authentication wanted, low half the terminal type (0 payment,
    /// 1 transit, 2 access, 3 wireless hand-off, 4 app hand-off, F other).
    ///
    /// Phones answer alike to `80` and to `00` (kormax/apple-vas trace; flomio/passninja-cli).
    public var terminalType: UInt8

    /// Capabilities; the second byte is `80` unless told otherwise.
    public init(mode: VASMode, moreFollows: Bool = false, terminalType: UInt8 = 0x80) {
        (self.mode, self.moreFollows, self.terminalType) = (mode, moreFollows, terminalType)
    }

    /// The four bytes as sent: `00 80 00 02` for the only merchant of a VAS-only tap.
    public var bytes: [UInt8] { [0, terminalType, 0, mode.rawValue | (moreFollows ? 0x80 : 0)] }
}
