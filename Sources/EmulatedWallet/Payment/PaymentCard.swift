// SPDX-License-Identifier: Apache-2.0

public import BERTLV
public import ISO7816

/// A payment card: in a phone under the key `paymentCard`, or plastic as a document `{"plastic": {…}}` of its own.
///
/// ```json
/// {"passes": [], "paymentCard": {"network": "visa", "armed": true, "express": false, "cdcvm": true}}
/// ```
/// ```json
/// {"plastic": {"network": "mastercard", "corrupt": ["iccCertificate"]}, "leavesFieldAt": 4}
/// ```
///
/// Only `network` is required. Account numbers are published test numbers; certificates and cryptograms are made with
/// keys that are published with this project (``EmulatedCards``, ``IssuerMasterKey/published``). `leavesFieldAt`,
/// `leavesFieldTaps`, `silentAt`, `answerDelay` and `answer` stand beside `paymentCard` or `plastic`, not inside.
/// Each property below is the key of the same name, where it does not say another.
///
/// What a phone does: it pays when it is armed and not locked, or in express mode. Otherwise `unarmed` says what a
/// reader meets. After a pass was handed out to a reader that asked for pass *or* payment, and for any reader that asked
/// for passes only, the payment environment is not found in that tap.
public struct PaymentCard: Hashable, Sendable {
    /// `network`: visa, mastercard, amex, discover, unionpay, interac or jcb.
    public var network: PaymentNetwork
    /// `label`: tag 50, 1 to 16 printable characters; left out, the network's.
    public var label: String?
    /// `pan`: the account number, one of the published test numbers; left out, the network's.
    public var pan: String?
    /// `sequenceNumber`: tag 5F34, two digits.
    public var sequenceNumber = "01"
    /// `expiry`: year and month, `"2035-12"`; 1950 to 2049.
    public var expiry = CardMonth(year: 2035, month: 12)
    /// `formFactor`: tag 9F6E, hex, 4 to 32 bytes; left out, the network's for a card or a phone.
    public var formFactor: [UInt8]?
    /// `atc`: the transaction counter of the first transaction, 0 to 65,535; each later one has the next.
    public var counter: UInt16 = 1
    /// `cryptogram`: what the card answers with at best: ARQC (online), TC (approved offline) or AAC (declined).
    public var cryptogram = CardDecision.online
    /// `cvn`: the cryptogram version, a number such as 18; left out, the network's (``CryptogramVersion``).
    public var cryptogramVersion: Int?
    /// `authentication`: how the card's data can be proved offline: dynamic, static or none.
    public var authentication = CardAuthentication.dynamic
    /// `data`: any object, hex by tag, instead of the card's or beside it: `{"9F07": "FF00"}`. Signatures and
    /// cryptogram cover it.
    public var data: [TLVTag: [UInt8]] = [:]
    /// `others`: more applications on the same card, after this one in the directory: `[{"network": "mastercard"}]`.
    public var others: [PaymentCard] = []

    /// `armed` (phone): the owner has double-clicked and authenticated this card. The same state as
    /// `paymentAuthenticated` of the phone.
    public var armed = true
    /// `armsAtTap` (phone): the owner authenticates the card before this tap, counted from 1.
    public var armsAtTap: Int?
    /// `unarmed` (phone): what a reader meets while the card cannot pay: notFound (SELECT PPSE answers 6A82), seePhone
    /// (GET PROCESSING OPTIONS answers 6986) or silent (SELECT PPSE is never answered).
    public var unarmed = UnarmedAnswer.notFound
    /// `express` (phone): pays without authentication, also while locked; then the owner is not verified.
    public var express = false
    /// `cdcvm` (phone): an owner who authenticated counts as verified by the device.
    public var cdcvm = true
    /// `par` (phone): payment account reference, tag 9F24, 29 characters.
    public var accountReference = "COUNTERTOPTESTACCOUNT00000001"
    /// `vasAnswer` (plastic): the answer to SELECT `OSE.VAS.01`: 6D00, or 6A82, 6700, 6999 as other cards.
    public var vasAnswer: StatusWord = 0x6D00
    /// `errorBudget`: so many commands may fail in a tap; from then on everything answers 6985. 0: no limit. Left
    /// out: 5 in a phone, no limit for plastic.
    public var errorBudget: Int?

