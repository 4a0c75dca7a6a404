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
        do { body = try await Self.body(of: request, upTo: limits.bodyBytes) } catch {
            log.end(entry, [("code", "incomplete")])
            throw error
        }
        guard let body else {
            log.end(entry, [("status", "413"), ("code", "bodyTooLarge")])
            return try await writer.write(response: Self.tooLarge, body: .init())
        }
        let answer = issuer.answer(Self.profileRequest(request, body))
        try await apply(issuer.fault, to: answer, entry, channel)
        let (head, bytes) = Self.response(answer.response, isHead: request.method == .head)
        do { try await writer.write(response: head, body: bytes) } catch {
            log.end(entry, [("code", "unread")])
            throw error
        }
        log.end(entry, answer.audit.fields)
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

    /// The whole body, or nil when it is longer than is taken.
    private static func body(of request: Request, upTo limit: Int) async throws -> [UInt8]? {
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limit { return nil }
        var bytes: [UInt8] = []
        for try await buffer in request.body {
            guard bytes.count + buffer.readableBytes <= limit else { return nil }
            bytes += buffer.readableBytesView
        }
        return bytes
    }

    private static func profileRequest(_ request: Request, _ body: [UInt8]) -> ProfileRequest {
        ProfileRequest(
            method: request.method.rawValue, target: request.head.path ?? "/",
            headers: request.headers.map { ProfileHeader($0.name.rawName, $0.value) }, body: body)
    }

    /// RFC 9110, 15.5.14. The rest of the body is read and thrown away, then the connection ends.
    private static var tooLarge: HTTPResponse {
        HTTPResponse(status: .contentTooLarge, headerFields: [.connection: "close", .contentLength: "0", .date: date])
    }

    private static var date: String { HTTPDate.text(Date()) }

    private static func response(_ answer: ProfileResponse, isHead: Bool) -> (HTTPResponse, ResponseBody) {
        var head = HTTPResponse(status: .init(code: answer.status))
        for field in answer.headers {
            guard let name = HTTPField.Name(field.name) else { continue }
            head.headerFields.append(HTTPField(name: name, value: field.value))
        }
        head.headerFields[.contentLength] = String(answer.body.count)
        // Blobs are for one device and one time (RFC 9111, 5.2.2.5).
        head.headerFields[.cacheControl] = "no-store"
        head.headerFields[.date] = date
        return (head, isHead ? .init() : .init(byteBuffer: ByteBuffer(bytes: answer.body)))
    }
}
