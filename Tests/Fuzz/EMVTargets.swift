// SPDX-License-Identifier: Apache-2.0

import BERTLV
import EMVContactless
import ISO7816

/// Objects that a card sends, each by its own parser.
@Sendable func fuzzPaymentObjects(_ bytes: [UInt8]) {
    if let list = try? DataObjectList(bytes) {
        precondition(list.data(from: [[0x9F02: bytes]]).count == list.dataLength, "a DOL's data have another length")
    }
    _ = (try? ApplicationFileLocator(bytes))?.records
    _ = (try? CardholderVerificationList(bytes))?.rules.map(\.words)
    _ = (try? CandidateList(directory: bytes, combinations: [ActiveCombination]()))?.entries
    for field in BitFields.all { _ = field.words(for: bytes) }
    var decoder = TranscriptDecoder()
    decoder.observe(command: [0x80, 0xA8, 0x00, 0x00], response: bytes)
    decoder.observe(command: [], response: bytes + [0x90, 0x00])
    _ = decoder.data.maskedPAN
}

/// Certificates: with exponent 1 what is recovered is what the fuzzer gives.
@Sendable func fuzzRecovery(_ bytes: [UInt8]) {
    guard bytes.count > 64 else { return }
    let certificate = Array(bytes.prefix(128))
    let key = RecoveryKey(modulus: [UInt8](repeating: 0xFF, count: certificate.count), exponent: [1])
    for exponent in [[3], [1, 0, 1]] as [[UInt8]] {
        _ = try? IssuerCertificate(
            certificate, remainder: Array(bytes.dropFirst(128)), exponent: exponent, authority: key)
    }
}

/// A card that answers whatever the fuzzer likes: one length byte, then that many bytes, for each command.
@Sendable func fuzzPaymentCard(_ bytes: [UInt8]) {
    var configuration = EMVConfiguration(
        terminal: TerminalProfile(country: 276), combinations: Combination.standard(cvmLimit: 5000))
    configuration.acceptsMagStripeMode = true
    configuration.triesConfiguredNames = true
    let transaction = EMVTransaction(
        amount: 1250, currency: 978, date: EMVDate(year: 2026, month: 8, day: 5), unpredictableNumber: [1, 2, 3, 4])
    let entryPoint = EntryPoint(configuration: configuration, transaction: transaction)
    let result = try? entryPoint.read(over: FuzzedCard(bytes))
    precondition(result?.outcome.value != .selectNext, "the entry point ended with select next")
}

private final class FuzzedCard: CardChannel {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    func transmit(_ command: [UInt8]) throws(CardChannelError) -> [UInt8] {
        guard let length = rest.popFirst() else { throw CardChannelError(.cardGone, reason: "no more answers") }
        defer { rest = rest.dropFirst(Int(length)) }
        return Array(rest.prefix(Int(length)))
    }
}
