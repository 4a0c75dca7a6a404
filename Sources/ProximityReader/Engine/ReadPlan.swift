// SPDX-License-Identifier: Apache-2.0

internal import AppleVAS
internal import EMVContactless

/// What one read asks for: passes, a payment, or both.
struct ReadPlan: Sendable {
    /// The passes; nil reads none.
    var passes: VASPlan?
    /// The payment; nil reads none.
    var payment: PaymentPlan?
    /// Whether a pass ends the read before the payment.
    var stopsOnPass = false

    /// What phones are told, in 9F26 and in the polling frame.
    ///
    /// That `stopOnVASResult` is the difference between the modes 0 and 1 is not said by Apple; it follows from the
    /// modes' meaning (kormax/apple-vas README).
    var mode: VASMode {
        guard payment != nil else { return .vasOnly }
        guard passes != nil else { return .paymentOnly }
        return stopsOnPass ? .vasOrPayment : .vasAndPayment
    }
}

/// What a read brought; at least one of the two.
struct ReadOutcome: Sendable {
    var payment: PaymentCardReadResult?
    /// One entry for each merchant; nil when no pass was read.
    var passes: VASReadResult?
}
