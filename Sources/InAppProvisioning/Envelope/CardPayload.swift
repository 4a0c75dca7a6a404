// SPDX-License-Identifier: Apache-2.0

internal import ISO7816
public import WalletCrypto

/// A card as its issuer knows it. Never printed.
public struct CardDetails: Hashable, Sendable, Concealed {
    /// The digits of the card number.
    public let primaryAccountNumber: String
    /// `MM/YY`.
    public let expiration: String
    /// The cardholder's name.
    public let name: String

    /// A card whose data can be those of one: 12 to 19 digits with a check digit, a month of 01 to 12, a name.
    /// - Throws: `invalidCard`.
    public init(primaryAccountNumber: String, expiration: String, name: String) throws(ProvisioningError) {
        guard CardNumber.isValid(primaryAccountNumber) else {
            throw ProvisioningError(
                .invalidCard, "The card number must have 12 to 19 digits and a check digit that fits (ISO/IEC 7812-1)")
        }
        guard CardExpiration(expiration) != nil else {
            throw ProvisioningError(.invalidCard, "The expiration must be written MM/YY")
        }
        guard !name.trimmed.isEmpty else { throw ProvisioningError(.invalidCard, "The cardholder's name is empty") }
        (self.primaryAccountNumber, self.expiration, self.name) = (primaryAccountNumber, expiration, name)
    }

    /// The last four digits, which may be shown.
    public var suffix: String { String(primaryAccountNumber.suffix(4)) }
}

/// A card whose number the network has encrypted already (Visa's MBPAD), so that no clear number passes.
///
/// Which further keys Wallet wants is not public; `version` and `productType` are what processors list.
public struct NetworkEncryptedCard: Hashable, Sendable, Concealed {
    /// Base64 of the ASCII text of the network's block.
    public var encryptedPrimaryAccountNumber: String
    /// The first digits of the card number.
    public var primaryAccountNumberPrefix: String
    /// The network, such as `Visa`.
    public var networkName: String
    /// The cardholder's name.
    public var name: String
    /// Version of the data, such as `1`.
    public var version: String?
    /// Product name agreed with the wallet's operator, such as `DEFAULT_VISA`.
    public var productType: String?

    /// A card from its parts.
    public init(
        encryptedPrimaryAccountNumber: String, primaryAccountNumberPrefix: String, networkName: String, name: String,
        version: String? = nil, productType: String? = nil
    ) {
        self.encryptedPrimaryAccountNumber = encryptedPrimaryAccountNumber
        self.primaryAccountNumberPrefix = primaryAccountNumberPrefix
        (self.networkName, self.name) = (networkName, name)
        (self.version, self.productType) = (version, productType)
    }
}

/// What stands in the envelope: all values are strings (Apple documentation; FASTTACK for the second form).
public enum CardPayload: Hashable, Sendable, Concealed {
    /// With the card number in clear.
    case clear(CardDetails)
    /// With the number as the network encrypted it.
    case networkEncrypted(NetworkEncryptedCard)

    /// The plaintext for one request: nonce and its signature are copied into it, in lower-case hex.
    public func json(nonce: [UInt8], nonceSignature: [UInt8]) -> SecretBytes {
        var members = fields.map { JSONValue.Member($0.name, .string($0.value)) }
        members.append(JSONValue.Member("nonce", .string(BlobEncoding.hex.encode(nonce))))
        members.append(JSONValue.Member("nonceSignature", .string(BlobEncoding.hex.encode(nonceSignature))))
        var bytes = JSONValue.object(members).utf8
        defer { for index in bytes.indices { bytes[index] = 0 } }
        return SecretBytes(copying: bytes)
    }

    private var fields: [(name: String, value: String)] {
        switch self {
        case .clear(let card):
            [
                ("primaryAccountNumber", card.primaryAccountNumber), ("expiration", card.expiration),
                ("name", card.name),
            ]
        case .networkEncrypted(let card):
            [
                ("encryptedPrimaryAccountNumber", card.encryptedPrimaryAccountNumber),
                ("primaryAccountNumberPrefix", card.primaryAccountNumberPrefix), ("networkName", card.networkName),
                ("name", card.name),
            ]
                + [("version", card.version), ("productType", card.productType)].compactMap { name, value in
                    value.map { (name, $0) }
                }
        }
    }
}

/// Card numbers (ISO/IEC 7812-1).
enum CardNumber {
    static let lengths = 12...19

    /// Digits only, of a length that occurs, with a check digit that fits (annex B).
    static func isValid(_ digits: String) -> Bool {
        lengths.contains(digits.utf8.count) && isNumeric(digits) && AccountNumber.isLuhnValid(digits)
    }

    static func isNumeric(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// Whether a text has a run of digits (blanks and hyphens between them allowed) that could be a card number.
    static func isContained(in text: String) -> Bool {
        var digits: [UInt8] = []
        for byte in Array(text.utf8) + [0] {
            if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
                digits.append(byte)
            } else if byte != 0x20, byte != 0x2D {
                if holdsNumber(digits) { return true }
                digits = []
            }
        }
        return false
    }

    private static func holdsNumber(_ digits: [UInt8]) -> Bool {
        // 13 to 16 and 19 digits are what cards have; shorter runs are dates and amounts.
        [13, 14, 15, 16, 19].contains(digits.count) && AccountNumber.isLuhnValid(digits.map { $0 - 0x30 })
    }
}

/// `MM/YY` (Apple documentation: `11/18`).
struct CardExpiration: Hashable {
    let month: Int
    let year: Int

    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && CardNumber.isNumeric(String($0)) }),
            let month = Int(parts[0]), let year = Int(parts[1]), (1...12).contains(month)
        else { return nil }
        (self.month, self.year) = (month, 2000 + year)
    }
}
