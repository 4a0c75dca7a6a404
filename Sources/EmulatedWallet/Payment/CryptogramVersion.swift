// SPDX-License-Identifier: Apache-2.0

import ISO7816
public import WalletCrypto

/// How one cryptogram version of one network is computed and answered: a row of a table.
///
/// Sources: EMV Book 2, 8.1 and Annex A1; the versions' parts as knovichikhin/pyemv documents them. Amex, Discover,
/// UnionPay and JCB publish nothing: their rows are this project's own choice, so that a host can check these cards.
public struct CryptogramVersion: Hashable, Sendable {
    /// How the session key comes from the card's master key.
    public enum SessionKey: Hashable, Sendable {
        /// The card's master key itself.
        case masterKey
        /// EMV common session key: the transaction counter, six zero bytes.
        case common
        /// Mastercard's: the transaction counter, two zero bytes, the unpredictable number.
        case unpredictable
    }

    /// How the issuer's answer is computed.
    public enum Answer: Hashable, Sendable {
        /// EMV Book 2, 8.2.1, with the card's master key.
        case method1MasterKey
        /// EMV Book 2, 8.2.1, with the session key.
        case method1SessionKey
        /// EMV Book 2, 8.2.2, with the session key.
        case method2SessionKey
    }

    /// The network.
    public let network: PaymentNetwork
    /// The version's number, decimal as it is spoken of: 10, 18.
    public let number: Int
    /// The session key.
    public let sessionKey: SessionKey
    /// How the data are filled up.
    public let padding: RetailMAC.Padding
    /// The issuer's answer.
    public let answer: Answer
    /// Tag 9F10 of an online cryptogram.
    let issuerData: [UInt8]
    /// The byte of 9F10 whose bits 6 and 5 tell the cryptogram's type.
    let typeIndex: Int?
    /// What of 9F10 the cryptogram covers, after the other objects.
    let covered: [Range<Int>]

    /// Tag 9F10 for a cryptogram of this type: `00` AAC, `40` TC, `80` ARQC.
    func issuerData(type: UInt8) -> [UInt8] {
        var bytes = issuerData
        if let typeIndex, bytes.indices.contains(typeIndex) {
            bytes[typeIndex] = bytes[typeIndex] & 0xCF | (type & 0xC0) >> 2
        }
        return bytes
    }

    /// The part of `issuerData` (tag 9F10) that the cryptogram covers.
    public func covered(of issuerData: [UInt8]) -> [UInt8] {
        covered.flatMap { issuerData.dropFirst($0.lowerBound).prefix($0.count) }
    }

    /// The row of a network and number, or nil.
    public static func find(_ network: PaymentNetwork, _ number: Int) -> CryptogramVersion? {
        all.first { $0.network == network && $0.number == number }
    }

    private init(
        _ network: PaymentNetwork, _ number: Int, _ sessionKey: SessionKey, _ padding: RetailMAC.Padding,
        _ answer: Answer,
        _ issuerData: String, typeIndex: Int?, _ covered: [Range<Int>]
    ) {
        (self.network, self.number, self.sessionKey) = (network, number, sessionKey)
        (self.padding, self.answer, self.covered, self.typeIndex) = (padding, answer, covered, typeIndex)
        self.issuerData = (try? Hex.decode(issuerData)) ?? []
    }

    /// A phone's 32 bytes begin as proxmark3 issue #675 shows them.
    private static let long = "1F4A6331A0" + String(repeating: "00", count: 27)
    /// Key index, version, CVR of six bytes, authentication code, counters (M/Chip).
    private static func chip(_ version: String) -> String { "01\(version)A0000322000000000000000000" + "0322FF" }

    /// All versions.
    public static let all: [CryptogramVersion] = [
        .init(.visa, 10, .masterKey, .method1, .method1MasterKey, "06010A03A0B800", typeIndex: 4, [3..<7]),
        .init(.visa, 18, .common, .method2, .method2SessionKey, "06011203A0B800", typeIndex: 4, [0..<32]),
        .init(.visa, 22, .common, .method2, .method2SessionKey, long, typeIndex: 4, [0..<32]),
        .init(.mastercard, 16, .unpredictable, .method2, .method1MasterKey, chip("10"), typeIndex: 2, [2..<8]),
        .init(
            .mastercard, 17, .unpredictable, .method2, .method1MasterKey, chip("11"), typeIndex: 2, [2..<8, 10..<18]),
        .init(.mastercard, 20, .common, .method2, .method1SessionKey, chip("14"), typeIndex: 2, [2..<8]),
        .init(.mastercard, 21, .common, .method2, .method1SessionKey, chip("15"), typeIndex: 2, [2..<8, 10..<18]),
        .init(.amex, 1, .masterKey, .method1, .method1MasterKey, "06010103A00000", typeIndex: 4, [3..<7]),
        .init(.discover, 5, .common, .method2, .method1SessionKey, "0105A000000000000000", typeIndex: 2, [2..<8]),
        .init(.unionpay, 1, .common, .method2, .method1MasterKey, "07010103A0000001", typeIndex: 4, [3..<7]),
        .init(
            .interac, 133, .unpredictable, .method2, .method1SessionKey,
            "1501850440B100000000B00000000000000000000000", typeIndex: nil, [0..<32]),
        .init(.jcb, 1, .masterKey, .method1, .method1MasterKey, "07010103A0A00001", typeIndex: 4, [3..<7]),
        .init(.jcb, 2, .common, .method2, .method1SessionKey, "07010203A0A00001", typeIndex: 4, [3..<7]),
    ]
}
