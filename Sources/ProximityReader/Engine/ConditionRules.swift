// SPDX-License-Identifier: Apache-2.0

/// What a condition does: which request of the reader it stops, and at which point it stops a read.
struct ConditionRule: Sendable {
    /// A request to the reader object.
    enum Request: Hashable, Sendable, CaseIterable {
        case identifier, linkCheck, link, relink, prepare
        /// Preparing without a network, a read of such a session, and asking for the store.
        case prepareStored, storedRead, fetchStore
    }

    /// A point in a read: before its sheet, when the sheet comes up, after `readyForTap`, after `cardDetected`, and
    /// there for payments only. Then those of a PIN (before it is asked for, and at the pad), and of a stored read that
    /// is declined.
    enum ReadPoint: Hashable, Sendable {
        case start, sheet, waiting, tap, payment, pinStart, pinPad, decline
    }

    var requests: Set<Request> = []
    var requestError: @Sendable (Condition) -> PaymentCardReaderError = { _ in .notAllowed }
    var readPoint: ReadPoint?
    var readError: @Sendable (Condition) -> PaymentCardReaderSession.ReadError = { _ in .readNotAllowed }

    /// Stops requests.
    static func stops(
        _ requests: Set<Request>, _ error: @escaping @Sendable (Condition) -> PaymentCardReaderError
    ) -> ConditionRule {
        ConditionRule(requests: requests, requestError: error)
    }

    /// Stops reads.
    static func read(
        _ point: ReadPoint, _ error: @escaping @Sendable (Condition) -> PaymentCardReaderSession.ReadError
    ) -> ConditionRule {
        ConditionRule(readPoint: point, readError: error)
    }

    /// Stops reads too.
    func read(
        _ point: ReadPoint, _ error: @escaping @Sendable (Condition) -> PaymentCardReaderSession.ReadError
    ) -> ConditionRule {
        ConditionRule(requests: requests, requestError: requestError, readPoint: point, readError: error)
    }
}

extension ConditionRule {
    private static let every = Set(Request.allCases).subtracting([.storedRead])
    private static let online: Set<Request> = [.linkCheck, .link, .relink, .prepare]
    /// Preparing, with a network or without.
    private static let preparing: Set<Request> = [.prepare, .prepareStored]
    private static let stored: Set<Request> = [.prepareStored, .storedRead]
    private static let linking: Set<Request> = [.link, .relink]

