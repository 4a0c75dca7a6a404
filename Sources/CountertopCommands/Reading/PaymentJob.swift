// SPDX-License-Identifier: Apache-2.0

internal import AppleVAS
internal import CounterServer
internal import EMVContactless
internal import ProximityReader

/// A payment card, with passes before it or without.
struct PaymentJob: ReadJob {
    /// What is read for.
    enum Request: @unchecked Sendable {
        // VASRequest is a class whose one variable is set before it gets here.
        case transaction(PaymentCardTransactionRequest)
        case verification(PaymentCardVerificationRequest)
        case both(PaymentCardTransactionRequest, VASRequest, stopOnVASResult: Bool)

        func read(in session: PaymentCardReaderSession) async throws -> (PaymentCardReadResult?, VASReadResult?) {
            switch self {
            case .transaction(let request): return (try await session.readPaymentCard(request), nil)
            case .verification(let request): return (try await session.readPaymentCard(request), nil)
            case .both(let request, let passes, let stops):
                return try await session.readPaymentCard(request, vasRequest: passes, stopOnVASResult: stops)
            }
        }
    }

    let request: Request
    let ring: VASKeyRing
    let judge: VASFreshness?

    func read(_ run: CounterRun, _ talk: Talk) async throws -> ReadView {
        let request = request
        let (payment, passes) = try await run.perform { session in try await request.read(in: session) }
        let view = PaymentResultView(
            payment: payment, passes: passes.map(show), reason: run.lastTap?.payment?.reason.text, events: run.events)
        return ReadView(json: view.json, text: view.text(talk), complaint: view.complaint)
    }

    private func show(_ passes: VASReadResult) -> ReadResultView { ReadResultView(passes, ring: ring, judge: judge) }

    func json(_ error: ToolError, _ failure: ReadFailure, events: [String]) -> JSON {
        PaymentResultView(
            payment: nil, passes: failure.passes.map(show), reason: failure.tap?.payment?.reason.text, events: events
        ).json(error)
    }

    func text(_ failure: ReadFailure, _ talk: Talk) -> [String] {
        failure.passes.map { ["payment: none"] + show($0).text(talk) } ?? []
    }
}
