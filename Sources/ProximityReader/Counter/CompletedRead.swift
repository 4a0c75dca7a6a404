// SPDX-License-Identifier: Apache-2.0

/// A read that has its result, as ``Counter/Configuration/beforeCompletion`` gets it: what the app is about to be given.
public struct CompletedRead: Sendable {
    /// The passes, with the identifier that the app's result will have; nil where the read brings none.
    public let passes: VASReadResult?
    /// The payment; nil where the read brings none. Its outcome in words, and its kernel, are in ``tap``.
    public let payment: PaymentCardReadResult?
    /// The read's last tap.
    public let tap: TapReport

    /// From its parts.
    public init(passes: VASReadResult?, payment: PaymentCardReadResult?, tap: TapReport) {
        (self.passes, self.payment, self.tap) = (passes, payment, tap)
    }
}
