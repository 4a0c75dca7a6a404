// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HummingbirdCore
internal import Logging
internal import NIOCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Takes requests through the checks to their route, and answers.
struct APIResponder: Sendable {
    private let table: RouteTable
    private let rules: AccessRules
    private let streams: EventStreams
    private let logger: Logger

    init(_ routes: CounterRoutes) {
        let settings = routes.settings
        table = routes.table
        rules = AccessRules(
            address: settings.server.address, allowedHosts: settings.allowedHosts, tokens: settings.tokens)
        streams = EventStreams(settings.server.limits)
        logger = settings.server.logger
    }

    func timeout(_ phase: RequestClock.Phase) {
        if phase != .idle { logger.debug("A connection took too long", metadata: ["while": "\(phase)"]) }
    }

    func refusal(_ request: MalformedRequest) -> MalformedRequest.Answer {
        logger.debug("What came is no request", metadata: ["status": "\(request.status)"])
        let problem = Problem(request.status, "malformedRequest", request.reason)
        return .init(type: MediaType.problem.field, body: Array(problem.json.compact.utf8))
    }

    func respond(to request: Request, _ writer: consuming ResponseWriter, on channel: any Channel) async throws {
        let start = ContinuousClock.now
        var (path, isRead) = ("-", !request.hasBody)
        var response: APIResponse
        do {
            let (route, admitted) = try admit(request, channel.localAddress?.ipAddress)
            path = route.path
            let limit = route.body.limit
            guard !request.announcesMore(than: limit) else { throw Self.tooLong(limit) }
            if request.expectsContinue { try await writer.writeInformationalHead(HTTPResponse(status: .continue)) }
            guard let body = try await request.wholeBody(upTo: limit) else { throw Self.tooLong(limit) }
            isRead = true
            response = try await answer(route, admitted, body, request)
        } catch let problem as Problem { response = .problem(problem) }
        // Names of routes and numbers only: what a client sent stands in no log.
        logger.debug(
            "Answered",
            metadata: [
                "method": "\(Self.known(request.method))", "route": "\(path)", "status": "\(response.status)",
                "milliseconds": "\((ContinuousClock.now - start) / .milliseconds(1))",
            ])
        var head = Self.head(response)
        if !isRead { head.headerFields[.connection] = "close" }
        try await write(response, head, request.method == .head, writer, channel)
    }

    private static func known(_ method: HTTPRequest.Method) -> String {
        [.get, .head, .post, .patch, .put, .delete, .options].contains(method) ? method.rawValue : "other"
    }

    private static func tooLong(_ limit: Int) -> Problem {
        limit == 0
            ? Problem(413, "bodyTooLarge", "this request has no body")
            : Problem(413, "bodyTooLarge", "the body has more than \(limit) bytes")
    }

    // MARK: admission

    private func admit(_ request: Request, _ localAddress: String?) throws(Problem) -> (Route, APIRequest) {
        let target = try RequestTarget(parsing: request.head.path ?? "/")
        try rules.check(
            request.method, target, host: request.head.authority, request.headers, localAddress: localAddress)
        let (route, parameters) = try table.find(request.method, target)
        if !route.isPublic { try rules.checkToken(request.headers) }
        if !route.query.contains("*") {
            let names = target.query.map(\.name)
            guard Set(names).count == names.count, names.allSatisfy(route.query.contains) else {
                throw Problem(
                    400, "invalidQuery", "the query has a member that is not known here, or one twice",
                    hint: route.query.isEmpty ? nil : "known are \(route.query.joined(separator: ", "))")
            }
        }
        return (
            route,
            APIRequest(
                target: target, headers: request.headers, accepted: try Self.accepted(route, request.headers),
                parameters: parameters)
        )
    }

    private static func accepted(_ route: Route, _ headers: HTTPFields) throws(Problem) -> MediaType {
        // Files are what they are.
        guard !route.produces.isEmpty else { return .html }
        let best = AcceptedTypes(headers[.accept]).best(of: route.produces.map(\.rawValue))
        guard let type = best.flatMap({ MediaType(rawValue: $0) }) else {
            let words = route.produces.map(\.rawValue).joined(separator: " and ")
            throw Problem(406, "notAcceptable", "here are \(words) only")
        }
        return type
    }

    private func answer(
        _ route: Route, _ admitted: APIRequest, _ body: [UInt8], _ request: Request
    ) async throws(Problem) -> APIResponse {
        switch route.body {
        case .none: break
        case .optionalJSON where body.isEmpty: break
        case .json, .optionalJSON:
            let type = (request.headers[.contentType] ?? "").prefix { $0 != ";" }.lowercased()
            guard type.filter({ $0 != " " }) == MediaType.json.rawValue else {
                throw Problem(415, "unsupportedMediaType", "the body has to be application/json")
            }
        }
        var admitted = admitted
        admitted.body = body
        // No route has members that it could do without yet.
        if case .optionalJSON = route.body, !body.isEmpty { _ = try admitted.object(allowing: []) }
        return try await route.handler(admitted)
    }

    // MARK: answers

    private func write(
        _ response: APIResponse, _ head: HTTPResponse, _ isHead: Bool, _ writer: consuming ResponseWriter,
        _ channel: any Channel
    ) async throws {
        var head = head
        switch response.body {
        case .bytes(let bytes):
            if response.status != 304 { head.headerFields[.contentLength] = String(bytes.count) }
            let body = isHead || bytes.isEmpty ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
            try await writer.write(response: head, body: body)
        case .stream where isHead: try await writer.write(response: head, body: ResponseBody())
        case .stream(let source):
            do { try streams.enter() } catch {
                let refusal = APIResponse.problem(error)
                return try await write(refusal, Self.head(refusal), false, writer, channel)
            }
            head.headerFields[.connection] = "close"
            let body: any ResponseBodyWriter
            do { body = try await writer.writeHead(head) } catch {
                // The client went before it was answered.
                streams.leave()
                throw error
            }
            try await streams.run(source, body, on: channel)
        }
    }

    private static func head(_ response: APIResponse) -> HTTPResponse {
        var head = HTTPResponse(status: .init(code: response.status))
        head.headerFields[.contentType] = response.type
        head.headerFields[.date] = HTTPDate.text(Date())
        for (name, value) in protection { head.headerFields[name] = value }
        for (name, value) in response.fields {
            guard let name = HTTPField.Name(name) else { continue }
            head.headerFields[name] = value
        }
        return head
    }

    /// What browsers are told about every answer: nothing from elsewhere, in no frame, kept nowhere (Content Security
    /// Policy Level 3; Fetch, 3.6 and 3.7; Referrer Policy; Permissions Policy; HTML Standard, 7.1.3).
    private static let protection: [HTTPField.Name: String] = {
        let fields = [
            "Content-Security-Policy":
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
                + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
            "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
            "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
            "Cache-Control": "no-store",
        ]
        return fields.reduce(into: [:]) { result, field in
            if let name = HTTPField.Name(field.key) { result[name] = field.value }
        }
    }()
}