    /// `statusWords`: status words instead of answers.
    public var statusWords = PaymentStatusWords()
    /// `statusWordTaps`: how many taps are answered so; left out, each one is.
    public var statusWordTaps: Int?
    /// `corrupt`: what is made wrong, one word or a list.
    public var corrupt: Set<CardCorruption> = []
    /// `mutate`: objects changed or left out on their way, after everything was signed: `{"tag": "9F10", "value": "00"}`
    /// or `{"tag": "9F36", "remove": true}`, one or a list.
    public var mutate: [CardMutation] = []

    /// The network's card as it comes.
    public init(_ network: PaymentNetwork) { self.network = network }
}

/// What a card answers to a transaction at best (EMV Book 3, table 15).
public enum CardDecision: String, Hashable, Sendable, CaseIterable {
    /// To be sent to the issuer.
    case online = "ARQC"
    /// Approved offline; with GENERATE AC only where the reader asks for it.
    case approved = "TC"
    /// Declined.
    case declined = "AAC"

    /// Bits 8 and 7 of tag 9F27.
    var type: UInt8 {
        switch self {
        case .online: 0x80
        case .approved: 0x40
        case .declined: 0x00
        }
    }

    /// More is better for the reader.
    var rank: Int {
        switch self {
        case .declined: 0
        case .online: 1
        case .approved: 2
        }
    }
}

/// How the data of a card can be proved offline.
public enum CardAuthentication: String, Hashable, Sendable, CaseIterable {
    /// The card signs: CDA with GENERATE AC, fDDA (version 01) where the cryptogram comes with the processing options.
    case dynamic
    /// The issuer signed once: SDA. For networks with GENERATE AC; the others prove nothing then.
    case `static`
    /// Not at all.
    case none
}

/// What a reader meets while a phone's card cannot pay.
public enum UnarmedAnswer: String, Hashable, Sendable, CaseIterable {
    /// SELECT PPSE answers `6A82`.
    case notFound
    /// The application can be selected, GET PROCESSING OPTIONS answers `6986`.
    case seePhone
    /// SELECT PPSE is never answered.
    case silent
}

/// What can be made wrong with certificates, signatures and the cryptogram.
public enum CardCorruption: String, Hashable, Sendable, CaseIterable {
    /// Tag 8F names an authority key that does not exist.
    case authorityIndex
    /// A byte of tag 90.
    case issuerCertificate
    /// The issuer's certificate ended in January 2020.
    case issuerCertificateExpired
    /// A byte of tag 9F46.
    case iccCertificate
    /// The card's certificate ended in January 2020.
    case iccCertificateExpired
    /// A byte of tag 9F4B, or of tag 93 with static authentication.
    case signature
    /// A byte of tag 9F26: signed as it is, but the issuer will refuse it.
    case cryptogram
}

/// One object changed or left out in the card's answers.
public struct CardMutation: Hashable, Sendable {
    /// The object; any answer that holds it is changed.
    public var tag: TLVTag
    /// The value in its place; nil leaves the object out.
    public var value: [UInt8]?

    /// A change.
    public init(_ tag: TLVTag, _ value: [UInt8]?) { (self.tag, self.value) = (tag, value) }
}

/// Status words instead of a payment card's answers: the object under the key `statusWords` of a card.
public struct PaymentStatusWords: Hashable, Sendable {
    /// `ppse`: to SELECT PPSE.
    public var ppse: StatusWord?
    /// `select`: to SELECT of the application.
    public var select: StatusWord?
    /// `gpo`: to GET PROCESSING OPTIONS.
    public var gpo: StatusWord?
    /// `record`: to READ RECORD.
    public var record: StatusWord?
    /// `generateAC`: to GENERATE AC.
    public var generateAC: StatusWord?

    /// Nothing forced.
    public init() {}
}

/// A month of a year, as cards carry it.
public struct CardMonth: Hashable, Sendable {
    /// 1950 to 2049.
    public var year: Int
    /// 1 to 12.
    public var month: Int

    /// A month; numbers outside are the nearest inside.
    public init(year: Int, month: Int) {
        (self.year, self.month) = (min(max(year, 1950), 2049), min(max(month, 1), 12))
    }
}
