// SPDX-License-Identifier: Apache-2.0

/// What a condition does: which request of the reader it stops, and at which point it stops a read.
struct ConditionRule: Sendable {
    /// A request to the reader object.
    enum Request: Hashable, Sendable, CaseIterable {
        case identifier, linkCheck, link, relink, prepare
    }

    /// A point in a read: before its sheet, when the sheet comes up, after `readyForTap`, after `cardDetected`, and
    /// there for payments only.
    enum ReadPoint: Hashable, Sendable {
        case start, sheet, waiting, tap, payment
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
    private static let every = Set(Request.allCases)
    private static let online: Set<Request> = [.linkCheck, .link, .relink, .prepare]
    private static let linking: Set<Request> = [.link, .relink]

    /// The rule of each condition. `slowPreparation`, `accountNotLinked`, `sessionLost` and `paymentCardDeclined` have none: they
    /// change what the counter does, and the errors follow from that. `requestInterrupted` stops a preparation midway, elsewhere.
    static let table: [Condition.Name: ConditionRule] = [
        .notAllowed: stops(every) { _ in .notAllowed }.read(.start) { _ in .readNotAllowed },
        .unsupported: stops(every) { _ in .unsupported },
        .osVersionNotSupported: stops(every) { _ in .osVersionNotSupported },
        .modelNotSupported: stops(every) { _ in .modelNotSupported },
        .background: stops(every) { _ in .backgroundRequestNotAllowed }.read(.start) { _ in .readFromBackgroundError },
        .requestInterrupted: stops(linking) { _ in .requestInterrupted },
        .passcodeDisabled: stops(online) { _ in .passcodeDisabled }.read(.start) { _ in .passcodeDisabled },
        .networkDown: stops(online) { _ in .networkError }.read(.start) { _ in .readerSessionNetworkError },
        .networkAuthentication: stops(online) { _ in .networkAuthenticationError }
            .read(.start) { _ in .readerSessionAuthenticationError },
        .serviceConnection: stops(every) { _ in .serviceConnectionError }
            .read(.start) { _ in .readerServiceConnectionError },
        .notReady: stops([.prepare]) { _ in .notReady },
        .prepareFailed: stops([.prepare]) { .prepareFailed($0.value) },
        .prepareExpired: stops([.prepare]) { _ in .prepareExpired },
        .deviceBanned: stops([.prepare]) { .deviceBanned($0.date) },
        .memoryFull: stops([.prepare]) { _ in .readerMemoryFull },
        .readerBusy: stops([.prepare]) { _ in .readerBusy },
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
    func checkConditions(at point: ConditionRule.ReadPoint) throws(PaymentCardReaderSession.ReadError) {
        for condition in conditions {
            guard let rule = ConditionRule.table[condition.name], rule.readPoint == point else { continue }
            throw rule.readError(condition)
        }
    }

    func has(_ name: Condition.Name) -> Bool { conditions.contains { $0.name == name } }
}
