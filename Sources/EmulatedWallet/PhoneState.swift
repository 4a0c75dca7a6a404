// SPDX-License-Identifier: Apache-2.0

import Foundation
import ISO7816
import WalletCrypto

/// Everything that changes on an emulated phone, and the rules by which it changes.
struct PhoneState {
    var definition: PhoneDefinition
    /// Readable passes by merchant id; several under one id are several candidates.
    private let candidates: [[UInt8]: [Int]]
    private let forced: [[UInt8]: StatusWord]

    var locked: Bool
    var authenticated: Bool
    var paymentAuthenticated: Bool
    var chosenPass: String?
    /// Indices of passes handed out in this authentication.
    var alreadyRead: Set<Int>
    private(set) var receivedURLs: [String]
    private(set) var tapCount = 0

    /// Whether the phone is in the field; whether its tap has begun, which takes a command.
    private(set) var isInField = false
    private var tapHasBegun = false
    private var commandsInTap = 0
    private var passesInTap = 0
    private var isSelected = false
    /// The payment card in the phone, or the plastic card that this is.
    private(set) var payment: PaymentState?
    private var isPaymentWithheld = false
    private var transport = ResponseTransport()

    /// The inbox keeps this many URLs, so that a phone tapped a million times stays the same size.
    static let inboxSize = 100

    init(_ definition: PhoneDefinition) {
        self.definition = definition
        let readable = definition.passes.indices.filter { definition.passes[$0].nfc != nil }
        candidates = Dictionary(grouping: readable) { Digest.sha256(definition.passes[$0].passTypeIdentifier.utf8) }
        forced = Dictionary(
            definition.statusWords.passes.map { (Digest.sha256($0.key.utf8), $0.value) }, uniquingKeysWith: { $1 })
        locked = definition.locked
        authenticated = definition.authenticated ?? !definition.locked
        paymentAuthenticated = definition.paymentAuthenticated
        chosenPass = definition.chosenPass
        alreadyRead = Set(
            definition.passes.indices.filter { index in
                definition.alreadyRead.contains { definition.passes[index].isNamed($0) }
            })
        receivedURLs = definition.receivedURLs.suffix(Self.inboxSize)
        if let card = definition.plastic {
            payment = PaymentState(card, form: .plastic)
        } else if let card = definition.paymentCard {
            payment = PaymentState(card, form: .phone)
        }
    }

    /// Takes a card that was added later; the phone pays with it from the next field on.
    mutating func add(_ card: PaymentCard) {
        definition.paymentCard = card
        paymentAuthenticated = card.armed
        payment = PaymentState(card, form: .phone)
    }

    // MARK: Authentication and the field

    /// Face ID, Touch ID or passcode: unlocks, and every pass can be handed out again.
    mutating func authenticate() {
        (locked, authenticated) = (false, true)
        alreadyRead = []
    }

    mutating func fieldOn() {
        fieldOff()
        isInField = true
    }

    mutating func fieldOff() {
        (isInField, tapHasBegun, isSelected) = (false, false, false)
        (commandsInTap, passesInTap, isPaymentWithheld) = (0, 0, false)
        payment?.fieldOff()
        transport.clear()
    }

    /// The next payment is declined by the card.
    mutating func declineNext() { payment?.declinesNext = true }

    /// The owner has authenticated a payment card; a locked phone with a card has not, whatever was before.
    private var isPaymentAuthenticated: Bool { paymentAuthenticated && !(locked && definition.paymentCard != nil) }

    /// Whether a payment may follow: what the capabilities say.
    private var isReadyToPay: Bool { isPaymentAuthenticated || definition.paymentCard?.express == true }

    private mutating func beginTapIfNeeded() {
        guard !tapHasBegun else { return }
        tapHasBegun = true
        tapCount += 1
        if tapCount == definition.unlocksAtTap {
            authenticate()
        } else if tapCount > 1, definition.tapAuthenticates, !locked {
            alreadyRead = []
        }
        if let tap = definition.paymentCard?.armsAtTap, tap == tapCount {
            authenticate()
            paymentAuthenticated = true
        }
    }

    /// What happens to a command before anybody reads it: the phone answers, leaves or stays silent.
    mutating func answer(
        _ command: [UInt8], clock: () -> Date, random: (Int) -> [UInt8]
    ) -> PhoneAnswer {
        guard isInField else { return .leftField }
        beginTapIfNeeded()
        commandsInTap += 1
        if commandsInTap == definition.leavesFieldAt, tapCount <= definition.leavesFieldTaps ?? .max {
            fieldOff()
            return .leftField
        }
        if commandsInTap == definition.silentAt { return .silence }
        guard let response = respond(to: command, clock: clock, random: random) else { return .silence }
        return .response(response, after: .milliseconds(definition.answerDelay))
    }

