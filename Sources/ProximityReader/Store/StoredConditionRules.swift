// SPDX-License-Identifier: Apache-2.0

/// What a condition does to the requests of a ``PaymentCardReaderStore``.
struct StoreConditionRule: Sendable {
    typealias Request = ConditionRule.StoreRequest
    typealias StoreError = PaymentCardReaderStore.StoreError

    let requests: Set<Request>
    let error: @Sendable (Condition) -> StoreError

    private init(_ requests: Set<Request>, _ error: @escaping @Sendable (Condition) -> StoreError) {
        (self.requests, self.error) = (requests, error)
    }

    private static let every = Set(Request.allCases)
    /// Fetching needs a passcode and the network, resolving needs the network (Apple documentation, store and forward).
    private static let online: Set<Request> = [.batch, .resolve]

    /// The rule of each condition that has one.
    static let table: [Condition.Name: StoreConditionRule] = [
        .notAllowed: .init(every) { _ in .notAllowed },
        .storeBusy: .init(every) { _ in .busy },
        .unknown: .init(every) { .unknown(code: $0.code) },
        .networkDown: .init(online) { _ in .networkError },
        .networkAuthentication: .init(online) { _ in .networkError },
        .passcodeDisabled: .init([.batch]) { _ in .passcodeDisabled },
        .storeAndForwardResultsNotFound: .init([.batch]) { _ in .storeAndForwardResultsNotFound },
        .storeAndForwardBatchNotFound: .init([.reset, .resolve]) { _ in .storeAndForwardBatchNotFound },
        .storeAndForwardBatchSizeInvalid: .init([.batch]) { _ in .storeAndForwardBatchSizeInvalid },
        .storeAndForwardBatchAlreadyExists: .init([.batch]) { _ in .storeAndForwardBatchAlreadyExists },
        .storeAndForwardDeletionTokenInvalid: .init([.resolve]) { _ in .storeAndForwardDeletionTokenInvalid },
        .storeAndForwardDeletionTokenExpired: .init([.resolve]) { _ in .storeAndForwardDeletionTokenExpired },
    ]
}

extension ConditionRule {
    /// A request to the store.
    enum StoreRequest: Hashable, Sendable, CaseIterable {
        case count, batch, reset, resolve
    }
}

extension Counter {
    /// Throws what the conditions make of a request to the store; the first condition of the list wins.
    func checkConditions(for request: ConditionRule.StoreRequest) throws(PaymentCardReaderStore.StoreError) {
        for condition in conditions {
            guard let rule = StoreConditionRule.table[condition.name], rule.requests.contains(request) else { continue }
            throw rule.error(condition)
        }
    }
}
