// SPDX-License-Identifier: Apache-2.0

import BERTLV
import ISO7816

/// What the phone knows that decides how its payment card answers.
struct PaymentSituation {
    /// The tap, counted from 1.
    let tap: Int
    /// The owner has authenticated the card, and the phone is not locked.
    let isAuthenticated: Bool
    /// The tap is over for payment: passes only, or a pass instead of a payment.
    let isWithheld: Bool
}

/// The payment side of a phone, or a plastic card: selection, transaction, counters.
struct PaymentState {
    let card: PaymentCard
    let form: CardForm
    /// The next transaction is declined.
    var declinesNext = false
    private var counter: UInt16
    private var failures = 0
    /// The applications, once somebody has selected one.
    private var loaded: [PaymentApplication] = []
    private var selected: Int?
    private var transaction: PaymentTransaction?

    init(_ card: PaymentCard, form: CardForm) {
        (self.card, self.form, counter) = (card, form, card.counter)
    }

    /// Whether an application is selected, which then hears every command.
    var isSelected: Bool { selected != nil }
    /// How many transactions have begun.
    private(set) var transactionCount = 0

    /// The field is gone, or another environment is selected.
    mutating func deselect() { (selected, transaction) = (nil, nil) }

    mutating func fieldOff() {
        deselect()
        failures = 0
    }

    /// Carries out a command; counts what fails, as wallets do (metrodroid pull request 889).
    mutating func respond(
        _ bytes: [UInt8], _ command: CommandAPDU?, _ situation: PaymentSituation, _ random: (Int) -> [UInt8]
    ) throws(Refusal) -> ResponseAPDU {
        let budget = card.errorBudget ?? (form == .phone ? 5 : 0)
        guard budget == 0 || failures < budget else { throw .conditionsNotSatisfied }
        do {
            return ResponseAPDU(data: try dispatch(bytes, command, situation, random), status: .success)
        } catch {
            failures += 1
            throw error
        }
    }

    private mutating func dispatch(
        _ bytes: [UInt8], _ command: CommandAPDU?, _ situation: PaymentSituation, _ random: (Int) -> [UInt8]
    ) throws(Refusal) -> [UInt8] {
        switch (bytes[0], bytes[1]) {
        case (0x00, 0xA4):
            guard bytes[2] == 0x04, bytes[3] == 0x00 || bytes[3] == 0x02 else { throw Refusal(0x6A86) }
            return try select(try Self.case4(command), situation)
        case (0x80, 0xA8): return try getProcessingOptions(bytes, command, situation, random)
        case (0x00, 0xB2): return try readRecord(bytes, command, situation)
        case (0x80, 0xAE): return try generateAC(bytes, command, situation, random)
        case (0x00, 0x88): return try internalAuthenticate(bytes, command)
        case (0x80, 0xCA): return try getData(bytes, command)
        case (0x00, _), (0x80, _): throw .unknownInstruction
        default: throw .unknownClass
        }
    }

    /// Commands with data and Le: real cards answer 6700 to one without (proxmark3 issue #1094).
    private static func case4(_ command: CommandAPDU?) throws(Refusal) -> CommandAPDU {
        guard let command, command.ne != nil, !command.data.isEmpty else { throw .wrongLength }
        return command
    }

    /// Commands with Le and nothing else: a stray Lc breaks them (proxmark3 issue #171).
    private static func case2(_ command: CommandAPDU?) throws(Refusal) -> CommandAPDU {
        guard let command, command.ne != nil, command.data.isEmpty, command.bytes.count == 5 else { throw .wrongLength }
        return command
    }

    private mutating func applications() -> [PaymentApplication] {
        if loaded.isEmpty { loaded = ([card] + card.others).map { PaymentApplication($0, form: form) } }
        return loaded
    }

    private func canPay(_ situation: PaymentSituation) -> Bool {
        form == .plastic || card.express || situation.isAuthenticated
    }

    /// A forced status word of this tap.
    private func check(
        _ word: KeyPath<PaymentStatusWords, StatusWord?>, of card: PaymentCard, _ situation: PaymentSituation
    ) throws(Refusal) {
        guard situation.tap <= self.card.statusWordTaps ?? .max else { return }
        if let status = card.statusWords[keyPath: word] { throw Refusal(status) }
    }

    // MARK: SELECT

    private mutating func select(
        _ command: CommandAPDU, _ situation: PaymentSituation
    ) throws(Refusal) -> [UInt8] {
        if !canPay(situation) {
            if card.unarmed == .notFound { throw .notFound }
            if card.unarmed == .silent { throw .silence }
        }
        if situation.isWithheld { throw .notFound }
        let name = Array(command.data)
        if name == AID.proximityPaymentSystem.bytes, command.p2 == 0 {
            try check(\.ppse, of: card, situation)
            deselect()
            return directory()
        }
        let applications = applications()
        let matches = applications.indices.filter { index in
            name.count >= 5 && applications[index].profile.aid.starts(with: name)
        }
        // P2 02: the next one of that name (ISO/IEC 7816-4, 11.2.2).
        let index = matches.first { command.p2 == 0 || $0 > selected ?? -1 }
        guard let index else { throw .notFound }
        try check(\.select, of: applications[index].card, situation)
        (selected, transaction) = (index, nil)
        return applications[index].fileControlInformation()
    }

