// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// What JetStream answers to a published message (docs.nats.io, "JetStream wire API", PubAck).
struct NATSAcknowledgement: Decodable, Hashable {
    struct Failure: Decodable, Hashable {
        private enum CodingKeys: String, CodingKey {
            case code, detailedCode = "err_code", description
        }
        var code: Int?
        var detailedCode: Int?
        var description: String?
    }

    var stream: String?
    var seq: UInt64?
    var duplicate: Bool?
    var error: Failure?

    /// Reads an answer; nil when it is none.
    init?(_ body: [UInt8]) {
        guard let answer = try? JSONDecoder().decode(Self.self, from: Data(body)) else { return nil }
        self = answer
    }

    /// What it means for the event; nil when it says neither yes nor no.
    var report: DeliveryReport? {
        if let error {
            let words = "the stream did not take it: \(Self.plain(error.description ?? "no reason given"))"
            let isOfThisMessage = error.detailedCode.map { Self.messageErrors.contains($0) } ?? false
            return DeliveryReport(
                isOfThisMessage ? .refused(retryAfter: nil) : .unavailable(retryAfter: nil), status: error.code,
                detail: words)
        }
        guard let stream, let seq else { return nil }
        let known = duplicate == true ? ", which had it already" : ""
        return DeliveryReport(.delivered, detail: "stream \(Self.plain(stream)), sequence \(seq)\(known)")
    }

    /// Errors that lie in the message (nats-server, errors.json): header does not fit, message exceeds the maximum.
    private static let messageErrors: Set = [10024, 10054, 10097]

    /// A server's words, short and without control characters.
    private static func plain(_ text: String) -> String {
        String(text.unicodeScalars.prefix(200).map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) })
    }
}