    // MARK: Commands

    /// The answer, or nil for none.
    private mutating func respond(to bytes: [UInt8], clock: () -> Date, random: (Int) -> [UInt8]) -> [UInt8]? {
        do throws(Refusal) {
            guard bytes.count >= 4 else { throw .wrongLength }
            let command = try? CommandAPDU(bytes)
            if let command, let again = transport.resend(to: command) { return again }
            if bytes[0] == 0x00, bytes[1] == 0xC0 { return try getResponse(bytes, command) }
            transport.clear()
            let response = try dispatch(bytes, command, clock, random)
            guard let command else { throw .wrongLength }
            return transport.send(response, to: command, shape: definition.answer)
        } catch {
            return error.isSilent ? nil : error.status.bytes
        }
    }

    /// Whether the payment card hears this command: it is selected, or would be by this.
    private func isForPayment(_ bytes: [UInt8], _ command: CommandAPDU?) -> Bool {
        guard let payment else { return false }
        if definition.plastic != nil || payment.isSelected || !isSelected {
            return !isVASSelection(bytes, command)
                && (bytes[1] != 0xCA || payment.isSelected || payment.form == .plastic)
        }
        return bytes[0] == 0x00 && bytes[1] == 0xA4 && !isVASSelection(bytes, command)
    }

    private func isVASSelection(_ bytes: [UInt8], _ command: CommandAPDU?) -> Bool {
        bytes[0] == 0x00 && bytes[1] == 0xA4 && command?.data.elementsEqual(AID.valueAddedServices.bytes) == true
    }

    private mutating func pay(
        _ bytes: [UInt8], _ command: CommandAPDU?, _ random: (Int) -> [UInt8]
    ) throws(Refusal) -> ResponseAPDU {
        let situation = PaymentSituation(
            tap: tapCount, isAuthenticated: isPaymentAuthenticated, isWithheld: isPaymentWithheld)
        guard let response = try payment?.respond(bytes, command, situation, random) else { throw .unknownInstruction }
        if bytes[1] == 0xA4 { isSelected = false }
        return response
    }

    /// Class and instruction first, so that a malformed command of an unknown kind is unknown, not malformed.
    private mutating func dispatch(
        _ bytes: [UInt8], _ command: CommandAPDU?, _ clock: () -> Date, _ random: (Int) -> [UInt8]
    ) throws(Refusal) -> ResponseAPDU {
        if isForPayment(bytes, command) { return try pay(bytes, command, random) }
        switch (bytes[0], bytes[1]) {
        case (0x00, 0xA4):
            guard bytes[2] == 0x04, bytes[3] == 0x00 || bytes[3] == 0x02 else { throw Refusal(0x6A86) }
            guard let command else { throw .wrongLength }
            return try select(command, random)
        case (0x80, 0xCA) where definition.wallet == .applePay || !isSelected:
            guard isSelected else { throw .conditionsNotSatisfied }
            guard bytes[2] == 0x01, bytes[3] <= 0x01 else { throw .wrongParameters }
            if let word = bytes[3] == 0 ? definition.statusWords.urlOnly : definition.statusWords.getVASData {
                throw Refusal(word)
            }
            guard let command else { throw .wrongLength }
            return try getVASData(command, clock, random)
        case (0x00, _), (0x80, _): throw .unknownInstruction
        default: throw .unknownClass
        }
    }

    private mutating func getResponse(_ bytes: [UInt8], _ command: CommandAPDU?) throws(Refusal) -> [UInt8] {
        guard bytes[2] == 0, bytes[3] == 0 else { throw .wrongParameters }
        guard let command, command.data.isEmpty else { throw .wrongLength }
        return transport.more(for: command, shape: definition.answer)
    }

    /// SELECT by name; a name that is not found leaves the selection as it was (ISO/IEC 7816-4, 11.2.2).
    private mutating func select(_ command: CommandAPDU, _ random: (Int) -> [UInt8]) throws(Refusal) -> ResponseAPDU {
        guard command.data.elementsEqual(AID.valueAddedServices.bytes), command.p2 == 0x00,
            definition.wallet != .none
        else { throw .notFound }
        if let card = definition.plastic { throw Refusal(card.vasAnswer) }
        if let word = definition.statusWords.select { throw Refusal(word) }
        isSelected = true
        payment?.deselect()
        return ResponseAPDU(data: template(random), status: .success)
    }

