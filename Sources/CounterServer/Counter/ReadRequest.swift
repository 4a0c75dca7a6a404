// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import ProximityReader

/// What each read asks for, over Apple's API.
struct ReadRequest: Sendable {
    /// A pass type, and where a phone without the pass is sent.
    struct Pass: Sendable {
        let id: String
        var url: URL?
    }

    let passes: [Pass]
    /// The payment; nil reads passes alone.
    var payment: (amount: Decimal, currency: String)?

    /// One read. What it brings was kept before it returns.
    func read(in session: PaymentCardReaderSession) async throws {
        guard let payment else {
            _ = try await session.readVAS(request)
            return
        }
        let transaction = PaymentCardTransactionRequest(
            amount: payment.amount, currencyCode: payment.currency, for: .purchase)
        if passes.isEmpty {
            _ = try await session.readPaymentCard(transaction)
        } else {
            _ = try await session.readPaymentCard(transaction, vasRequest: request, stopOnVASResult: false)
        }
    }

    private var request: VASRequest {
        VASRequest(vasMerchants: passes.map { .init(id: $0.id, url: $0.url) })
    }

    /// What traces say they are about.
    var title: String {
        let names = passes.map(\.id) + (payment.map { ["a payment of \($0.amount) \($0.currency)"] } ?? [])
        return "a tap for \(names.joined(separator: ", "))"
    }
}
