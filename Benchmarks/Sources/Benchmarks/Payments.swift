// SPDX-License-Identifier: Apache-2.0

import CBaseline
import EMVContactless
import Foundation
import ISO7816
import WalletCrypto

/// The host's share of a payment read, sealing included, against the bare OpenSSL operations that it needs.
func benchmarkPayments(rounds: Int, perRound: Int) throws -> [Row] {
    [
        try Payment(aid: "A0000000041010", hasSignature: true).comparison(rounds: rounds, perRound: perRound)
            .row("emv-cda: a read and its sealing / bare OpenSSL", atMost: 2),
        try Payment(aid: "A0000000031010", hasSignature: false).comparison(rounds: rounds, perRound: perRound)
            .row("emv-qvsdc: a read and its sealing / bare OpenSSL", atMost: 2.5),
    ]
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

    func comparison(rounds: Int, perRound: Int) throws -> Comparison {
        let scalar = [UInt8](repeating: 0x11, count: 32)
        guard let baseline = baseline_payment_new(scalar) else { throw BenchmarkFailure("no C baseline") }
        defer { baseline_payment_free(baseline) }
        return try ratio(rounds: rounds) {
            try nanoseconds { for _ in 0..<perRound { try readAndSeal() } } / Double(perRound)
        } baseline: {
            try nanoseconds { for _ in 0..<perRound { try bare(baseline) } } / Double(perRound)
        }
    }

    private func readAndSeal() throws {
        let result = try entryPoint.read(over: RecordedCard(responses))
        let sealed = try envelope.seal(
            result, transactionID: "BENCH-000001", at: Date(timeIntervalSince1970: 1_785_888_000))
        guard result.outcome.value == .onlineRequest, !sealed.paymentCardData.isEmpty else {
            throw BenchmarkFailure("the read ended otherwise")
        }
    }

    private func bare(_ baseline: OpaquePointer) throws {
        var recovered = [UInt8](repeating: 0, count: 256)
        for operation in operations {
            let (modulus, signature) = (operation.modulus, operation.signature)
            guard baseline_recover(modulus, signature, modulus.count, &recovered) == 1 else {
                throw BenchmarkFailure("the C baseline's RSA failed")
            }
        }
        var secret = [UInt8](repeating: 0, count: 32)
        var sealed = [UInt8](repeating: 0, count: 256 + 16)
        guard baseline_agree(baseline, provider.publicKey.uncompressed, &secret) == 1,
            baseline_seal(baseline, secret, recovered, 200, &sealed) == 1
        else { throw BenchmarkFailure("the C baseline failed") }
    }
}