    private func template(_ random: (Int) -> [UInt8]) -> [UInt8] {
        func bytes(_ count: Int) -> [UInt8] {
            Array((random(count) + [UInt8](repeating: 0, count: count)).prefix(count))
        }
        switch definition.wallet {
        case .applePay:
            // Bit 5 of the last byte: payment may be performed (proxmark3 `cmdhfvas.c`, PR #3129).
            let capabilities = definition.mobileCapabilities ?? [0, 0, 0, isReadyToPay ? 0x3E : 0x1E]
            return WalletTemplate.applePay(
                version: definition.applicationVersion, nonce: bytes(4), capabilities: capabilities)
        case .androidPay:
            let key = try? PayloadSealing.ephemeralKey(random: random).publicKey.compressed
            return WalletTemplate.androidPay(nonce: bytes(32), key: key ?? [0x02] + bytes(32))
        case .samsungWallet: return WalletTemplate.samsungWallet()
        case .nonsense, .none: return WalletTemplate.nonsense
        }
    }

    private mutating func getVASData(
        _ command: CommandAPDU, _ clock: () -> Date, _ random: (Int) -> [UInt8]
    ) throws(Refusal) -> ResponseAPDU {
        let urlOnly = command.p2 == 0x00
        let request = try VASCommand(command.data, urlOnly: urlOnly, version: definition.applicationVersion)
        if request.mode == .passOnly { isPaymentWithheld = true }
        guard let merchantID = request.merchantID else {
            keep(request.url)
            return ResponseAPDU(data: definition.answer.urlOnlyBody, status: .success)
        }
        if let word = forced[merchantID] { throw Refusal(word) }
        do {
            let index = try choosePass(for: merchantID)
            let cryptogram = try seal(index, merchantID, clock, random)
            alreadyRead.insert(index)
            passesInTap += 1
            if request.mode == .passOrPayment { isPaymentWithheld = true }
            return ResponseAPDU(data: definition.answer.template(cryptogram: cryptogram), status: .success)
        } catch {
            // The sign-up URL is for those who do not have the pass (kormax/apple-vas README).
            if error.status == 0x6A83 { keep(request.url) }
            throw error
        }
    }

    /// Which pass goes to this merchant, or the status word of kormax/apple-vas README that says why none does.
    private func choosePass(for merchantID: [UInt8]) throws(Refusal) -> Int {
        var found = candidates[merchantID] ?? []
        if let chosenPass { found = found.filter { definition.passes[$0].isNamed(chosenPass) } }
        guard !found.isEmpty else { throw Refusal(0x6A83) }
        if definition.onePassPerTap, !paymentAuthenticated, passesInTap > 0, !alreadyRead.isSuperset(of: found) {
            // Another pass is on screen by now.
            throw Refusal(0x6A83)
        }
        guard !locked else { throw Refusal(0x6287) }
        let unread = found.filter { !alreadyRead.contains($0) }
        guard !unread.isEmpty else { throw Refusal(0x6287) }
        guard unread.count == 1, let index = unread.first else { throw Refusal(0x6984) }
        if definition.passes[index].nfc?.requiresAuthentication == true, !authenticated { throw Refusal(0x6287) }
        return index
    }

    private func seal(
        _ index: Int, _ merchantID: [UInt8], _ clock: () -> Date, _ random: (Int) -> [UInt8]
    ) throws(Refusal) -> [UInt8] {
        guard let nfc = definition.passes[index].nfc else { throw Refusal(0x6A83) }
        do throws(CryptoError) {
            return try PayloadSealing.seal(
                nfc.messageBytes, timestamp: Self.timestamp(clock()), merchantID: merchantID,
                to: nfc.encryptionPublicKey, method: definition.cryptoMethod,
                ephemeral: PayloadSealing.ephemeralKey(random: random))
        } catch {
            // No precise diagnosis (ISO/IEC 7816-4, 5.6).
            throw Refusal(0x6F00)
        }
    }

    private mutating func keep(_ url: String?) {
        guard let url else { return }
        receivedURLs.append(url)
        if receivedURLs.count > Self.inboxSize { receivedURLs.removeFirst() }
    }

    /// Seconds since 2001-01-01T00:00:00Z, unsigned; dates outside are the nearest one inside.
    static func timestamp(_ date: Date) -> UInt32 {
        let seconds = date.timeIntervalSinceReferenceDate.rounded(.down)
        return UInt32(exactly: min(max(seconds, 0), 4_294_967_295)) ?? 0
    }
}