    private mutating func directory() -> [UInt8] {
        let entries = applications().enumerated().flatMap { index, application in
            application.directoryEntry(priority: UInt8(truncatingIfNeeded: min(index + 1, 15)))
        }
        return TLVBuilder.build {
            $0.append(0x6F) {
                $0.append(0x84, AID.proximityPaymentSystem.bytes)
                $0.append(0xA5) { $0.append(0xBF0C, entries) }
            }
        }
    }

    private func current() throws(Refusal) -> PaymentApplication {
        guard let selected, loaded.indices.contains(selected) else { throw .conditionsNotSatisfied }
        return loaded[selected]
    }

    // MARK: The transaction

    private mutating func getProcessingOptions(
        _ bytes: [UInt8], _ command: CommandAPDU?, _ situation: PaymentSituation, _ random: (Int) -> [UInt8]
    ) throws(Refusal) -> [UInt8] {
        guard bytes[2] == 0, bytes[3] == 0 else { throw Refusal(0x6A86) }
        let command = try Self.case4(command)
        let application = try current()
        guard transaction == nil else { throw .conditionsNotSatisfied }
        try check(\.gpo, of: application.card, situation)
        guard let objects = try? TLV.read(command.data, rules: .lenient), objects.count == 1,
            let template = objects.first, template.tag == 0x83
        else { throw .incorrectData }
        guard let values = application.pdol.values(in: template.value) else { throw .wrongLength }
        let isVerified = form == .phone && card.cdcvm && situation.isAuthenticated
        var transaction = PaymentTransaction(
            pdolValues: template.bytes, values: values, counter: counter,
            decision: declinesNext ? .declined : application.card.cryptogram, isOwnerVerified: isVerified, form: form)
        // The consumer must look at the phone (sheet of kernel 3's status words): not ready, or not verified.
        guard canPay(situation), form == .plastic || isVerified || !transaction.requiresCVM else {
            throw Refusal(0x6986)
        }
        counter &+= 1
        transactionCount += 1
        declinesNext = false
        let answer = transaction.processingOptions(application, random: random)
        self.transaction = transaction
        return answer
    }

    private mutating func readRecord(
        _ bytes: [UInt8], _ command: CommandAPDU?, _ situation: PaymentSituation
    ) throws(Refusal) -> [UInt8] {
        _ = try Self.case2(command)
        guard bytes[3] & 7 == 4, bytes[2] != 0 else { throw Refusal(0x6A86) }
        let application = try current()
        guard let transaction, let selected else { throw .conditionsNotSatisfied }
        try check(\.record, of: application.card, situation)
        let record = loaded[selected].record(
            file: bytes[3] >> 3, number: bytes[2], transaction.recordState, withProof: transaction.hasProof,
            dynamic: transaction.dynamic)
        guard let record else { throw Refusal(0x6A83) }
        return record
    }

    private mutating func generateAC(
        _ bytes: [UInt8], _ command: CommandAPDU?, _ situation: PaymentSituation, _ random: (Int) -> [UInt8]
    ) throws(Refusal) -> [UInt8] {
        let application = try current()
        guard case .generateAC = application.profile.flow else { throw .unknownInstruction }
        // Type in bits 8-7, CDA in bit 5 (EMV Book 3, 6.5.5).
        let types: [UInt8: CardDecision] = [0x00: .declined, 0x40: .approved, 0x80: .online]
        guard let requested = types[bytes[2] & 0xC0], bytes[2] & 0x2F == 0, bytes[3] == 0 else { throw Refusal(0x6A86) }
        let command = try Self.case4(command)
        guard var transaction, !transaction.hasGenerated else { throw .conditionsNotSatisfied }
        try check(\.generateAC, of: application.card, situation)
        guard let values = application.cdol.values(in: command.data) else { throw .wrongLength }
        let answer = transaction.generate(
            application, requested: requested, isCombined: bytes[2] & 0x10 != 0, data: Array(command.data),
            values: values, random: random)
        self.transaction = transaction
        return answer
    }

    private mutating func internalAuthenticate(_ bytes: [UInt8], _ command: CommandAPDU?) throws(Refusal) -> [UInt8] {
        let application = try current()
        guard form == .plastic, application.card.authentication == .dynamic else { throw .unknownInstruction }
        guard bytes[2] == 0, bytes[3] == 0 else { throw Refusal(0x6A86) }
        let command = try Self.case4(command)
        guard let transaction else { throw .conditionsNotSatisfied }
        guard let answer = transaction.authenticate(application, Array(command.data)) else { throw Refusal(0x6F00) }
        return answer
    }

    /// The transaction counter of a plastic card; phones have nothing to give (EMV Book 3, 6.5.7).
    private mutating func getData(_ bytes: [UInt8], _ command: CommandAPDU?) throws(Refusal) -> [UInt8] {
        guard form == .plastic else { throw .unknownInstruction }
        _ = try current()
        _ = try Self.case2(command)
        guard bytes[2] == 0x9F, bytes[3] == 0x36 else { throw Refusal(0x6A88) }
        let last =
            transaction?.counter ?? [UInt8(truncatingIfNeeded: counter >> 8), UInt8(truncatingIfNeeded: counter)]
        return CardObjects([(0x9F36, last)]).bytes
    }
}
