// SPDX-License-Identifier: Apache-2.0

import AppleVAS
import EMVContactless
import EmulatedWallet
import Foundation
import ISO7816
import WalletCrypto

/// Whole taps in process, the phone's half included: select, read, decrypt. Speed, and memory after many.
func benchmarkTaps(count: Int) async throws -> [Row] {
    let passType = "pass.com.example.club"
    let key = try P256PrivateKey.generate()
    var ring = VASKeyRing()
    ring.add(key, passTypeIdentifier: passType)
    let pass = PhoneDefinition.Pass(
        passTypeIdentifier: passType, nfc: .init(message: "MEMBER-1234", encryptionPublicKey: key.publicKey))
    let reader = EmulatedReader(EmulatedPhone(PhoneDefinition(passes: [pass])))
    let counter = TapLoop(reader: reader, ring: ring, merchant: VASMerchant(passTypeIdentifier: passType))

    let warmUp = min(10_000, count / 10)
    try await counter.run(warmUp)
    let before = residentKiB()
    let start = ContinuousClock.now
    try await counter.run(count - warmUp)
    let seconds = Double((ContinuousClock.now - start) / .milliseconds(1)) / 1000
    let growth = residentKiB() - before
    return [
        Row(
            name: "taps per second in process", figure: String(format: "%.0f", Double(count - warmUp) / seconds),
            target: "", holds: nil),
        Row(
            name: "memory growth over \(count) taps", figure: "\(growth) KiB after the first \(warmUp)",
            target: "less than 1024 KiB", holds: growth < 1024),
    ]
}

private struct TapLoop: Sendable {
    var reader: EmulatedReader
    var ring: VASKeyRing
    var merchant: VASMerchant
    var payment: (configuration: EMVConfiguration, envelope: PaymentEnvelope)?

    func run(_ count: Int) async throws {
        let terminal = VASTerminal(mode: payment == nil ? .vasOnly : .vasAndPayment)
        for _ in 0..<count {
            _ = try await reader.waitForCard(timeout: .seconds(5))
            let (ring, merchant, payment) = (ring, merchant, payment)
            try await reader.withCard(ending: .unpower) { channel in
                let entry = try Self.entry(try terminal.read([merchant], over: AnyChannel(channel)))
                let opened = ring.decrypt(entry, passTypeIdentifier: merchant.passTypeIdentifier)
                guard case .success(let payload) = opened, payload.messageText == "MEMBER-1234" else {
                    throw BenchmarkFailure("a tap did not give the message")
                }
                if let payment { try Self.pay(payment.configuration, payment.envelope, over: AnyChannel(channel)) }
            }
        }
    }

    private static func pay(
        _ configuration: EMVConfiguration, _ envelope: PaymentEnvelope, over channel: AnyChannel
    ) throws {
        let transaction = EMVTransaction(
            amount: 1250, currency: 978, date: EMVDate(year: 2026, month: 8, day: 5),
            unpredictableNumber: RandomBytes.generate(4))
        let read = try EntryPoint(configuration: configuration, transaction: transaction)
            .read(over: channel, device: .phone)
        guard read.outcome.value == .onlineRequest, read.authentication?.isVerified == true else {
            throw BenchmarkFailure("a tap did not give a payment: \(read.outcome.reason)")
        }
        _ = try envelope.seal(read, transactionID: "BENCH-000001", at: Date(timeIntervalSince1970: 1_785_888_000))
    }

    private static func entry(_ result: VASTapResult) throws -> [UInt8] {
        guard let cryptogram = result.entries.first?.cryptogram else { throw BenchmarkFailure("a tap gave no pass") }
        return cryptogram
    }
}

/// Taps that give a pass and a payment, the phone's half with its RSA signatures included, no delay anywhere.
func benchmarkPassAndPaymentTaps(rounds: Int) async throws -> Row {
    let passType = "pass.com.example.club"
    let key = try P256PrivateKey.generate()
    var ring = VASKeyRing()
    ring.add(key, passTypeIdentifier: passType)
    var phone = PhoneDefinition(passes: [
        .init(passTypeIdentifier: passType, nfc: .init(message: "MEMBER-1234", encryptionPublicKey: key.publicKey))
    ])
    phone.paymentCard = PaymentCard(.mastercard)
    let authorities = try AuthorityKeys(json: Data(EmulatedCards.authorityKeysJSON.utf8))
    let configuration = EMVConfiguration(
        terminal: TerminalProfile(country: 276), combinations: Combination.standard(), authorities: authorities)
    let envelope = PaymentEnvelope(
        provider: ProviderKey(try P256PrivateKey.generate().publicKey), readerID: "reader:BENCH-01",
        merchantID: "merchant:BENCH")
    let loop = TapLoop(
        reader: EmulatedReader(EmulatedPhone(phone)), ring: ring, merchant: VASMerchant(passTypeIdentifier: passType),
        payment: (configuration, envelope))
    try await loop.run(3)
    var times: [Double] = []
    for _ in 0..<rounds {
        let start = DispatchTime.now().uptimeNanoseconds
        try await loop.run(1)
        times.append(Double(DispatchTime.now().uptimeNanoseconds - start))
    }
    return Row(
        name: "a tap with a pass and a payment, in process",
        figure: String(format: "%.2f ms, the emulated card's share included", median(times) / 1e6), target: "",
        holds: nil)
}

/// Opens the existential that the scope hands out.
private struct AnyChannel: CardChannel {
    let base: any CardChannel
    init(_ base: any CardChannel) { self.base = base }
    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] { try base.transmit(command) }
}
