// SPDX-License-Identifier: Apache-2.0

internal import EMVContactless
internal import ISO7816

/// An outcome of the entry point in Apple's words; the only place where they meet.
enum PaymentVerdict: Sendable {
    typealias Failure = PaymentCardReaderSession.ReadError

    /// The card was read.
    case read
    /// The same card once more, after its owner looked at it.
    case restart
    /// The card declined.
    case declined
    /// No payment came of it.
    case failed(Failure)

    private static let values: [EMVOutcome.Value: PaymentVerdict] = [
        // A test counter's offline approval is a read, as an online request is.
        .approved: .read, .onlineRequest: .read, .requestOnlinePIN: .read, .tryAgain: .restart, .declined: .declined,
        .tryAnotherInterface: .failed(.cardReadFailed), .endApplication: .failed(.cardReadFailed),
        .selectNext: .failed(.cardReadFailed),
    ]

    /// Reasons that say more than the value, by their code.
    private static let reasons: [String: PaymentVerdict] = [
        EMVReason.readOnly.code: .read,
        EMVReason.noSupportedApplication.code: .failed(.cardNotSupported),
        EMVReason.noKernel.code: .failed(.cardNotSupported),
        EMVReason.magStripeMode.code: .failed(.cardNotSupported),
        EMVReason.notATestCard.code: .failed(.cardNotSupported),
        EMVReason.nothingConfigured.code: .failed(.paymentReadFailed),
        EMVReason.notAllowedContactless.code: .failed(.paymentReadFailed),
    ]

    init(_ outcome: EMVOutcome) {
        self = Self.reasons[outcome.reason.code] ?? Self.values[outcome.value] ?? .failed(.cardReadFailed)
    }

    /// The error where nothing else can come of it.
    var error: Failure {
        switch self {
        case .failed(let error): error
        case .declined: .paymentCardDeclined
        case .read, .restart: .paymentReadFailed
        }
    }
}

extension EMVReason {
    /// The counter takes published test numbers only.
    static let notATestCard = EMVReason(
        code: "notATestCard", text: "The card's number is not a published test number, and the counter takes no other")
}

extension Tap {
    /// Drops a card that is not a published test card, its data overwritten. Every number that it sent must be one; a
    /// card that gave a cryptogram without a number that can be read is refused too.
    mutating func refuseLiveCard() {
        guard let read = payment else { return }
        let numbers = read.data.accountNumbers
        let isUnknown = numbers.isEmpty && read.outcome.hasDataRecord
        guard isUnknown || !numbers.allSatisfy({ TestCards.contains(pan: $0) }) else { return }
        read.data.erase()
        payment = nil
        report.payment = EMVOutcome(.endApplication, .notATestCard)
        report.ending = .payment
    }
}
