// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// What a route answers.
struct APIResponse: Sendable {
    /// What follows the header fields.
    enum Body: Sendable {
        case bytes([UInt8])
        case stream(any EventSource)
    }

    var status = 200
    /// `Content-Type`.
    var type: String
    var fields: [String: String] = [:]
    var body: Body

    static func json(_ value: JSON) -> APIResponse {
        APIResponse(type: MediaType.json.field, body: .bytes(Array(value.compact.utf8)))
    }

    static func text(_ text: String) -> APIResponse {
        APIResponse(type: MediaType.text.field, body: .bytes(Array(text.utf8)))
    }

    static func stream(_ source: any EventSource) -> APIResponse {
        // Proxies are told not to hold events back (nginx, ngx_http_proxy_module, X-Accel-Buffering).
        APIResponse(type: MediaType.events.field, fields: ["X-Accel-Buffering": "no"], body: .stream(source))
    }

    static func problem(_ problem: Problem) -> APIResponse {
        APIResponse(
            status: problem.status, type: MediaType.problem.field, fields: problem.fields,
            body: .bytes(Array(problem.json.compact.utf8)))
    }
}
