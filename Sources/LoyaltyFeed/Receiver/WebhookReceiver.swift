// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

/// What a receiver made of one webhook.
public struct ReceivedWebhook: Sendable {
    /// `webhook-id`.
    public let id: String
    /// The body as it came.
    public let body: [UInt8]
    /// Whether the id was there before: then the webhook is accepted and counts for nothing.
    public let isDuplicate: Bool
}

/// The receiving side as a provider would write it: verifies, sees duplicates, keeps a ledger, then accepts.
public final class WebhookReceiver: Sendable {
    private struct State: ~Copyable {
        var seen: Set<String> = []
        var ledger: LineFile?
        var answers: [ReceiverAnswer]
    }

    private let verifier: WebhookVerifier
    private let state: Mutex<State>
    private let now: @Sendable () -> Date
    private let onWebhook: @Sendable (ReceivedWebhook) -> Void
    private let onRejection: @Sendable (WebhookRejection) -> Void

    /// A receiver.
    ///
    /// - Parameters:
    ///   - ledger: a file to which each new id is appended and synced before it is accepted; the ids in it are
    ///     duplicates from the beginning.
    ///   - answers: the answers to the first requests, before they are looked at: for rehearsing failures.
    public init(
        verifier: WebhookVerifier, ledger path: String? = nil, answers: [ReceiverAnswer] = [],
        now: @escaping @Sendable () -> Date = { Date() },
        onWebhook: @escaping @Sendable (ReceivedWebhook) -> Void,
        onRejection: @escaping @Sendable (WebhookRejection) -> Void = { _ in }
    ) throws(LedgerError) {
        (self.verifier, self.now, self.onWebhook, self.onRejection) = (verifier, now, onWebhook, onRejection)
        let seen = try path.map { path throws(LedgerError) in try Self.ids(in: path) } ?? []
        // A line that is not whole was never answered for.
        let file = path.map { LineFile(path: $0) { _ in true } }
        state = Mutex(State(seen: seen, ledger: file, answers: answers))
    }

    /// Answers one request: 204 for an event that is kept, or was kept before, 401 for a signature that is not good.
    public func answer(_ request: ReceivedRequest) -> ReceiverAnswer {
        if let planned = state.withLock({ $0.answers.isEmpty ? nil : $0.answers.removeFirst() }) { return planned }
        guard request.method == "POST" else { return ReceiverAnswer(405, headers: [("allow", "POST")]) }
        do throws(WebhookRejection) {
            let id = try verifier.verify(body: request.body, at: now()) { request.field($0) }
            guard let isNew = keep(id) else { return ReceiverAnswer(503, headers: [("retry-after", "1")]) }
            onWebhook(ReceivedWebhook(id: id, body: request.body, isDuplicate: !isNew))
            return ReceiverAnswer(204)
        } catch {
            onRejection(error)
            return ReceiverAnswer(401)
        }
    }

    /// Whether the id is new, after it was kept; nil when it cannot be kept.
    private func keep(_ id: String) -> Bool? {
        state.withLock { state -> Bool? in
            if state.seen.contains(id) { return false }
            if state.ledger != nil {
                do {
                    _ = try state.ledger?.open(tailLines: 1, limit: 4096)
                    try state.ledger?.append(Array("\(id)\n".utf8))
                } catch {
                    return nil
                }
            }
            state.seen.insert(id)
            return true
        }
    }

    private static func ids(in path: String) throws(LedgerError) -> Set<String> {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw LedgerError(reason: "the ledger \(path) cannot be read")
        }
        let whole = bytes.lastIndex(of: 0x0A).map { bytes[...$0] } ?? Data()
        return Set(String(decoding: whole, as: UTF8.self).split(separator: "\n").map(String.init))
    }

    /// A ledger file that cannot be used.
    public struct LedgerError: Error, Hashable, Sendable {
        /// What is wrong, in one sentence without a full stop.
        public let reason: String
    }
}
