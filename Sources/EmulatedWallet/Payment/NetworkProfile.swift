// SPDX-License-Identifier: Apache-2.0

import BERTLV
import ISO7816

/// What one network's cards look like: a table, read by the one applet.
///
/// Sources: EMV Contactless Books C-2 to C-7 in their public summaries; shapes as in public traces of test cards
/// (binaryfoo/emv-bertlv, a7asoft/nfc-emv-toolkit, devnied/EMV-NFC-Paycard-Enrollment); a phone's profile,
/// qualifiers and form factor as proxmark3 issue #675 shows them.
struct NetworkProfile: Sendable {
    /// Where the application cryptogram is, and what comes with it.
    enum Flow: Hashable, Sendable {
        /// In the answer to GET PROCESSING OPTIONS, with card qualifiers in this tag (kernels 3, 6, 7).
        case processingOptions(qualifiers: TLVTag)
        /// GENERATE AC with these data (kernels 2, 4, 5, Interac).
        case generateAC(cdol: [UInt8])
    }

    /// What differs between a phone and plastic.
    struct Side: Sendable {
        /// The account's digits: published test numbers.
        let pan: String
        /// Tag 82. The authentication bits are added where the answer carries what they promise.
        let profile: [UInt8]
        /// Tag 9F38; empty: none.
        let pdol: [UInt8]
        /// The cryptogram version, as in ``CryptogramVersion``.
        let cryptogramVersion: Int
        /// Objects of the first record.
        var record: [TLVTag: [UInt8]] = [:]

        init(_ pan: String, profile: String, pdol: String, cvn: Int, record: [TLVTag: String] = [:]) {
            (self.pan, cryptogramVersion) = (pan, cvn)
            (self.profile, self.pdol, self.record) = (hex(profile), hex(pdol), record.mapValues(hex))
        }
    }

    let aid: [UInt8]
    /// Tag 9F2A; empty: the provider's default.
    let kernel: [UInt8]
    let label: String
    let flow: Flow
    /// Whether GET PROCESSING OPTIONS answers in template 80.
    var usesFormat1 = false
    /// The tag that holds the form factor, with its value in plastic and in a phone.
    var formFactor: (tag: TLVTag, plastic: [UInt8], phone: [UInt8])?
    let plastic: Side
    let phone: Side

    func side(_ form: CardForm) -> Side { form == .phone ? phone : plastic }
}

/// Bytes of this file's tables.
private func hex(_ text: String) -> [UInt8] { (try? Hex.decode(text)) ?? [] }

/// TTQ, both amounts, country, TVR, currency, date, type, unpredictable number.
private let qualifiedPDOL = "9F66049F02069F03069F1A0295055F2A029A039C019F3704"
/// What every cryptogram covers, without the TTQ.
private let plainCDOL = "9F02069F03069F1A0295055F2A029A039C019F3704"
/// The same with terminal type, authentication code, card's number and CVM results, as M/Chip cards have it.
private let chipCDOL = "9F02069F03069F1A0295055F2A029A039C019F37049F35019F45029F4C089F3403"
/// Online PIN, signature, no CVM, each if the terminal supports it.
private let plasticMethods = "000000000000000042031E031F03"
/// No CVM: the device itself verifies its owner.
private let phoneMethods = "00000000000000001F03"

extension NetworkProfile {
    static let all: [PaymentNetwork: NetworkProfile] = [
        .visa: visa, .mastercard: mastercard, .amex: amex, .discover: discover, .unionpay: unionPay,
        .interac: interac, .jcb: jcb,
    ]

    static let visa = NetworkProfile(
        aid: hex("A0000000031010"), kernel: [0x03], label: "VISA CREDIT", flow: .processingOptions(qualifiers: 0x9F6C),
        formFactor: (0x9F6E, hex("20700000"), hex("23880000")),
        plastic: Side("4761739001010010", profile: "0000", pdol: qualifiedPDOL, cvn: 18),
        phone: Side("4761739001010119", profile: "0040", pdol: qualifiedPDOL, cvn: 22))

    static let mastercard = NetworkProfile(
        aid: hex("A0000000041010"), kernel: [0x02], label: "MASTERCARD", flow: .generateAC(cdol: hex(chipCDOL)),
        // Country, unique identifier, device type 00 card or 01 mobile phone (Book C-2, third party data).
        formFactor: (0x9F6E, hex("02760000303000"), hex("02760000303100")),
        plastic: Side("5413330089604111", profile: "1880", pdol: "", cvn: 16, record: [0x8E: plasticMethods]),
        phone: Side(
            "5413330089020011", profile: "1880", pdol: "9F1D089F1A029F3501", cvn: 21, record: [0x8E: phoneMethods]))

    static let amex = NetworkProfile(
        aid: hex("A000000025010403"), kernel: [0x04], label: "AMERICAN EXPRESS",
        flow: .generateAC(cdol: hex(plainCDOL)), usesFormat1: true,
        plastic: Side("374245001741007", profile: "1880", pdol: "9F3501", cvn: 1, record: [0x8E: plasticMethods]),
        phone: Side(
            "378282246310005", profile: "18C0", pdol: "9F35019F6E04", cvn: 1, record: [0x8E: phoneMethods]))

    static let discover = NetworkProfile(
        aid: hex("A0000001523010"), kernel: [0x06], label: "DISCOVER", flow: .processingOptions(qualifiers: 0x9F71),
        formFactor: (0x9F6E, hex("20700000"), hex("23880000")),
        plastic: Side("6011000990139424", profile: "0000", pdol: qualifiedPDOL, cvn: 5),
        phone: Side("6510000000000133", profile: "0040", pdol: qualifiedPDOL, cvn: 5))

    static let unionPay = NetworkProfile(
        aid: hex("A000000333010102"), kernel: [0x07], label: "UNIONPAY CREDIT",
        flow: .processingOptions(qualifiers: 0x9F6C),
        plastic: Side("6250941006528599", profile: "0000", pdol: qualifiedPDOL, cvn: 1),
        phone: Side("6210948000000029", profile: "0040", pdol: qualifiedPDOL, cvn: 1))

    /// The kernel's number is disputed, so the directory names none.
    static let interac = NetworkProfile(
        aid: hex("A0000002771010"), kernel: [], label: "INTERAC", flow: .generateAC(cdol: hex(plainCDOL)),
        plastic: Side("4506445000000016", profile: "1880", pdol: "9F59039F5A019F5801", cvn: 133),
        phone: Side("4506445000000024", profile: "1880", pdol: "9F59039F5A019F5801", cvn: 133))

    static let jcb = NetworkProfile(
        aid: hex("A0000000651010"), kernel: [0x05], label: "JCB CREDIT", flow: .generateAC(cdol: hex(plainCDOL)),
        plastic: Side("3569990010095841", profile: "1880", pdol: "9F5303", cvn: 2, record: [0x8E: plasticMethods]),
        phone: Side("3566002020360505", profile: "1880", pdol: "9F5303", cvn: 2, record: [0x8E: phoneMethods]))
}
