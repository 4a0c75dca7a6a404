// SPDX-License-Identifier: Apache-2.0

import APDUTrace
import BERTLV
import CardTesting
import EMVContactless
import EmulatedWallet
import Foundation
import ISO7816
import TestSupport
import Testing

@testable import ProximityReader

/// What kernel reads which network's emulated card.
struct NetworkCase: Sendable, CustomTestStringConvertible {
    let network: PaymentNetwork
    let kernel: String

    var testDescription: String { network.rawValue }

    static let all: [NetworkCase] = [
        NetworkCase(network: .visa, kernel: "03"), NetworkCase(network: .mastercard, kernel: "02"),
        NetworkCase(network: .amex, kernel: "04"), NetworkCase(network: .discover, kernel: "06"),
        NetworkCase(network: .unionpay, kernel: "07"), NetworkCase(network: .jcb, kernel: "05"),
        NetworkCase(network: .interac, kernel: "65"),
    ]
}

@Suite("Payments from the emulated wallet")
struct EmulatedPaymentTests {
    static func phone(_ network: PaymentNetwork = .visa, _ edit: (inout PaymentCard) -> Void = { _ in }) -> PaymentCard
    {
        var card = PaymentCard(network)
        edit(&card)
        return card
    }

    /// The body that runs on every carrier: a pass and a payment from one tap, the payment opened with the provider's
    /// key.
    static func expectBoth(
        _ result: Result<PaymentBench.Both, any Error>, _ events: [String], _ bench: PaymentBench, kernel: String
    ) throws {
        let both = try result.get()
        let payment = try #require(both.payment)
        #expect(payment.outcome == .success && payment.applicationTypeIdentifier == kernel)
        #expect(both.passes?.entries.map(\.id) == [Bench.club] && both.passes?.entries.first?.status == .success)
        #expect(try bench.sealed(0x9F02, in: payment) == "000000001250")
        #expect(try bench.sealed(0x5F2A, in: payment) == "0978")
        let pan = try #require(try bench.sealed(0x5A, in: payment) ?? bench.sealed(0x57, in: payment))
        let digits = String(pan.prefix { $0 != "D" && $0 != "F" })
        #expect(TestCards.contains(pan: digits))
        #expect(events == Sequence.good)
    }

    @Test("A phone pays and shows its pass in one tap", arguments: NetworkCase.all)
    func phone(_ row: NetworkCase) async throws {
        let bench = try PaymentBench { $0.paymentCard = Self.phone(row.network) }
        let (result, events) = await bench.read(passes: [Bench.club])
        try Self.expectBoth(result, events, bench, kernel: row.kernel)
        #expect(try bench.bench.messages(result.map(\.passes).flatMap(Self.passes)) == ["M-1"])
    }

    static func passes(_ result: VASReadResult?) -> Result<VASReadResult, any Error> {
        result.map { .success($0) } ?? .failure(CancellationError())
    }

    @Test("A plastic card pays, at the cost of one command more", arguments: NetworkCase.all)
    func plastic(_ row: NetworkCase) async throws {
        let bench = try PaymentBench { phone in
            phone = PhoneDefinition(passes: [])
            phone.plastic = Self.phone(row.network)
        }
        let (alone, _) = await bench.read()
        #expect(try alone.get().payment?.applicationTypeIdentifier == row.kernel)
        let commands = try #require(bench.bench.counter.lastTap?.commandDurations.count)
        let (result, events) = await bench.read(passes: [Bench.club])
        #expect(try result.get().payment?.outcome == .success && result.get().passes == nil)
        #expect(bench.bench.counter.lastTap?.commandDurations.count == commands + 1)
        #expect(events == Sequence.good)
    }

    @Test("The five rows of the table, from emulated phones and cards")
    func table() async throws {
        let row:
            [(name: String, stops: Bool, edit: @Sendable (inout PhoneDefinition) -> Void, paid: Bool, pass: Bool)] = [
                ("stop, pass", true, { $0.paymentCard = Self.phone() }, false, true),
                ("stop, card", true, { $0 = Self.plasticPhone }, true, false),
                ("both", false, { $0.paymentCard = Self.phone() }, true, true),
                ("pass only", false, { _ in }, false, true),
                (
                    "pass, card not armed", false, { $0.paymentCard = Self.phone(.visa) { $0.armed = false } }, false,
                    true
                ),
                ("card", false, { $0 = Self.plasticPhone }, true, false),
            ]
        for row in row {
            let bench = try PaymentBench(row.edit)
            let (result, events) = await bench.read(passes: [Bench.club], stops: row.stops)
            let both = try result.get()
            #expect((both.payment != nil) == row.paid, "\(row.name)")
            #expect((both.passes != nil) == row.pass, "\(row.name)")
            #expect(events == Sequence.good, "\(row.name)")
        }
    }