    /// The rule of each condition. `slowPreparation`, `accountNotLinked`, `sessionLost` and `paymentCardDeclined` have
    /// none: they change what the counter does, and the errors follow from that. `requestInterrupted` stops a
    /// preparation midway, elsewhere; those of the store have a table of their own.
    static let table: [Condition.Name: ConditionRule] = [
        .notAllowed: stops(every) { _ in .notAllowed }.read(.start) { _ in .readNotAllowed },
        .unsupported: stops(every) { _ in .unsupported },
        .osVersionNotSupported: stops(every) { _ in .osVersionNotSupported },
        .modelNotSupported: stops(every) { _ in .modelNotSupported },
        .background: stops(every) { _ in .backgroundRequestNotAllowed }.read(.start) { _ in .readFromBackgroundError },
        .requestInterrupted: stops(linking) { _ in .requestInterrupted },
        .passcodeDisabled: stops(online.union(preparing)) { _ in .passcodeDisabled }.read(.start) { _ in
            .passcodeDisabled
        },
        .networkDown: stops(online) { _ in .networkError }.read(.start) { _ in .readerSessionNetworkError },
        .networkAuthentication: stops(online) { _ in .networkAuthenticationError }
            .read(.start) { _ in .readerSessionAuthenticationError },
        .serviceConnection: stops(every) { _ in .serviceConnectionError }
            .read(.start) { _ in .readerServiceConnectionError },
        .notReady: stops(preparing) { _ in .notReady },
        .prepareFailed: stops(preparing) { .prepareFailed($0.value) },
        .prepareExpired: stops([.prepare]) { _ in .prepareExpired },
        .deviceBanned: stops(preparing) { .deviceBanned($0.date) },
        .memoryFull: stops(preparing) { _ in .readerMemoryFull },
        .readerBusy: stops(preparing) { _ in .readerBusy },
        .emptyReaderToken: stops(online) { _ in .emptyReaderToken },
        .invalidReaderToken: stops(online) { .invalidReaderToken($0.value) },
        .tokenExpired: stops(online) { _ in .tokenExpired }.read(.start) { _ in .readerTokenExpired },
        .invalidMerchant: stops(online) { _ in .invalidMerchant },
        .merchantBlocked: stops(online) { _ in .merchantBlocked },
        .accountDeactivated: stops([.prepare]) { _ in .accountDeactivated },
        .accountAlreadyLinked: stops([.link]) { _ in .accountAlreadyLinked },
        .linkingFailed: stops(linking) { _ in .accountLinkingFailed },
        .iCloudSignInRequired: stops(linking) { _ in .accountLinkingRequiresiCloudSignIn },
        .linkingCancelled: stops(linking) { _ in .accountLinkingCancelled },
        .linkCheckFailed: stops([.linkCheck]) { _ in .accountLinkingCheckFailed },
        .sessionExpired: read(.start) { _ in .readerSessionExpired },
        .sessionBusy: read(.start) { _ in .readerSessionBusy },
        .readNotAllowed: read(.start) { _ in .readNotAllowed },
        .callInProgress: read(.start) { _ in .readNotAllowedDuringCall },
        .readerServiceError: read(.start) { _ in .readerServiceError },
        .readerInitializationFailed: read(.start) { _ in .readerInitializationFailed },
        .readerNotAvailable: read(.start) { _ in .readerNotAvailable },
        .invalidAmount: read(.start) { _ in .invalidAmount },
        .invalidCurrencyCode: read(.start) { _ in .invalidCurrencyCode },
        .invalidPreferredAID: read(.start) { _ in .invalidPreferredAID },
        .invalidVASMerchants: read(.start) { .invalidVASMerchants($0.value) },
        .invalidVASRequestParameters: read(.start) { .invalidVASRequestParameters($0.value) },
        .nfcDisabled: read(.sheet) { _ in .nfcDisabled },
        .readCancelled: read(.waiting) { _ in .readCancelled },
        .cardReadFailed: read(.tap) { _ in .cardReadFailed },
        .vasReadFail: read(.tap) { _ in .vasReadFail },
        .paymentReadFailed: read(.payment) { _ in .paymentReadFailed },
        .cardNotSupported: read(.tap) { _ in .cardNotSupported },
        .storeAndForwardNotAllowed: stops([.prepareStored]) { _ in .storeAndForwardNotAllowed },
        .storeAndForwardSessionExpired: stops(stored) { _ in .storeAndForwardSessionExpired },
        .storeAndForwardSessionInvalidated: stops(stored) { _ in .storeAndForwardSessionInvalidated },
        .storeAndForwardTokenIssuerChanged: stops([.prepareStored]) { _ in .storeAndForwardTokenIssuerChanged },
        .storeAndForwardDeclineFailed: read(.decline) { _ in .storeAndForwardDeclineFailed },
        .storeAndForwardResultNotFound: read(.decline) { _ in .storeAndForwardResultNotFound },
        .pinTokenInvalid: read(.pinStart) { _ in .pinTokenInvalid },
        .pinNotAllowed: read(.pinStart) { _ in .pinNotAllowed },
        .pinEntryFailed: read(.pinPad) { _ in .pinEntryFailed },
        .pinEntryTimeout: read(.pinPad) { _ in .pinEntryTimeout },
        .pinCancelled: read(.pinPad) { _ in .pinCancelled },
        .unknown: stops(every) { .unknown(code: $0.code) }.read(.start) { .unknown(code: $0.code) },
    ]
}

extension Counter {
    /// Throws what the conditions make of a request; the first condition of the list wins.
    func checkConditions(for request: ConditionRule.Request) throws(PaymentCardReaderError) {
        for condition in conditions {
            guard let rule = ConditionRule.table[condition.name], rule.requests.contains(request) else { continue }
            throw rule.requestError(condition)
        }
    }

    /// Throws what the conditions make of a read at a point; the first condition of the list wins.
    ///
    /// - Parameter offline: whether the read needs no network, and nothing that only the network tells.
    func checkConditions(
        at point: ConditionRule.ReadPoint, offline: Bool = false
    ) throws(PaymentCardReaderSession.ReadError) {
        let online: Set<Condition.Name> = [.networkDown, .networkAuthentication, .tokenExpired]
        for condition in conditions where !offline || !online.contains(condition.name) {
            guard let rule = ConditionRule.table[condition.name], rule.readPoint == point else { continue }
            throw rule.readError(condition)
        }
    }

    func has(_ name: Condition.Name) -> Bool { conditions.contains { $0.name == name } }
}
