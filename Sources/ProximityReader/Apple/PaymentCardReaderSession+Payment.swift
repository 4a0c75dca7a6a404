// SPDX-License-Identifier: Apache-2.0

@available(iOS 15.4, macCatalyst 17.0, *)
extension PaymentCardReaderSession {
    /// Reads a payment card for an amount.
    ///
    /// - Returns: sealed data for the payment provider: a request for an online authorisation, never an approval.
    /// - Throws: ``ReadError``.
    @available(iOS 16.0, *)
    public func readPaymentCard(_ request: PaymentCardTransactionRequest) async throws -> PaymentCardReadResult {
        try await life.core.readPayment(.transaction(request), in: life, handler: nil)
    }

    /// Reads a payment card without an amount.
    ///
    /// - Returns: sealed data for the payment provider.
    /// - Throws: ``ReadError``.
    @available(iOS 16.0, *)
    public func readPaymentCard(_ request: PaymentCardVerificationRequest) async throws -> PaymentCardReadResult {
        try await life.core.readPayment(.verification(request), in: life, handler: nil)
    }

    /// Reads loyalty passes and a payment card in one tap.
    ///
    /// - Parameters:
    ///   - request: the payment.
    ///   - vasRequest: the passes, which are read first.
    ///   - stopOnVASResult: true ends the read with a pass; false goes on to the payment in the same tap.
    /// - Returns: what was there: a payment, passes, or both; never neither.
    /// - Throws: ``ReadError``.
    @available(iOS 16.0, *)
    public func readPaymentCard(
        _ request: PaymentCardTransactionRequest, vasRequest: VASRequest, stopOnVASResult: Bool
    ) async throws -> (PaymentCardReadResult?, VASReadResult?) {
        try await life.core.readBoth(request, vasRequest, stops: stopOnVASResult, in: life, handler: nil)
    }

    /// Reads a payment card for an amount, telling a handler of what happens.
    ///
    /// - Parameters:
    ///   - request: what to read for.
    ///   - eventHandler: called one at a time, on no particular thread; the reader's events get the same.
    /// - Throws: ``ReadError``.
    @available(*, deprecated, message: "Use readPaymentCard(_:) and PaymentCardReader.events.")
    public func readPaymentCard(
        _ request: PaymentCardTransactionRequest, eventHandler: ((PaymentCardReaderSession.Event) -> Void)? = nil
    ) async throws -> PaymentCardReadResult {
        try await life.core.readPayment(.transaction(request), in: life, handler: Unguarded(old: eventHandler))
    }

    /// Reads a payment card without an amount, telling a handler of what happens.
    ///
    /// - Parameters:
    ///   - request: what to read for.
    ///   - eventHandler: called one at a time, on no particular thread; the reader's events get the same.
    /// - Throws: ``ReadError``.
    @available(*, deprecated, message: "Use readPaymentCard(_:) and PaymentCardReader.events.")
    public func readPaymentCard(
        _ request: PaymentCardVerificationRequest, eventHandler: ((PaymentCardReaderSession.Event) -> Void)? = nil
    ) async throws -> PaymentCardReadResult {
        try await life.core.readPayment(.verification(request), in: life, handler: Unguarded(old: eventHandler))
    }

    /// Reads loyalty passes and a payment card in one tap, telling a handler of what happens.
    ///
    /// - Parameters:
    ///   - request: the payment.
    ///   - vasRequest: the passes, which are read first.
    ///   - stopOnVASResult: true ends the read with a pass; false goes on to the payment in the same tap.
    ///   - eventHandler: called one at a time, on no particular thread; the reader's events get the same.
    /// - Throws: ``ReadError``.
    @available(*, deprecated, message: "Use the form without a handler, and PaymentCardReader.events.")
    public func readPaymentCard(
        _ request: PaymentCardTransactionRequest, vasRequest: VASRequest, stopOnVASResult: Bool,
        eventHandler: ((PaymentCardReaderSession.Event) -> Void)? = nil
    ) async throws -> (PaymentCardReadResult?, VASReadResult?) {
        try await life.core.readBoth(
            request, vasRequest, stops: stopOnVASResult, in: life, handler: Unguarded(old: eventHandler))
    }

    /// Passes that the last read got before it failed; nil when it brought a result, or got none. countertop's own.
    ///
    /// A phone hands a pass out once per authentication. When the payment part of a read is declined or cancelled, the
    /// passes of its first part are here. They are not used for later reads: the next tap may be another customer's.
    public var passesOfFailedRead: VASReadResult? { life.keptPasses }
}

extension Unguarded {
    /// The handler of a deprecated form; nil without one.
    @available(*, deprecated, message: "For the deprecated forms only.")
    init?(old handler: ((PaymentCardReaderSession.Event) -> Void)?) {
        guard let handler else { return nil }
        self.init { event in
            if let event = PaymentCardReaderSession.Event(event) { handler(event) }
        }
    }
}
