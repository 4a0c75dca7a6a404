// SPDX-License-Identifier: Apache-2.0

import BERTLV
import WalletCrypto

/// One transaction of a card, from GET PROCESSING OPTIONS on.
struct PaymentTransaction {
    /// The PDOL's values, as sent and by tag.
    let pdolValues: [UInt8]
    let values: [TLVTag: [UInt8]]
    /// Tag 9F36.
    let counter: [UInt8]
    /// What the card answers at best.
    let decision: CardDecision
    let isOwnerVerified: Bool
    let form: CardForm
    /// Tag 82.
    private(set) var profile: [UInt8] = []
    /// Whether certificates can be read.
    private(set) var hasProof = false
    /// Objects that join the last record.
    private(set) var dynamic = CardObjects()
    var hasGenerated = false

    init(
        pdolValues: [UInt8], values: [TLVTag: [UInt8]], counter: UInt16, decision: CardDecision, isOwnerVerified: Bool,
        form: CardForm
    ) {
        (self.pdolValues, self.values, self.decision) = (pdolValues, values, decision)
        (self.isOwnerVerified, self.form) = (isOwnerVerified, form)
        self.counter = [UInt8(truncatingIfNeeded: counter >> 8), UInt8(truncatingIfNeeded: counter)]
    }

    var recordState: PaymentApplication.RecordState { .init(profile: profile, isOwnerVerified: isOwnerVerified) }

    private func qualifier(_ byte: Int, _ mask: UInt8) -> Bool {
        guard let qualifiers = values[0x9F66], qualifiers.indices.contains(byte - 1) else { return false }
        return qualifiers[byte - 1] & mask != 0
    }

    /// TTQ byte 2 bit 7.
    var requiresCVM: Bool { qualifier(2, 0x40) }

    /// Card qualifiers: done on the device, or what a plastic card asks for when a CVM is wanted (Book C-3, Annex A).
    private var cardQualifiers: [UInt8] {
        if isOwnerVerified { return [0x00, 0x80] }
        guard form == .plastic, requiresCVM else { return [0x00, 0x00] }
        return qualifier(1, 0x02) && !qualifier(1, 0x04) ? [0x40, 0x00] : [0x80, 0x00]
    }

    // MARK: The answer to GET PROCESSING OPTIONS

    /// The answer; `random` gives the card's unpredictable number.
    mutating func processingOptions(_ application: PaymentApplication, random: (Int) -> [UInt8]) -> [UInt8] {
        let own = application.profile.side(form).profile
        switch application.profile.flow {
        case .processingOptions(let tag):
            // Kernels 3, 6, 7: proof when the reader wants it for online transactions, or the card approves offline.
            hasProof = application.card.authentication == .dynamic && (qualifier(1, 0x01) || decision == .approved)
            profile = application.card.data[0x82] ?? [own[0] | (hasProof ? 0x20 : 0), own[1]]
            return qualified(application, tag, random)
        case .generateAC:
            let bits: [CardAuthentication: UInt8] = [.dynamic: 0x01, .static: 0x40]
            hasProof = application.card.authentication != .none
            // Book C-2, A.1.16: the device verifies its owner.
            let onDevice: UInt8 = application.card.network == .mastercard && isOwnerVerified ? 0x02 : 0
            profile =
                application.card.data[0x82]
                ?? [own[0] | (bits[application.card.authentication] ?? 0) | onDevice, own[1]]
            return plain(application)
        }
    }

    private func plain(_ application: PaymentApplication) -> [UInt8] {
        let objects = CardObjects([(0x82, profile), (0x94, application.fileLocator(withProof: hasProof))])
            .mutated(by: application.card.mutate)
        guard application.profile.usesFormat1 else { return objects.template(0x77) }
        return TLVBuilder.build { $0.append(0x80, objects.entries.flatMap(\.value)) }
    }

