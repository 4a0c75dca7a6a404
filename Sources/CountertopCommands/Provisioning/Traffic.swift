// SPDX-License-Identifier: Apache-2.0

internal import InAppProvisioning
internal import Synchronization
internal import WalletCrypto

/// What passed between the app and its back end in one flow, for the report. Never printed.
final class Traffic: Sendable, Concealed {
    struct Sent: Sendable {
        var request: WalletRequest
        var message: ProfileRequest
    }

    let profile: ProcessorProfile
    private let card: CardDetails?
    private let limit: Duration
    private let isUnmasked: Bool
    private let state = Mutex<(sent: Sent?, exchange: BackEnd.Exchange?)>((nil, nil))

    /// - Parameter card: the card that should come, if that is known.
    init(_ profile: ProcessorProfile, card: CardDetails?, limit: Duration, isUnmasked: Bool) {
        (self.profile, self.card, self.limit, self.isUnmasked) = (profile, card, limit, isUnmasked)
    }

    var sent: Sent? { state.withLock { $0.sent } }
    var exchange: BackEnd.Exchange? { state.withLock { $0.exchange } }

    func note(_ sent: Sent) { state.withLock { $0.sent = sent } }
    func note(_ exchange: BackEnd.Exchange) { state.withLock { $0.exchange = exchange } }

    /// Whether the back end gave a sealed card, or something in its place.
    var wasAnswered: Bool {
        if case .answered(let response) = exchange?.outcome { (200..<300).contains(response.status) } else { false }
    }

    /// What the wallet cannot see of its flow.
    func complete(_ flow: inout RecordedFlow) {
        (flow.profile, flow.card, flow.isUnmasked) = (profile, card, isUnmasked)
        flow.limit = limit / .seconds(1)
        guard let sent, let exchange else { return }
        (flow.sent, flow.seconds) = (sent.message, exchange.seconds)
        switch exchange.outcome {
        case .answered(let response): flow.received = response
        // Being late is a check of its own.
        case .noAnswer(let reason): if !exchange.isLate { flow.transportFailure = reason }
        }
        // Time is judged by the exchange. The app that is played here gives up only when the back end gave nothing,
        // which the checks of groups R and E say already.
        let judgedHere = ["R-fast", "H-not-empty"]
        let gaveUp = flow.observed.contains { $0.id == "H-not-empty" }
        flow.observed.removeAll { judgedHere.contains($0.id) }
        flow.lookedAt.remove("R-fast")
        guard gaveUp, let check = ConformanceCheck.named("H-not-empty") else { return }
        flow.lookedAt.remove(check.id)
        flow.observed.append(ConformanceResult(check, .notVerifiable, "the back end gave nothing to pass on"))
    }
}
