// SPDX-License-Identifier: Apache-2.0

import BERTLV
import Foundation
import ISO7816
import WalletCrypto

@testable import ProximityReader

/// Taps put together from parts, to a published test number: what a wallet or a card answers to one command each.
enum Composed {
    typealias Tap = [RecordedExchange]

    static let visa = "A0000000031010"
    static let pan = "4761739001010119"

    static func bytes(_ hex: String) -> [UInt8] { (try? Hex.decode(hex)) ?? [] }

    private static func tlv(_ tag: String, _ value: [UInt8]) -> [UInt8] {
        bytes(tag) + (value.count < 128 ? [] : [0x81]) + [UInt8(truncatingIfNeeded: value.count)] + value
    }

    private static func select(_ name: [UInt8], _ answer: [UInt8]) -> RecordedExchange {
        RecordedExchange(command: [0, 0xA4, 4, 0, UInt8(name.count)] + name + [0], response: answer)
    }

    // MARK: Passes

    private static let environment = Array("OSE.VAS.01".utf8)

    /// The wallet's answer to SELECT; `armed` when its owner has authenticated a payment card.
    static func wallet(_ name: String = "ApplePay", armed: Bool = true) -> RecordedExchange {
        let apple = tlv("9F21", [1, 0]) + tlv("9F24", [1, 2, 3, 4]) + tlv("9F23", [0, 0, 0, armed ? 0x3E : 0x1E])
        let content = tlv("50", Array(name.utf8)) + (name == "ApplePay" ? apple : [])
        return select(environment, tlv("6F", content) + [0x90, 0])
    }

    /// A card that is no wallet.
    static func noWallet(_ status: String = "6A82") -> RecordedExchange { select(environment, bytes(status)) }

    /// The answer for one pass: 60 bytes of it, or another status word.
    static func pass(_ merchant: String, _ status: String = "9000") -> RecordedExchange {
        let data = tlv("9F25", Digest.sha256(Array(merchant.utf8)))
        let answer =
            status == "9000" ? tlv("70", tlv("9F2A", []) + tlv("9F27", [UInt8](repeating: 0x5A, count: 60))) : []
        return RecordedExchange(
            command: [0x80, 0xCA, 1, 1, UInt8(data.count)] + data + [0], response: answer + bytes(status))
    }

    // MARK: Payment

    /// The directory: application names in the card's order of preference.
    static func directory(_ names: [String] = [visa]) -> RecordedExchange {
        let name = Array("2PAY.SYS.DDF01".utf8)
        let entries = names.enumerated().flatMap { index, aid in
            tlv("61", tlv("4F", bytes(aid)) + tlv("87", [UInt8(index + 1)]))
        }
        return select(name, tlv("6F", tlv("84", name) + tlv("A5", tlv("BF0C", entries))) + [0x90, 0])
    }

    static func noDirectory(_ status: String = "6A82") -> RecordedExchange {
        select(Array("2PAY.SYS.DDF01".utf8), bytes(status))
    }

    /// An application whose PDOL asks for the qualifiers, the amount and the number.
    static func application(_ aid: String = visa) -> RecordedExchange {
        let content =
            tlv("84", bytes(aid)) + tlv("A5", tlv("50", Array("TEST".utf8)) + tlv("9F38", bytes("9F66049F02069F3704")))
        return select(bytes(aid), tlv("6F", content) + [0x90, 0])
    }

    static func processing(_ answer: [UInt8]) -> RecordedExchange {
        RecordedExchange(command: [0x80, 0xA8, 0, 0, 0], response: answer)
    }

    /// Everything in the answer to GPO: an online cryptogram (80), a decline (00), an approval (40).
    static func paid(cid: UInt8 = 0x80, cryptogram: UInt8 = 0xC3, pan: String = pan) -> RecordedExchange {
        let content =
            tlv("82", [0x00, 0x40]) + tlv("57", bytes(pan + "D28122010000000000000F")) + tlv("5F34", [1])
            + tlv("9F10", bytes("06011203A0B800")) + tlv("9F26", [UInt8](repeating: cryptogram, count: 8))
            + tlv("9F27", [cid]) + tlv("9F36", [0, 0x64]) + tlv("9F6C", [0, 0x80])
        return processing(tlv("77", content) + [0x90, 0])
    }

    static func refused(_ status: String) -> RecordedExchange { processing(bytes(status)) }

    /// A card that pays, from its directory on.
    static let payment: Tap = [directory(), application(), paid()]
}
