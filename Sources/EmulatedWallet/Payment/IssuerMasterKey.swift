// SPDX-License-Identifier: Apache-2.0

public import WalletCrypto

/// An issuer's master key for cryptograms: two-key triple DES, from which each card's key comes.
///
/// The card's side, and the host's that checks it. Nothing prints the key.
public struct IssuerMasterKey: Sendable, CustomStringConvertible {
    /// How a card's key comes from the account number (EMV Book 2, A1.4).
    public enum Derivation: String, Hashable, Sendable {
        /// Option A: the last 16 digits of number and sequence number.
        case optionA = "A"
        /// Option B: as A up to 16 digits; a decimalised SHA-1 beyond.
        case optionB = "B"
    }

    private let key: SecretBytes

    /// Takes 16 bytes.
    ///
    /// - Throws: code `invalidKey`.
    public init(_ bytes: some Collection<UInt8>) throws(CryptoError) {
        guard bytes.count == 16 else { throw CryptoError(.invalidKey, "an issuer master key has 16 bytes") }
        key = SecretBytes(copying: bytes)
    }

    /// The key that public test material uses everywhere, and that emulated cards use: `0123456789ABCDEF`,
    /// `FEDCBA9876543210`.
    public static let published = IssuerMasterKey(published: ())

    private init(published: Void) {
        key = SecretBytes(copying: [
            0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0xFE, 0xDC, 0xBA, 0x98, 0x76, 0x54, 0x32, 0x10,
        ])
    }

    /// The master key of one card.
    ///
    /// - Parameters:
    ///   - pan: the account number, 1 to 19 digits.
    ///   - sequenceNumber: tag 5F34, two digits; `00` for a card without.
    ///   - derivation: option A or B.
    /// - Throws: code `invalidParameter` for anything but digits.
    public func cardKey(
        pan: String, sequenceNumber: String = "00", derivation: Derivation = .optionA
    ) throws(CryptoError) -> CardKey {
        guard (1...19).contains(pan.utf8.count), sequenceNumber.utf8.count == 2,
            let digits = DecimalDigits(pan + sequenceNumber)
        else { throw CryptoError(.invalidParameter, "an account number has 1 to 19 digits, a sequence number 2") }
        let isLong = derivation == .optionB && pan.utf8.count > 16
        let block = isLong ? digits.decimalisedHash : digits.lastSixteen
        let left = try TripleDES.encrypt(block, key: key)
        let right = try TripleDES.encrypt(block.map { ~$0 }, key: key)
        return CardKey(oddParity: left + right)
    }

    /// The length only.
    public var description: String { "<issuer master key>" }
}

extension IssuerMasterKey: CustomReflectable {
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Decimal digits, packed two to a byte.
private struct DecimalDigits {
    let digits: [UInt8]

    init?(_ text: String) {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        digits = text.utf8.map { $0 - 0x30 }
    }

    /// Option A: the last 16 digits, zeros in front of fewer.
    var lastSixteen: [UInt8] { Self.pack([UInt8](repeating: 0, count: 16) + digits) }

    /// Option B: of SHA-1 over the packed digits the first 16 decimal digits; where there are not enough, the letters
    /// A to F in order as 0 to 5.
    var decimalisedHash: [UInt8] {
        let packed = Self.pack(digits.count.isMultiple(of: 2) ? digits : [0] + digits, count: (digits.count + 1) / 2)
        let nibbles = Digest.sha1(packed).flatMap { [$0 >> 4, $0 & 15] }
        let chosen = nibbles.filter { $0 < 10 } + nibbles.filter { $0 > 9 }.map { $0 - 10 }
        return Self.pack(Array(chosen.prefix(16)))
    }

    private static func pack(_ digits: [UInt8], count: Int = 8) -> [UInt8] {
        let digits = Array(digits.suffix(count * 2))
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
