// SPDX-License-Identifier: Apache-2.0

internal import EMVContactless

/// Asks for a PIN between `removeCard` and `readCompleted`, when the card wants one for its issuer.
///
/// It shows `pinEntryRequested` and `pinEntryCompleted` itself, gets the read without a PIN and returns what the app
/// gets.
struct PINStep: Sendable {
    typealias Failure = PaymentCardReaderSession.ReadError

    let run: @Sendable (Sheet, PaymentCardReadResult) async throws(Failure) -> PaymentCardReadResult
}

/// What a session reads payment cards with.
struct SessionTools: Sendable {
    let emv: EMVConfiguration
    let sealing: Sealing
    var kind = SessionKind.plain
}

/// What makes a session more than a plain one. Store and forward hooks in here.
struct SessionKind: Sendable {
    typealias Failure = PaymentCardReaderSession.ReadError

    /// Whether it works without a network, and without what only a network tells.
    var isOffline = false
    /// Whether results say if the card is valid yet, and still.
    var tellsCardDates = false
    /// Asked before the sheet of each payment read; what it throws, the read throws.
    var admit: @Sendable () async throws -> Void = {}
    /// Given each sealed read before `readCompleted`; what it returns is what the app gets.
    var keep: @Sendable (PaymentCardReadResult) async throws(Failure) -> PaymentCardReadResult = {
        (result: PaymentCardReadResult) async throws(Failure) in result
    }

    /// A session that hands its reads to the app, and that is all.
    static let plain = SessionKind()
}