    static let plasticPhone: PhoneDefinition = {
        var phone = PhoneDefinition(passes: [])
        phone.plastic = PaymentCard(.visa)
        return phone
    }()

    @Test("A locked phone that unlocks at its second tap pays then")
    func locked() async throws {
        let bench = try PaymentBench { phone in
            phone.locked = true
            phone.unlocksAtTap = 2
            phone.paymentCard = Self.phone()
        }
        let (result, events) = await bench.read(passes: [Bench.club])
        #expect(try result.get().payment != nil && result.get().passes != nil)
        #expect(events == Sequence.retry + Sequence.good)
    }

    @Test("A phone that leaves at a command, and comes back", arguments: 1...5)
    func leaves(_ command: Int) async throws {
        let bench = try PaymentBench { phone in
            phone.leavesFieldAt = command
            phone.leavesFieldTaps = 1
            phone.paymentCard = Self.phone()
        }
        let (result, events) = await bench.read(passes: [Bench.club])
        #expect(try result.get().payment?.outcome == .success)
        #expect(try result.get().passes?.entries.first?.status == .success)
        #expect(events == Sequence.retry + Sequence.good)
    }

    @Test("A verification reads a card without an amount")
    func verification() async throws {
        for network in [PaymentNetwork.visa, .mastercard, .amex, .discover, .unionpay] {
            let bench = try PaymentBench { $0.plastic = PaymentCard(network) }
            let (result, events) = await bench.bench.run { reader in
                try await reader.prepare(using: bench.bench.token())
                    .readPaymentCard(PaymentCardVerificationRequest(currencyCode: "EUR", for: .saveCard))
            }
            let payment = try result.get()
            #expect(payment.outcome == .success && events == Sequence.good)
            #expect(try bench.sealed(0x9F02, in: payment) == "000000000000")
        }
    }

    @Test("The same tap, recorded and replayed")
    func replayed() async throws {
        let recorder = TraceRecorder()
        let bench = try PaymentBench {
            $0.paymentCard = Self.phone()
        } set: {
            $0.wrapReader = { RecordingReader($0, recorder: recorder) }
        }
        let (first, events) = await bench.read(passes: [Bench.club])
        try Self.expectBoth(first, events, bench, kernel: "03")
        // Another unpredictable number, by meaning the same command.
        let replay = try PaymentBench { _ in
        } reader: { _ in
            TraceReader(recorder.trace, name: "recorded", matching: .byMeaning)
        }
        let (second, again) = await replay.read(passes: [Bench.club])
        try Self.expectBoth(second, again, replay, kernel: "03")
        // The recorder puts a filler in place of a cryptogram: what is compared is that both taps are reads.
        #expect(try second.get().payment?.id != first.get().payment?.id)
    }

    @Test(
        "Recorded cards of the vectors, as replay:FILE",
        .enabled(if: PaymentVectors.isThere, "COUNTERTOP_VECTORS is not set"), arguments: PaymentVectors.traces)
    func recorded(_ name: String) async throws {
        let file = try #require(PaymentVectors.folder) + "traces/" + name
        let bench = try PaymentBench { _ in
        } set: {
            $0.reader = .replay(file: file)
        }
        let (result, events) = await bench.read()
        #expect(CutTests.isWhole(events), "\(events)")
        switch result {
        case .success(let both): #expect(both.payment?.paymentCardData != nil)
        case .failure(let error): #expect(error is PaymentCardReaderSession.ReadError, "\(error)")
        }
        if name.hasPrefix("k3-visa") { #expect(caseName(result) == nil) }
        // Without the authority's key the cryptogram inside the signature stays unknown.
        if name.hasPrefix("k4-amex") { #expect(bench.bench.counter.lastTap?.payment?.reason.code == "dataMissing") }
    }
}
