// SPDX-License-Identifier: Apache-2.0

internal import ISO7816

/// An issuer's key, certified by the payment system's authority (EMV Book 2, 5.3 and table 6).
public struct IssuerCertificate: Hashable, Sendable {
    /// First digits of the PAN, padded with `F`: four bytes.
    public let issuerIdentifier: [UInt8]
    /// MMYY.
    public let expiry: [UInt8]
    /// Three bytes.
    public let serial: [UInt8]
    /// The issuer's key.
    public let key: RecoveryKey
    /// Hash in the certificate.
    public let hash: [UInt8]

    /// Opens tag 90 with the authority's key; `remainder` is tag 92, `exponent` 9F32. The hash is checked.
    public init(
        _ certificate: [UInt8], remainder: [UInt8], exponent: [UInt8], authority: RecoveryKey
    ) throws(AuthenticationFailure) {
        let what = "issuer certificate"
        let data = try authority.recover(certificate, format: 0x02, what: what)
        issuerIdentifier = try data.field(2, 4)
        expiry = try data.field(6, 2)
        serial = try data.field(8, 3)
        let algorithms = try data.field(11, 4)
        try Certificate.checkAlgorithms(algorithms, exponent: exponent, what: what)
        let modulus = try Certificate.modulus(
            data, from: 15, length: Int(algorithms[2]), remainder: remainder, what: what)
        key = RecoveryKey(modulus: modulus, exponent: exponent)
        hash = data.hash
        guard data.isHash(with: [remainder, exponent]) else { throw .hash(what) }
    }

    /// Whether the identifier's digits begin the PAN.
    func belongs(to pan: String) -> Bool {
        let digits = AccountNumber.digits(issuerIdentifier)
        return digits.utf8.count >= 3 && pan.hasPrefix(digits)
    }
}

/// A card's key, certified by its issuer (EMV Book 2, 6.4 and table 14). Holds the PAN: cannot be printed.
struct CardCertificate: Sendable {
    /// The PAN's digits.
    let pan: String
    /// MMYY.
    let expiry: [UInt8]
    /// Three bytes.
    let serial: [UInt8]
    /// The card's key.
    let key: RecoveryKey
    /// What was recovered; the hash needs the static data too.
    private let data: RecoveredData
    private let remainder: [UInt8]

    /// Hash in the certificate.
    var hash: [UInt8] { data.hash }

    /// Opens tag 9F46 with the issuer's key; `remainder` is 9F48, `exponent` 9F47. ``isHashValid(staticData:)`` is the
    /// caller's to ask.
    init(
        _ certificate: [UInt8], remainder: [UInt8], exponent: [UInt8], issuer: RecoveryKey
    ) throws(AuthenticationFailure) {
        let what = "card certificate"
        data = try issuer.recover(certificate, format: 0x04, what: what)
        pan = AccountNumber.digits(try data.field(2, 10))
        expiry = try data.field(12, 2)
        serial = try data.field(14, 3)
        let algorithms = try data.field(17, 4)
        try Certificate.checkAlgorithms(algorithms, exponent: exponent, what: what)
        let modulus = try Certificate.modulus(
            data, from: 21, length: Int(algorithms[2]), remainder: remainder, what: what)
        key = RecoveryKey(modulus: modulus, exponent: exponent)
        self.remainder = remainder
    }

    /// Whether the certificate's hash covers exactly these static data.
    func isHashValid(staticData: [UInt8]) -> Bool { data.isHash(with: [remainder, key.exponent, staticData]) }
}

extension CardCertificate: CustomStringConvertible, CustomReflectable {
    var description: String { "<card certificate>" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A signature over static data, tag 93 (EMV Book 2, 5.4).
struct StaticSignature {
    /// Data authentication code, two bytes.
    let code: [UInt8]
    private let data: RecoveredData

    var hash: [UInt8] { data.hash }

    init(_ signature: [UInt8], issuer: RecoveryKey) throws(AuthenticationFailure) {
        data = try issuer.recover(signature, format: 0x03, what: "static signature")
        guard try data.field(2, 1) == [1] else { throw .invalid("static signature", "its hash is not SHA-1") }
        code = try data.field(3, 2)
    }

    func isHashValid(staticData: [UInt8]) -> Bool { data.isHash(with: [staticData]) }
}

/// A signature over dynamic data, tag 9F4B (EMV Book 2, 6.5.2 and 6.6.2).
struct DynamicSignature {
    /// What the card signs of its own: length, dynamic number and, with CDA, cryptogram and hash.
    let dynamicData: [UInt8]
    /// ICC dynamic number.
    let dynamicNumber: [UInt8]
    private let data: RecoveredData

    var hash: [UInt8] { data.hash }

    init(_ signature: [UInt8], card: RecoveryKey) throws(AuthenticationFailure) {
        let what = "dynamic signature"
        data = try card.recover(signature, format: 0x05, what: what)
        let header = try data.field(2, 2)
        guard header[0] == 1 else { throw .invalid(what, "its hash is not SHA-1") }
        dynamicData = try data.field(4, Int(header[1]))
        guard let length = dynamicData.first, Int(length) < dynamicData.count else {
            throw .invalid(what, "its dynamic data are too short")
        }
        dynamicNumber = Array(dynamicData[1...Int(length)])
    }

    /// Whether the hash covers these terminal data.
    func isHashValid(terminalData: [UInt8]) -> Bool { data.isHash(with: [terminalData]) }

    /// CDA's part: CID, cryptogram and hash of the transaction's data.
    func combined() throws(AuthenticationFailure) -> (cid: UInt8, cryptogram: [UInt8], transactionHash: [UInt8]) {
        let rest = Array(dynamicData.dropFirst(1 + dynamicNumber.count))
        guard rest.count >= 29 else { throw .invalid("dynamic signature", "it holds no cryptogram") }
        return (rest[0], Array(rest[1..<9]), Array(rest[9..<29]))
    }
}

/// What certificates of issuers and cards have in common.
private enum Certificate {
    /// Hash algorithm 01 (SHA-1), key algorithm 01 (RSA), key length, exponent length.
    static func checkAlgorithms(
        _ fields: [UInt8], exponent: [UInt8], what: String
    ) throws(AuthenticationFailure) {
        guard fields.count == 4, fields[0] == 1, fields[1] == 1 else {
            throw .invalid(what, "its algorithms are not SHA-1 and RSA")
        }
        guard (1...3).contains(exponent.count), Int(fields[3]) == exponent.count else {
            throw .invalid(what, "its exponent has another length")
        }
    }

    /// The key's left part in the certificate, its padding cut, and the remainder.
    static func modulus(
        _ data: RecoveredData, from start: Int, length: Int, remainder: [UInt8], what: String
    ) throws(AuthenticationFailure) -> [UInt8] {
        let room = data.count - 21 - start
        guard room >= 0, length > 0 else { throw .invalid(what, "it holds no key") }
        let inside = try data.field(start, min(room, length))
        let modulus = inside + (length > room ? remainder : [])
        guard modulus.count == length else { throw .invalid(what, "the key's remainder is missing") }
        return modulus
    }
}
