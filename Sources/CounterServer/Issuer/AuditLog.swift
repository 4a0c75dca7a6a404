// SPDX-License-Identifier: Apache-2.0

internal import InAppProvisioning
internal import Synchronization
internal import WalletCrypto

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Writes what happened to each request as lines of JSON: time, the request's name, how long it took, and what
/// ``IssuerAudit`` has of it. Nothing that came from a client stands in it: not its target, whose query holds the nonce
/// in some interfaces, not a header field, not a byte of a body.
final class AuditLog: Sendable {
    private let write: (@Sendable (String) -> Void)?
    /// Tells the requests of one run from those of another.
    private let run = BlobEncoding.hex.encode(RandomBytes.generate(4))
    private let count = Atomic<Int>(0)

    init(_ write: (@Sendable (String) -> Void)?) { self.write = write }

    /// The beginning of a request.
    struct Entry: Sendable {
        let id: String
        let start = ContinuousClock.now
    }

    func begin() -> Entry { Entry(id: "\(run)-\(count.add(1, ordering: .relaxed).newValue)") }

    func end(_ entry: Entry, _ fields: [(name: String, value: String)]) {
        line([("request", entry.id)], (ContinuousClock.now - entry.start) / .milliseconds(1), fields)
    }

    /// A connection that was closed because it took too long.
    func timeout(_ phase: RequestClock.Phase) {
        guard phase == .reading || phase == .answering else { return }
        line([], nil, [("code", phase == .reading ? "requestTimeout" : "answerTimeout")])
    }

    /// A connection that ends because what came is no request.
    func malformed(_ request: MalformedRequest) {
        line([], nil, [("status", String(request.status)), ("code", "malformedRequest")])
    }

    private func line(
        _ head: [(name: String, value: String)], _ milliseconds: Double?, _ fields: [(name: String, value: String)]
    ) {
        guard let write else { return }
        let time = Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        var members = [JSONValue.Member("time", .string(time))]
        members += head.map { JSONValue.Member($0.name, .string($0.value)) }
        if let milliseconds {
            members.append(.init("milliseconds", .number(String((milliseconds * 10).rounded() / 10))))
        }
        members += fields.map { name, value in
            JSONValue.Member(name, name == "status" ? .number(value) : .string(value))
        }
        write(String(decoding: JSONValue.object(members).utf8, as: UTF8.self))
    }
}
