// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HummingbirdCore
internal import InAppProvisioning
internal import NIOCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Turns a request of any method and path into the issuer's, and its answer into one of HTTP.
struct IssuerResponder: Sendable {
    let issuer: ReferenceIssuer
    let limits: ServerLimits
    let log: AuditLog

    /// A connection that was closed on purpose.
    private struct Dropped: Error {}

    func respond(to request: Request, _ writer: consuming ResponseWriter, on channel: any Channel) async throws {
        let entry = log.begin()
        let body: [UInt8]?
        do {
            let isTooLong = request.announcesMore(than: limits.bodyBytes)
            if request.expectsContinue, !isTooLong {
                try await writer.writeInformationalHead(HTTPResponse(status: .continue))
            }
            body = isTooLong ? nil : try await request.wholeBody(upTo: limits.bodyBytes)
        } catch {
            log.end(entry, [("code", "incomplete")])
            throw error
        }
        guard let body else {
            log.end(entry, [("status", "413"), ("code", "bodyTooLarge")])
            return try await refuse(writer)
        }
        let answer = issuer.answer(Self.profileRequest(request, body))
        try await apply(issuer.fault, to: answer, entry, channel)
        let (head, bytes) = Self.response(answer.response, isHead: request.method == .head)
        // Before the answer goes: there is no answer without a line.
        log.end(entry, answer.audit.fields)
        try await writer.write(response: head, body: bytes)
    }

    private func apply(
        _ fault: IssuerFault?, to answer: ReferenceIssuer.Answer, _ entry: AuditLog.Entry, _ channel: any Channel
    ) async throws {
        switch fault {
        case .delay(let milliseconds): try await Task.sleep(for: .milliseconds(milliseconds))
        case .drop:
            log.end(entry, answer.audit.fields.filter { $0.name != "status" } + [("answer", "dropped")])
            try? await channel.close()
            throw Dropped()
        default: break
        }
    }

    private static func profileRequest(_ request: Request, _ body: [UInt8]) -> ProfileRequest {
        ProfileRequest(
            method: request.method.rawValue, target: request.head.path ?? "/",
            headers: request.headers.map { ProfileHeader($0.name.rawName, $0.value) }, body: body)
    }

    /// What is said to a client that does not speak HTTP.
    func refusal(_ request: MalformedRequest) -> MalformedRequest.Answer {
        log.malformed(request)
        let refusal = Self.refusal(request.status, "malformedRequest", request.reason)
        return .init(type: refusal.headers.first?.value ?? "application/json", body: refusal.body)
    }

    private static func refusal(_ status: Int, _ code: String, _ text: String) -> ProfileResponse {
        ProcessorProfile(name: "none", title: "", source: "", path: "/").refusal(status: status, code: code, text: text)
    }

    /// RFC 9110, 15.5.14. The rest of the body is read and thrown away, then the connection ends.
    private func refuse(_ writer: consuming ResponseWriter) async throws {
        let refusal = Self.refusal(413, "bodyTooLarge", "The body has more than \(limits.bodyBytes) bytes")
        var (head, body) = Self.response(refusal, isHead: false)
        head.headerFields[.connection] = "close"
        try await writer.write(response: head, body: body)
    }

    private static func response(_ answer: ProfileResponse, isHead: Bool) -> (HTTPResponse, ResponseBody) {
        var head = HTTPResponse(status: .init(code: answer.status))
        for field in answer.headers {
            guard let name = HTTPField.Name(field.name) else { continue }
            head.headerFields.append(HTTPField(name: name, value: field.value))
        }
        head.headerFields[.contentLength] = String(answer.body.count)
        // Blobs are for one device and one time (RFC 9111, 5.2.2.5).
        head.headerFields[.cacheControl] = "no-store"
        head.headerFields[.date] = HTTPDate.text(Date())
        return (head, isHead ? .init() : .init(byteBuffer: ByteBuffer(bytes: answer.body)))
    }
}