    private mutating func qualified(
        _ application: PaymentApplication, _ tag: TLVTag, _ random: (Int) -> [UInt8]
    ) -> [UInt8] {
        let qualifiers = application.card.data[tag] ?? cardQualifiers
        let issuerData = application.issuerData(decision)
        var objects = CardObjects([(0x82, profile)])
        if hasProof { objects.append(0x94, application.fileLocator(withProof: true)) }
        objects.append(0x57, application.track2)
        objects.append(0x5F34, application.sequenceNumber)
        objects.append(0x9F10, issuerData)
        objects.append(
            0x9F26,
            application.cryptogram(values, profile: profile, counter: counter, issuerData: issuerData))
        objects.append(0x9F27, [decision.type])
        objects.append(0x9F36, counter)
        objects.append(tag, qualifiers)
        if let tag = application.profile.formFactor?.tag { objects.append(tag, application.formFactor) }
        if hasProof {
            objects.append(0x9F4B, fastSignature(application, qualifiers, random))
        } else {
            for entry in application.accountObjects().entries { objects.append(entry.tag, entry.value) }
        }
        return application.finished(objects).template(0x77)
    }

    /// fDDA version 01: the reader's number, amount and currency with the card's own (Book C-3, Annex C).
    private mutating func fastSignature(
        _ application: PaymentApplication, _ qualifiers: [UInt8], _ random: (Int) -> [UInt8]
    ) -> [UInt8]? {
        let number = Array((random(4) + [0, 0, 0, 0]).prefix(4))
        let related = [0x01] + number + qualifiers
        dynamic.append(0x9F69, related)
        let given = [0x9F37, 0x9F02, 0x5F2A].flatMap { (tag: TLVTag) in values[tag] ?? [] }
        let signature = TestCertificates.dynamicSignature([2] + counter, also: given + related)
        return signature.map { application.damaged($0, .signature) }
    }

    // MARK: GENERATE AC

    /// The answer to GENERATE AC.
    ///
    /// - Parameters:
    ///   - requested: what the reader asks for.
    ///   - isCombined: whether it asks for CDA.
    ///   - data: the CDOL's values.
    mutating func generate(
        _ application: PaymentApplication, requested: CardDecision, isCombined: Bool, data: [UInt8],
        values: [TLVTag: [UInt8]], random: (Int) -> [UInt8]
    ) -> [UInt8] {
        hasGenerated = true
        // Never more than was asked for (EMV Book 3, 9.2).
        let answer = decision.rank < requested.rank ? decision : requested
        let issuerData = application.issuerData(answer)
        let cryptogram = application.cryptogram(
            values, profile: profile, counter: counter, issuerData: issuerData)
        let head: [(TLVTag, [UInt8])] = [(0x9F27, [answer.type]), (0x9F36, counter)]
        guard isCombined, answer != .declined, application.card.authentication == .dynamic else {
            var objects = CardObjects(head)
            objects.append(0x9F26, cryptogram)
            objects.append(0x9F10, issuerData)
            return objects.mutated(by: application.card.mutate).template(0x77)
        }
        // CDA: what the answer holds beside the signature is hashed as it is sent (EMV Book 2, 6.6.1).
        let signed = CardObjects(head + [(0x9F10, issuerData)])
        let hash = Digest.sha1(pdolValues + data + signed.bytes)
        let number = Array((random(8) + [UInt8](repeating: 0, count: 8)).prefix(8))
        let content = [8] + number + [answer.type] + (cryptogram ?? []) + hash
        let signature = TestCertificates.dynamicSignature(content, also: values[0x9F37] ?? [])
        var objects = CardObjects(head)
        objects.append(0x9F4B, signature.map { application.damaged($0, .signature) })
        objects.append(0x9F10, issuerData)
        return objects.mutated(by: application.card.mutate).template(0x77)
    }

    /// INTERNAL AUTHENTICATE: DDA over the reader's data (EMV Book 2, 6.5.1).
    func authenticate(_ application: PaymentApplication, _ data: [UInt8]) -> [UInt8]? {
        TestCertificates.dynamicSignature([2] + counter, also: data).map {
            CardObjects([(0x9F4B, application.damaged($0, .signature))]).mutated(by: application.card.mutate)
                .template(0x77)
        }
    }
}
