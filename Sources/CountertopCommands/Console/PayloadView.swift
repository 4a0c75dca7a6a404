// SPDX-License-Identifier: Apache-2.0

internal import AppleVAS
internal import CounterServer
internal import Foundation
internal import ISO7816

/// Opened pass data as the tool shows it.
struct PayloadView {
    let payload: VASPayload
    /// Set where it was judged.
    var freshness: VASFreshness.Verdict?

    init(_ payload: VASPayload) { self.payload = payload }

    /// RFC 3339 in UTC with `Z`, whole seconds.
    var timestamp: String { payload.timestamp.formatted(.iso8601) }

    var json: JSON {
        .object([
            "passTypeIdentifier": .string(payload.passTypeIdentifier), "keyId": .string(payload.keyID.description),
            "method": .number(payload.method), "timestamp": .string(timestamp),
            "message": message, "messageHex": .string(Hex.encode(payload.message)),
            "freshness": .optional(freshness?.name),
        ])
    }

    /// The message as text; null when it is not UTF-8.
    var message: JSON { payload.messageText.map { .string($0) } ?? .null }

    /// The message for people: text in which nothing moves the cursor, or hex.
    var messageLine: String {
        payload.messageText.map(Printable.text) ?? "hex \(Hex.encode(payload.message))"
    }

    var text: [String] {
        [
            "message:   \(messageLine)", "timestamp: \(timestamp)", "pass:      \(payload.passTypeIdentifier)",
            "key:       \(payload.keyID)", "method:    \(payload.method)",
        ] + (freshness.map { ["freshness: \($0.text)"] } ?? [])
    }
}
