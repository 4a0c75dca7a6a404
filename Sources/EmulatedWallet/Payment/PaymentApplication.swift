// SPDX-License-Identifier: Apache-2.0

import BERTLV
import ISO7816
import WalletCrypto

/// One personalised application: what it sends, before a transaction makes it different.
struct PaymentApplication {
    let card: PaymentCard
    let form: CardForm
    let profile: NetworkProfile
    let version: CryptogramVersion?
    let pdol: RequestedObjects
    let cdol: RequestedObjects
    private let key: CardKey?
    /// Certificates, which take long to make: the issuer's, the card's by what it covers.
    private var issuer: CardObjects?
    private var proofs: [RecordState: CardObjects] = [:]

    /// What the signed records depend on.
    struct RecordState: Hashable {
        /// Tag 82; the certificate covers it.
        let profile: [UInt8]
        /// The device has verified its owner.
        let isOwnerVerified: Bool
    }

    init(_ card: PaymentCard, form: CardForm) {
        (self.card, self.form) = (card, form)
        profile = card.network.profile
        let side = profile.side(form)
        version = CryptogramVersion.find(card.network, card.cryptogramVersion ?? side.cryptogramVersion)
        pdol = RequestedObjects(card.data[0x9F38] ?? side.pdol)
        key = try? IssuerMasterKey.published.cardKey(
            pan: card.pan ?? side.pan, sequenceNumber: card.sequenceNumber)
        if case .generateAC(let list) = profile.flow {
            cdol = RequestedObjects(card.data[0x8C] ?? list)
        } else {
            cdol = RequestedObjects([])
        }
    }

    private var side: NetworkProfile.Side { profile.side(form) }
    private var pan: String { card.pan ?? side.pan }
    private var label: String { card.label ?? profile.label }
    var formFactor: [UInt8]? {
        card.formFactor ?? (form == .phone ? profile.formFactor?.phone : profile.formFactor?.plastic)
    }

