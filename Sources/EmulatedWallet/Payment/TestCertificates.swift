// SPDX-License-Identifier: Apache-2.0

import ISO7816
import WalletCrypto

/// Certificates and signatures under the published test keys (EMV Book 2, 5 and 6).
enum TestCertificates {
    /// Index of the authority's key under each provider, tag 8F. No published test or live key has it.
    static let authorityIndex: UInt8 = 0x7E

    static let authority = key(PublishedTestKeys.authority)
    static let issuer = key(PublishedTestKeys.issuer)
    static let card = key(PublishedTestKeys.card)

    private static func key(_ numbers: (modulus: String, privateExponent: String)) -> RSAPrivateKey? {
        guard let modulus = try? Hex.decode(numbers.modulus), let secret = try? Hex.decode(numbers.privateExponent)
        else { return nil }
        return try? RSAPrivateKey(modulus: modulus, privateExponent: secret, publicExponent: [3])
    }

    /// The issuer's certificate (tag 90) and the rest of its key (tag 92).
    ///
    /// - Parameter expiry: MMYY.
    static func issuerCertificate(pan: String, expiry: [UInt8]) -> (certificate: [UInt8], remainder: [UInt8])? {
        guard let authority, let issuer else { return nil }
        let identifier = packed(String(pan.prefix(6)), count: 4)
        let head = [0x02] + identifier + expiry + [0, 0, 1, 1, 1, byte(issuer.modulus.count), 1]
        return certify(issuer, head: head, by: authority, overhead: 36, also: [])
    }

    /// The card's certificate (tag 9F46) and the rest of its key (tag 9F48).
    static func cardCertificate(
        pan: String, expiry: [UInt8], staticData: [UInt8]
    ) -> (certificate: [UInt8], remainder: [UInt8])? {
        guard let issuer, let card else { return nil }
        let head = [0x04] + packed(pan, count: 10) + expiry + [0, 0, 2, 1, 1, byte(card.modulus.count), 1]
        return certify(card, head: head, by: issuer, overhead: 42, also: staticData)
    }

    /// Signed static application data, tag 93.
    static func staticSignature(code: [UInt8], staticData: [UInt8]) -> [UInt8]? {
        issuer.flatMap { sign([0x03, 0x01] + code, by: $0, also: staticData) }
    }

    /// Signed dynamic application data, tag 9F4B.
    ///
    /// - Parameters:
    ///   - data: length and dynamic number, and with CDA cryptogram information, cryptogram and hash.
    ///   - also: what the terminal gave.
    static func dynamicSignature(_ data: [UInt8], also: [UInt8]) -> [UInt8]? {
        card.flatMap { sign([0x05, 0x01, byte(data.count)] + data, by: $0, also: also) }
    }

    private static func certify(
        _ key: RSAPrivateKey, head: [UInt8], by signer: RSAPrivateKey, overhead: Int, also: [UInt8]
    ) -> (certificate: [UInt8], remainder: [UInt8])? {
        let room = signer.modulus.count - overhead
        let remainder = Array(key.modulus.dropFirst(room))
        let certificate = sign(head + key.modulus.prefix(room), by: signer, also: remainder + key.publicExponent + also)
        return certificate.map { ($0, remainder) }
    }

    /// Header, content filled up with `BB`, hash, trailer; then the private operation (EMV Book 2, A2.1).
    private static func sign(_ content: [UInt8], by key: RSAPrivateKey, also: [UInt8]) -> [UInt8]? {
        let room = key.modulus.count - 22
        guard content.count <= room else { return nil }
        let filled = content + [UInt8](repeating: 0xBB, count: room - content.count)
        return try? key.sign(rawBlock: [0x6A] + filled + Digest.sha1(filled + also) + [0xBC])
    }

    /// Digits two to a byte, `F` behind.
    static func packed(_ digits: String, count: Int) -> [UInt8] {
        let nibbles = digits.utf8.map { ($0 &- 0x30) & 15 } + [UInt8](repeating: 15, count: count * 2)
        return (0..<count).map { nibbles[2 * $0] << 4 | nibbles[2 * $0 + 1] }
    }

    private static func byte(_ count: Int) -> UInt8 { UInt8(truncatingIfNeeded: count) }
}

/// What a reader must know about the emulated cards.
public enum EmulatedCards {
    /// The account numbers that the cards have by default: each network's plastic and phone. Published test numbers.
    package static let accountNumbers = PaymentNetwork.allCases.flatMap { network in
        NetworkProfile.all[network].map { [$0.plastic.pan, $0.phone.pan] } ?? []
    }

    /// The authority's public key under every network's provider, as `AuthorityKeys(json:)` of EMVContactless reads it:
    /// `{"use":"test","keys":[{"rid","index","modulus","exponent","sha1Check"}]}`.
    ///
    /// A throw-away test key, the same in every process. Never trust it outside tests.
    public static let authorityKeysJSON: String = {
        let modulus = PublishedTestKeys.authority.modulus
        let index = Hex.encode([TestCertificates.authorityIndex])
        let providers = Set(PaymentNetwork.allCases.map(\.provider)).sorted { $0.lexicographicallyPrecedes($1) }
        let rows = providers.map { provider in
            let key = (try? Hex.decode(modulus)) ?? []
            let check = Digest.sha1(provider + [TestCertificates.authorityIndex] + key + [3])
            return #"{"rid":"\#(Hex.encode(provider))","index":"\#(index)","modulus":"\#(modulus)","exponent":"03","#
                + #""sha1Check":"\#(Hex.encode(check))"}"#
        }
        return #"{"use":"test","keys":["# + rows.joined(separator: ",\n") + "]}\n"
    }()
}
