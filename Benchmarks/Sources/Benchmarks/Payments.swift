// SPDX-License-Identifier: Apache-2.0

import CBaseline
import EMVContactless
import Foundation
import ISO7816
import WalletCrypto

/// The host's share of a payment read, from the card's arrival to the sealed text, against the bare OpenSSL operations
/// that it needs: RSA public operations, one ECDH, one AES-GCM.
///
/// ECDH-ES needs the ephemeral key too, one more multiplication (RFC 7518, 4.6): a second ratio counts it as needed.
func benchmarkPayments(rounds: Int, perRound: Int) throws -> [Row] {
    let combined = try Payment(aid: "A0000000041010", hasSignature: true)
    return [
        try combined.comparison(rounds: rounds, perRound: perRound)
            .row("emv-cda: a read and its sealing / bare OpenSSL", atMost: 2),
        try combined.comparison(rounds: rounds, perRound: perRound, makesKey: true)
            .row("emv-cda: the same / with the ephemeral key", atMost: 2),
        try Payment(aid: "A0000000031010", hasSignature: false).comparison(rounds: rounds, perRound: perRound)
            .row("emv-qvsdc: a read and its sealing / bare OpenSSL", atMost: 2.5),
    ]
}

/// Memory after many reads of recorded answers, sealing included.
func benchmarkPaymentMemory(count: Int) throws -> Row {
    let payment = try Payment(aid: "A0000000041010", hasSignature: true)
    let warmUp = min(10_000, count / 10)
    for _ in 0..<warmUp { try payment.readAndSeal() }
    let before = residentKiB()
    for _ in warmUp..<count { try payment.readAndSeal() }
    let growth = residentKiB() - before
    return Row(
        name: "memory growth over \(count) payment taps", figure: "\(growth) KiB after the first \(warmUp)",
        target: "less than 1024 KiB", holds: growth < 1024)
}

private struct Payment {
    let entryPoint: EntryPoint
    let envelope: PaymentEnvelope
    let provider: P256PrivateKey
    let responses: [[UInt8]]
    let operations: [(modulus: [UInt8], signature: [UInt8])]

    /// Reads a signing card once; what it answered is answered again and again.
    init(aid: String, hasSignature: Bool) throws {
        let card = try SigningCard(aid: aid)
        let configuration = EMVConfiguration(
            terminal: TerminalProfile(country: 276), combinations: Combination.standard(cvmLimit: 5000),
            authorities: try card.authorities())
        let transaction = EMVTransaction(
            amount: 1250, currency: 978, date: EMVDate(year: 2026, month: 8, day: 5), unpredictableNumber: [1, 2, 3, 4])
        entryPoint = EntryPoint(configuration: configuration, transaction: transaction)
        provider = try P256PrivateKey.generate()
        envelope = PaymentEnvelope(
            provider: ProviderKey(provider.publicKey), readerID: "reader:BENCH-01", merchantID: "merchant:BENCH")
        operations = hasSignature ? try card.operations() : []
        let result = try entryPoint.read(over: card)
        guard result.outcome.value == .onlineRequest, result.authentication?.isVerified ?? !hasSignature else {
            throw BenchmarkFailure(
                "the card was not read: \(result.outcome.reason), \(String(describing: result.authentication))")
        }
        responses = card.responses
    }

    /// - Parameter makesKey: whether the bare operations include an ephemeral key.
    func comparison(rounds: Int, perRound: Int, makesKey: Bool = false) throws -> Comparison {
        let scalar = [UInt8](repeating: 0x11, count: 32)
        guard let baseline = baseline_payment_new(scalar) else { throw BenchmarkFailure("no C baseline") }
        defer { baseline_payment_free(baseline) }
        return try ratio(rounds: rounds) {
            try nanoseconds { for _ in 0..<perRound { try readAndSeal() } } / Double(perRound)
        } baseline: {
            try nanoseconds { for _ in 0..<perRound { try bare(baseline, makesKey) } } / Double(perRound)
        }
    }

    func readAndSeal() throws {
        let result = try entryPoint.read(over: RecordedCard(responses))
        let sealed = try envelope.seal(
            result, transactionID: "BENCH-000001", at: Date(timeIntervalSince1970: 1_785_888_000))
        guard result.outcome.value == .onlineRequest, !sealed.paymentCardData.isEmpty else {
            throw BenchmarkFailure("the read ended otherwise")
        }
    }

    private func bare(_ baseline: OpaquePointer, _ makesKey: Bool) throws {
        var recovered = [UInt8](repeating: 0, count: 256)
        for operation in operations {
            let (modulus, signature) = (operation.modulus, operation.signature)
            guard baseline_recover(modulus, signature, modulus.count, &recovered) == 1 else {
                throw BenchmarkFailure("the C baseline's RSA failed")
            }
        }
        var secret = [UInt8](repeating: 0, count: 32)
        var sealed = [UInt8](repeating: 0, count: 256 + 16)
        var point = [UInt8](repeating: 0, count: 65)
        guard !makesKey || baseline_make_key(baseline, &point) == 1,
            baseline_agree(baseline, provider.publicKey.uncompressed, &secret) == 1,
            baseline_seal(baseline, secret, recovered, 200, &sealed) == 1
        else { throw BenchmarkFailure("the C baseline failed") }
    }
}