    /// Objects that this card adds of its own, beyond those in `known`.
    private func additions(to known: CardObjects) -> CardObjects {
        let answers: Set<TLVTag> = [
            0x82, 0x84, 0x50, 0x87, 0x9F38, 0x5F2D, 0x9F11, 0x9F12, 0x9F2A, 0x4F, 0x57, 0x5F34, 0x9F10, 0x9F6C, 0x9F71,
            0x9F5A,
        ]
        let own = card.data.filter { known[$0.key] == nil && !answers.contains($0.key) && $0.key != 0x9F6E }
        return CardObjects(own.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) })
    }

    // MARK: Directory and selection

    /// The directory's entry, tag 61, with its priority.
    func directoryEntry(priority: UInt8) -> [UInt8] {
        var entry = CardObjects([(0x4F, profile.aid), (0x50, Array(label.utf8)), (0x87, [priority])])
        if !profile.kernel.isEmpty || card.data[0x9F2A] != nil { entry.append(0x9F2A, profile.kernel) }
        return finished(entry).template(0x61)
    }

    /// The answer to SELECT, tag 6F.
    func fileControlInformation() -> [UInt8] {
        let name = finished(CardObjects([(0x84, profile.aid)])).bytes
        var proprietary = CardObjects([(0x50, Array(label.utf8)), (0x87, [0x01])])
        if card.data[0x9F38] != nil || !side.pdol.isEmpty { proprietary.append(0x9F38, side.pdol) }
        proprietary.append(0x5F2D, Array("en".utf8))
        // Application program identifier: Germany and the euro.
        let discretionary = finished(CardObjects([(0x9F5A, [0x11, 0x09, 0x78, 0x02, 0x76])])).template(0xBF0C)
        let contents = finished(proprietary).bytes + (form == .phone ? [] : discretionary)
        return TLVBuilder.build { $0.append(0x6F, name + TLVBuilder.build { $0.append(0xA5, contents) }) }
    }

    /// The definition's values, then its changes on the way.
    func finished(_ objects: CardObjects) -> CardObjects {
        objects.replaced(by: card.data).mutated(by: card.mutate)
    }

    // MARK: Account data

    /// Track 2 equivalent data: number, expiry, service code 201, zeros.
    var track2: [UInt8] {
        let digits = pan + "D" + card.expiry.yearMonth + "201" + String(repeating: "0", count: 13)
        let nibbles = digits.compactMap { $0.hexDigitValue }.prefix(37) + [15]
        let even = nibbles.count.isMultiple(of: 2) ? Array(nibbles) : nibbles + [15]
        return stride(from: 0, to: even.count, by: 2).map { UInt8(truncatingIfNeeded: even[$0] << 4 | even[$0 + 1]) }
    }

    var sequenceNumber: [UInt8] { (try? Hex.decode(card.sequenceNumber)) ?? [0] }

    private func bcd(_ text: String) -> [UInt8] { (try? Hex.decode(text)) ?? [] }

    /// Objects that a reader finds in the first record, or in an answer without records.
    func accountObjects() -> CardObjects {
        var objects = CardObjects()
        if form == .phone { objects.append(0x9F24, Array(card.accountReference.utf8)) }
        for addition in additions(to: CardObjects()).entries { objects.append(addition.tag, addition.value) }
        return objects
    }

    private func firstRecord(_ state: RecordState) -> CardObjects {
        let panLength = (pan.utf8.count + 1) / 2
        var objects = CardObjects([
            (0x5A, TestCertificates.packed(pan, count: panLength)),
            (0x5F24, bcd(card.expiry.yearMonth + "\(card.expiry.lastDay)")), (0x5F25, bcd("240101")),
            (0x5F28, bcd("0276")), (0x9F07, bcd("FFC0")), (0x9F42, bcd("0978")),
        ])
        if form == .plastic { objects.append(0x5F20, Array("COUNTERTOP/TEST".utf8)) }
        if case .generateAC(let list) = profile.flow {
            objects.append(0x57, track2)
            objects.append(0x5F34, sequenceNumber)
            objects.append(0x8C, list)
            objects.append(0x9F0D, bcd("F470848000"))
            objects.append(0x9F0E, bcd("0000000000"))
            objects.append(0x9F0F, bcd("F470848000"))
            for (tag, value) in side.record.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                objects.append(tag, value)
            }
            // Mobile CVM results (C-4): done by the device, or none.
            if form == .phone, card.network == .amex {
                objects.append(0x9F71, state.isOwnerVerified ? [0x01, 0x00, 0x02] : [0x3F, 0x00, 0x01])
            }
            if let tag = profile.formFactor?.tag { objects.append(tag, formFactor) }
        }
        if form == .phone { objects.append(0x9F24, Array(card.accountReference.utf8)) }
        if card.authentication != .none { objects.append(0x9F4A, [0x82]) }
        for addition in additions(to: objects).entries { objects.append(addition.tag, addition.value) }
        return objects.replaced(by: card.data)
    }

    // MARK: Records

    /// Where the records are: file 2 record 1 signed, file 3 the certificates (EMV Book 3, 10.2).
    func fileLocator(withProof: Bool) -> [UInt8] {
        [0x10, 0x01, 0x01, withProof ? 0x01 : 0x00] + (withProof ? [0x18, 0x01, 0x02, 0x00] : [])
    }

    /// A record by file and number; `dynamic` joins the last one.
    mutating func record(
        file: UInt8, number: UInt8, _ state: RecordState, withProof: Bool, dynamic: CardObjects
    ) -> [UInt8]? {
        let first = firstRecord(state)
        switch (file, number, withProof) {
        case (2, 1, _): return first.mutated(by: card.mutate).template(0x70)
        case (3, 1, true):
            let objects = issuer ?? issuerObjects()
            issuer = objects
            return objects.mutated(by: card.mutate).template(0x70)
        case (3, 2, true):
            var objects = proofs[state] ?? proof(first.bytes, state)
            proofs[state] = objects
            for entry in dynamic.entries { objects.append(entry.tag, entry.value) }
            return objects.mutated(by: card.mutate).template(0x70)
        default: return nil
        }
    }

    private func issuerObjects() -> CardObjects {
        let expiry = card.corrupt.contains(.issuerCertificateExpired) ? Self.past : Self.farAway
        let issuer = TestCertificates.issuerCertificate(pan: pan, expiry: expiry)
        var objects = CardObjects()
        objects.append(0x8F, [TestCertificates.authorityIndex ^ (card.corrupt.contains(.authorityIndex) ? 0x40 : 0)])
        objects.append(0x90, issuer.map { damaged($0.certificate, .issuerCertificate) })
        objects.append(0x92, issuer?.remainder)
        objects.append(0x9F32, [3])
        return objects
    }

    /// MMYY.
    private static let farAway: [UInt8] = [0x12, 0x49]
    private static let past: [UInt8] = [0x01, 0x20]

    /// The card's certificate, or the issuer's signature over the static data.
    private func proof(_ signedRecord: [UInt8], _ state: RecordState) -> CardObjects {
        var objects = CardObjects()
        let staticData = signedRecord + (firstRecord(state)[0x9F4A] == [0x82] ? state.profile : [])
        if card.authentication == .static {
            let signature = TestCertificates.staticSignature(code: [0xDA, 0xC0], staticData: staticData)
            objects.append(0x93, signature.map { damaged($0, .signature) })
            return objects
        }
        let expiry = card.corrupt.contains(.iccCertificateExpired) ? Self.past : Self.farAway
        let certificate = TestCertificates.cardCertificate(pan: pan, expiry: expiry, staticData: staticData)
        objects.append(0x9F46, certificate.map { damaged($0.certificate, .iccCertificate) })
        objects.append(0x9F47, [3])
        if let remainder = certificate?.remainder, !remainder.isEmpty { objects.append(0x9F48, remainder) }
        return objects
    }

    /// One byte in the middle changed, where the definition wants it.
    func damaged(_ bytes: [UInt8], _ corruption: CardCorruption) -> [UInt8] {
        guard card.corrupt.contains(corruption), !bytes.isEmpty else { return bytes }
        var bytes = bytes
        bytes[bytes.count / 2] ^= 0x01
        return bytes
    }

    // MARK: Cryptogram

    /// What every cryptogram covers of the reader's data, with the lengths (EMV Book 2, table 27).
    private static let covered: [(tag: TLVTag, length: Int)] = [
        (0x9F02, 6), (0x9F03, 6), (0x9F1A, 2), (0x95, 5), (0x5F2A, 2), (0x9A, 3), (0x9C, 1), (0x9F37, 4),
    ]

    /// Tag 9F10 of this decision.
    func issuerData(_ decision: CardDecision) -> [UInt8] {
        card.data[0x9F10] ?? version?.issuerData(type: decision.type) ?? []
    }

    /// Tag 9F26.
    ///
    /// - Parameters:
    ///   - values: what the reader gave in PDOL or CDOL; what is missing counts as zeros.
    ///   - profile: tag 82.
    ///   - counter: tag 9F36.
    func cryptogram(
        _ values: [TLVTag: [UInt8]], profile: [UInt8], counter: [UInt8], issuerData: [UInt8]
    ) -> [UInt8]? {
        guard let version, let key else { return nil }
        let terminal = Self.covered.flatMap { tag, length in
            Array(((values[tag] ?? []) + [UInt8](repeating: 0, count: length)).prefix(length))
        }
        let number = Array(((values[0x9F37] ?? []) + [0, 0, 0, 0]).prefix(4))
        let data = terminal + profile + counter + version.covered(of: issuerData)
        let session = try? key.sessionKey(for: version, counter: counter, unpredictableNumber: number)
        let cryptogram = try? session?.cryptogram(data, padding: version.padding)
        return cryptogram.map { damaged($0, .cryptogram) }
    }
}
