// SPDX-License-Identifier: Apache-2.0

/// Why a request was not done, as `application/problem+json` (RFC 9457).
package struct Problem: Error, Hashable, Sendable {
    /// The HTTP status.
    package let status: Int
    /// A stable word for scripts.
    package let code: String
    /// What is wrong, in one sentence without a full stop. Nothing of what the client sent stands in it.
    package let detail: String
    /// What to do about it.
    package let hint: String?
    /// Header fields that belong to the status, such as `Allow`.
    var fields: [String: String] = [:]

    package init(_ status: Int, _ code: String, _ detail: String, hint: String? = nil) {
        (self.status, self.code, self.detail, self.hint) = (status, code, detail, hint)
    }

    func with(_ name: String, _ value: String) -> Problem {
        var problem = self
        problem.fields[name] = value
        return problem
    }

    /// Without a document for each code `type` says no more than `title` does (RFC 9457, 4.2.1).
    var json: JSON {
        .object([
            "type": "about:blank", "title": .string(Self.titles[status] ?? "Error"), "status": .number(status),
            "detail": .string(detail), "code": .string(code), "hint": .optional(hint),
        ])
    }

    /// Reason phrases (RFC 9110, 15; RFC 6585).
    private static let titles: [Int: String] = [
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        406: "Not Acceptable", 409: "Conflict", 413: "Content Too Large", 414: "URI Too Long",
        415: "Unsupported Media Type", 421: "Misdirected Request", 422: "Unprocessable Content",
        429: "Too Many Requests", 431: "Request Header Fields Too Large", 500: "Internal Server Error",
        501: "Not Implemented", 503: "Service Unavailable", 507: "Insufficient Storage",
    ]
}
