// SPDX-License-Identifier: Apache-2.0

internal import BERTLV
internal import WalletCrypto

/// How a card's data are proved offline (EMV Book 2; Book C-3, Annex C).
public enum AuthenticationMethod: String, Hashable, Sendable {
    /// A signature of the issuer over static data.
    case sda = "SDA"
    /// A signature of the card over a challenge.
    case dda = "DDA"
    /// A signature of the card over the cryptogram.
    case cda = "CDA"
    /// A signature of the card in the GPO answer or a record.
    case fDDA = "fDDA"
}

/// What offline data authentication gave.
public struct AuthenticationResult: Hashable, Sendable {
    /// The method tried.
    public let method: AuthenticationMethod
    /// Nil when the data are proved.
    public let failure: AuthenticationFailure?

    /// Whether the data are proved.
    public var isVerified: Bool { failure == nil }
}

/// Proves a card's data with what it sent. Keys, clock and revocations come from outside.
struct OfflineAuthentication {
    let data: CardData
    /// The application selected, for its provider.
    let aid: [UInt8]
    let authorities: AuthorityKeys
    let revocations: RevocationList
    let date: EMVDate

    /// SDA: the issuer's signature over the static data. Gives the data authentication code.
    func verifyStatic() throws(AuthenticationFailure) -> [UInt8] {
        let issuer = try issuerKey()
        let signature = try StaticSignature(try object(0x93, "the static signature"), issuer: issuer)
        var staticData = try staticData()
        defer { staticData.wipe() }
        guard signature.isHashValid(staticData: staticData) else { throw .hash("static signature") }
        return signature.code
    }

    /// fDDA: the card's signature over the reader's number and, in version 01, amount, currency and 9F69.
    func verifyFast(versions: Set<UInt8>, terminal: [TLVTag: [UInt8]]) throws(AuthenticationFailure) {
        let signature = try DynamicSignature(try object(0x9F4B, "the dynamic signature"), card: try cardKey())
        let related = data.sensitiveBytes(of: 0x9F69) ?? []
        let version = related.first ?? 0
        guard versions.contains(version) else {
            throw .invalid("dynamic signature", "version \(version) is not accepted")
        }
        let number = terminal[0x9F37] ?? []
        let input = version == 0 ? number : number + (terminal[0x9F02] ?? []) + (terminal[0x5F2A] ?? []) + related
        guard signature.isHashValid(terminalData: input) else { throw .hash("dynamic signature") }
        guard signature.dynamicNumber == data.sensitiveBytes(of: 0x9F36) else {
            throw .invalid("dynamic signature", "its number is not the transaction counter")
        }
    }

    /// CDA: the card's signature over the cryptogram and all that was exchanged. Gives the cryptogram.
    func verifyCombined(
        card: RecoveryKey, unpredictableNumber: [UInt8], exchanged: [[UInt8]]
    ) throws(AuthenticationFailure) -> [UInt8] {
        let signature = try DynamicSignature(try object(0x9F4B, "the dynamic signature"), card: card)
        let combined = try signature.combined()
        guard signature.isHashValid(terminalData: unpredictableNumber) else { throw .hash("dynamic signature") }
        guard data.bytes(of: 0x9F27) == [combined.cid] else {
            throw .invalid("dynamic signature", "it holds another cryptogram information")
        }
        var input = exchanged.flatMap { $0 }
        defer { input.wipe() }
        guard Digest.sha1(input) == combined.transactionHash else { throw .hash("transaction data") }
        return combined.cryptogram
    }

    /// Opens the issuer's certificate and checks that it is valid for this card, today.
    func issuerKey() throws(AuthenticationFailure) -> RecoveryKey {
        let index = try object(0x8F, "the authority key's index")
        guard index.count == 1, let authority = authorities.key(for: aid, index: index[0]) else {
            throw .unknownAuthorityKey
        }
        let certificate = try IssuerCertificate(
            try object(0x90, "the issuer certificate"), remainder: data.sensitiveBytes(of: 0x92) ?? [],
            exponent: try object(0x9F32, "the issuer key's exponent"), authority: authority.key)
        try check(expiry: certificate.expiry)
        guard let pan = data.pan, certificate.belongs(to: pan) else { throw .otherAccount }
        guard !revocations.contains(rid: aid, index: index[0], serial: certificate.serial) else { throw .revoked }
        return certificate.key
    }

    /// Opens the card's certificate and checks it.
    func cardKey() throws(AuthenticationFailure) -> RecoveryKey {
        let certificate = try CardCertificate(
            try object(0x9F46, "the card certificate"), remainder: data.sensitiveBytes(of: 0x9F48) ?? [],
            exponent: try object(0x9F47, "the card key's exponent"), issuer: try issuerKey())
        var staticData = try staticData()
        defer { staticData.wipe() }
        guard certificate.isHashValid(staticData: staticData) else { throw .hash("card certificate") }
        try check(expiry: certificate.expiry)
        guard certificate.pan == data.pan else { throw .otherAccount }
        return certificate.key
    }

    /// The flagged records as they came, then the AIP where 9F4A asks for it (EMV Book 3, 10.3).
    func staticData() throws(AuthenticationFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        for (record, bytesOfRecord) in data.records where record.isAuthenticated {
            // Records above file 10 are kept as they came: what is no template cannot be authenticated (10.3).
            if record.sfi > 10 {
                let objects = try? TLV.read(bytesOfRecord, rules: .lenient)
                guard objects?.map(\.tag) == [0x70] else { throw .invalid("a signed record", "it is no template") }
            }
            bytes += bytesOfRecord
        }
        guard let list = data.bytes(of: 0x9F4A), !list.isEmpty else { return bytes }
        guard list == [0x82] else { throw .tagList }
        return bytes + (try object(0x82, "the AIP"))
    }

    private func object(_ tag: TLVTag, _ name: String) throws(AuthenticationFailure) -> [UInt8] {
        guard let value = data.sensitiveBytes(of: tag), !value.isEmpty else { throw .missing(name) }
        return value
    }

    private func check(expiry: [UInt8]) throws(AuthenticationFailure) {
        guard let end = EMVDate(monthYear: expiry), !end.isBefore(dayOf: date) else { throw .expiredCertificate }
    }
}
