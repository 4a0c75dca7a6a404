// SPDX-License-Identifier: Apache-2.0

package import BERTLV
package import EMVContactless
internal import ISO7816

/// What a payment object's value says. Cardholder data is left to ``CardLines``.
package enum ObjectLines {
    package static func lines(_ tag: TLVTag, _ value: [UInt8], in context: TagContext) -> [String] {
        guard !CardholderMask.hidden.contains(tag) else { return [] }
        if let reader = readers[tag] { return reader(value, context) }
        let words = ObjectWords(tag, value, in: context)
        guard words.isSensitive else { return words.lines }
        return BitFields.words(for: tag, in: context, value)
    }

    private static let readers: [TLVTag: @Sendable ([UInt8], TagContext) -> [String]] = [
        0x4F: { value, _ in ApplicationNames.words(value) },
        0x84: { value, _ in ApplicationNames.words(value) },
        0x9F06: { value, _ in ApplicationNames.words(value) },
        0x9F10: { value, context in IssuerData.words(value, context) },
        0x9F2A: { value, _ in KernelID(value).map { ["kernel \($0)"] } ?? ["no kernel: the provider's default"] },
        0x5F24: { value, _ in date(value) },
        0x82: profile,
        0x8E: { value, _ in
            guard let list = try? CardholderVerificationList(value) else { return [] }
            return ["X = \(list.amountX), Y = \(list.amountY) in minor units"] + list.rules.map(\.words)
        },
        0x9C: { value, _ in value.first.flatMap { transactionTypes[$0] }.map { [$0] } ?? [] },
        0x9F36: { value, _ in value.count == 2 ? ["\(Int(value[0]) << 8 | Int(value[1]))"] : [] },
        0x9F02: { value, _ in amount(value) }, 0x9F03: { value, _ in amount(value) },
    ]

    /// The second byte is each kernel's own: the general words for it are those of kernels 2 and 4.
    @Sendable private static func profile(_ value: [UInt8], _ context: TagContext) -> [String] {
        let words = BitFields.words(for: 0x82, in: context, value)
        guard ![.emv, .kernel2, .kernel4].contains(context) else { return words }
        let first = Array(value.prefix(1))
        return BitFields.words(for: 0x82, in: context, first)
    }

    /// ISO 8583, field 3, as EMV's test terminals use it.
    private static let transactionTypes: [UInt8: String] = [
        0x00: "purchase", 0x01: "cash", 0x09: "purchase with cashback", 0x20: "refund",
    ]

    private static func date(_ value: [UInt8]) -> [String] {
        guard let date = EMVDate(bcd: value) else { return [] }
        return ["\(date.year)-\(two(date.month))-\(two(date.day))"]
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static func amount(_ value: [UInt8]) -> [String] {
        let digits = Hex.encode(value)
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = UInt64(digits) else { return [] }
        return ["\(number) minor units"]
    }
}

/// What may be said about cardholder data: an account number's ends, and everything when the mask is off.
package enum CardLines {
    package static func lines(_ tag: TLVTag, _ value: [UInt8], _ mask: CardholderMask) -> [String] {
        switch tag {
        case 0x5A: account(AccountNumber.digits(value), mask)
        case 0x57, 0x9F6B:
            (try? Track2(value)).map { track in
                account(track.pan, mask) + (mask.isOff ? dates(track.expiry, track.serviceCode) : [])
            } ?? []
        case 0x56:
            (try? Track1(value)).map { track in
                account(track.pan, mask)
                    + (mask.isOff
                        ? ["name \(Printable.text(track.name))"] + dates(track.expiry, track.serviceCode) : [])
            } ?? []
        case 0x5F20, 0x9F0B, 0x9F1F:
            mask.isOff ? [Printable.text(String(decoding: value, as: UTF8.self))] : []
        default: []
        }
    }

    private static func account(_ pan: String, _ mask: CardholderMask) -> [String] {
        let check = AccountNumber.isLuhnValid(pan) ? "check digit right" : "check digit wrong"
        return ["account number \(mask.isOff ? pan : AccountNumber.masked(pan)), \(check)"]
    }

    private static func dates(_ expiry: String?, _ serviceCode: String?) -> [String] {
        [expiry.map { "expiry \($0) (YYMM)" }, serviceCode.map { "service code \($0)" }].compactMap { $0 }
    }
}

/// Issuer application data, tag 9F10: its form is the scheme's own (EMV Book 3, Annex C7; forms as
/// binaryfoo/emv-bertlv and openemv/emv-utils read them).
enum IssuerData {
    static func words(_ value: [UInt8], _ context: TagContext) -> [String] {
        switch context {
        case .kernel3: visa(value)
        case .kernel2: mChip(value)
        case .emv: visa(value).isEmpty ? mChip(value) : visa(value)
        default: []
        }
    }

    /// Format 0, 1, 3: length 06 or more, key index, cryptogram version, four bytes of results. Format 2: 1F, version,
    /// key index, five bytes of results.
    private static func visa(_ value: [UInt8]) -> [String] {
        guard value.count >= 7, value[0] == 0x06 || value[0] == 0x1F else { return [] }
        let isLong = value[0] == 0x1F
        let (version, index) = isLong ? (value[1], value[2]) : (value[2], value[1])
        let head = ["cryptogram version \(Hex.encode([version]))", "derivation key index \(Hex.encode([index]))"]
        guard !isLong else { return head }
        return head + BitFields.words(for: 0x9F10, in: .kernel3, Array(value[3..<7]))
    }

    /// Key index, cryptogram version, six bytes of results; 18, 20, 26 or 28 bytes in all.
    private static func mChip(_ value: [UInt8]) -> [String] {
        guard [18, 20, 26, 28].contains(value.count) else { return [] }
        return [
            "cryptogram version \(Hex.encode([value[1]]))", "derivation key index \(Hex.encode([value[0]]))",
        ] + BitFields.words(for: 0x9F10, in: .kernel2, Array(value[2..<8]))
    }
}
