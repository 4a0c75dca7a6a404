// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import WalletCrypto

/// The three header fields of Standard Webhooks, and the text that they sign.
public enum WebhookSignature {
    /// `webhook-id`.
    public static let idField = "webhook-id"
    /// `webhook-timestamp`: seconds since 1970, of this attempt.
    public static let timestampField = "webhook-timestamp"
    /// `webhook-signature`: space-separated, one for each secret.
    public static let signatureField = "webhook-signature"

    /// `id.timestamp.body`.
    static func text(id: String, timestamp: String, body: [UInt8]) -> [UInt8] {
        Array("\(id).\(timestamp).".utf8) + body
    }

    /// The fields of one attempt, signed with every secret, the first one first.
    public static func fields(
        id: ULID, at time: Date, body: [UInt8], secrets: [WebhookSecret]
    ) throws(CryptoError) -> [(name: String, value: String)] {
        let timestamp = String(Int64(time.timeIntervalSince1970.rounded(.down)))
        let text = text(id: id.description, timestamp: timestamp, body: body)
        let signatures = try secrets.map { secret throws(CryptoError) in try secret.signature(of: text) }
        return [
            (idField, id.description), (timestampField, timestamp),
            (signatureField, signatures.joined(separator: " ")),
        ]
    }
}

/// Why a webhook was not accepted.
public struct WebhookRejection: Error, Hashable, Sendable {
    /// The kind of fault. Open: a later version may add codes.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// The code's name, stable over versions.
        public let rawValue: String
        /// A code by name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A header field is not there, or makes no sense.
        public static let headerField = Code(rawValue: "headerField")
        /// Signed too long ago, or in the future.
        public static let timestamp = Code(rawValue: "timestamp")
        /// No signature is of a known key over these bytes.
        public static let signature = Code(rawValue: "signature")
    }

    /// The kind of fault.
    public let code: Code
    /// What is wrong, in one sentence without a full stop.
    public let reason: String
}

/// The receiving side of Standard Webhooks.
public struct WebhookVerifier: Sendable {
    /// How far the sender's clock may be off, as the reference libraries have it.
    public static let tolerance = 300.0

    private let keys: [WebhookVerificationKey]

    /// A verifier with the keys that are accepted.
    public init(keys: [WebhookVerificationKey]) { self.keys = keys }

    /// Checks one request; returns its `webhook-id`.
    ///
    /// - Parameters:
    ///   - body: the bytes as they came.
    ///   - field: the value of a header field by its lower-case name.
    public func verify(
        body: [UInt8], at time: Date = Date(), field: (String) -> String?
    ) throws(WebhookRejection) -> String {
        let (id, timestamp, signatures) = (
            try required(WebhookSignature.idField, field), try required(WebhookSignature.timestampField, field),
            try required(WebhookSignature.signatureField, field)
        )
        guard let seconds = Int64(timestamp), !id.contains(".") else {
            throw WebhookRejection(code: .headerField, reason: "webhook-id or webhook-timestamp makes no sense")
        }
        let text = WebhookSignature.text(id: id, timestamp: timestamp, body: body)
        guard keys.contains(where: { $0.accepts(signatures, of: text) }) else {
            throw WebhookRejection(code: .signature, reason: "no signature is of a known secret over these bytes")
        }
        let age = time.timeIntervalSince1970 - Double(seconds)
        guard abs(age) <= Self.tolerance else {
            let side = age > 0 ? "ago" : "ahead"
            throw WebhookRejection(code: .timestamp, reason: "it was signed \(Int64(min(abs(age), 1e12))) s \(side)")
        }
        return id
    }

    private func required(_ name: String, _ field: (String) -> String?) throws(WebhookRejection) -> String {
        guard let value = field(name), !value.isEmpty else {
            throw WebhookRejection(code: .headerField, reason: "the header field \(name) is missing")
        }
        return value
    }
}
