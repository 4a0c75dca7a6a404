// SPDX-License-Identifier: Apache-2.0

import BERTLV
import ISO7816

/// A command that the phone will not carry out, with the status word that says why.
struct Refusal: Error {
    let status: StatusWord
    /// Not even the status word is answered.
    private(set) var isSilent = false

    init(_ status: StatusWord) { self.status = status }

    /// No answer at all.
    static let silence: Refusal = {
        var refusal = Refusal(0x6F00)
        refusal.isSilent = true
        return refusal
    }()

    /// ISO/IEC 7816-4, 5.6.
    static let wrongLength = Refusal(0x6700)
    static let conditionsNotSatisfied = Refusal(0x6985)
    static let incorrectData = Refusal(0x6A80)
    static let notFound = Refusal(0x6A82)
    static let wrongParameters = Refusal(0x6B00)
    static let unknownInstruction = Refusal(0x6D00)
    static let unknownClass = Refusal(0x6E00)
}

/// The data of GET VAS DATA, checked in the order in which a phone does (kormax/apple-vas README and PR #2).
///
/// Terminal capabilities (9F26) are checked for their length only: on passes no value of theirs ever had an effect. The
/// same goes for the nonce (9F28), and unknown tags are ignored.
struct VASCommand {
    /// Tag 9F25: SHA-256 of the pass type identifier; nil in a URL-only command.
    var merchantID: [UInt8]?
    /// Tag 9F29: printable ASCII, or nil.
    var url: String?
    /// Bits 2 and 1 of the last byte of 9F26: what the reader wants beside the pass.
    private(set) var mode: Mode

    /// Modes of a terminal (kormax/apple-vas README).
    enum Mode: UInt8 {
        case passOrPayment, passAndPayment, passOnly, paymentOnly
    }

    /// Lengths that tags must have, as far as they are fixed.
    private static let lengths: [TLVTag: Int] = [0x9F22: 2, 0x9F25: 32, 0x9F26: 4, 0x9F28: 4, 0x9F2B: 5]

    init(_ data: ArraySlice<UInt8>, urlOnly: Bool, version: [UInt8]) throws(Refusal) {
        guard let objects = try? TLV.read(data, rules: .lenient) else { throw Refusal.wrongLength }
        for object in objects {
            if let length = Self.lengths[object.tag], object.value.count != length { throw Refusal.wrongLength }
        }
        guard let requested = objects.first(0x9F22) else { throw Refusal.incorrectData }
        guard requested.bytes == version else { throw Refusal(0x6340) }
        guard let capabilities = objects.first(0x9F26)?.value else { throw Refusal.incorrectData }
        mode = Mode(rawValue: (capabilities.last ?? 0) & 3) ?? .passAndPayment
        url = Self.url(in: objects)
        if urlOnly {
            guard url != nil else { throw Refusal.incorrectData }
        } else {
            try Self.checkFilter(in: objects)
            guard let merchant = objects.first(0x9F25) else { throw Refusal.incorrectData }
            merchantID = merchant.bytes
        }
    }

    /// First byte of 9F2B as an iPhone took it: 01 filters nothing, 02 finds nothing, others are an error
    /// (kormax/apple-vas PR #2).
    private static func checkFilter(in objects: [TLV]) throws(Refusal) {
        switch objects.first(0x9F2B)?.value.first {
        case nil, 0x01: return
        case 0x02: throw Refusal(0x6A83)
        default: throw Refusal.incorrectData
        }
    }

    private static func url(in objects: [TLV]) -> String? {
        guard let bytes = objects.first(0x9F29)?.value, !bytes.isEmpty else { return nil }
        guard bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
