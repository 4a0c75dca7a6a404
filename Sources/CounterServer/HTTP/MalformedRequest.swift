// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import NIOHTTP1

/// A request that was no HTTP, or had more header fields than are taken.
struct MalformedRequest: Sendable {
    /// 400, or 431 for header fields (RFC 6585, 5).
    let status: Int
    /// What is wrong, in one sentence without a full stop and without a byte of the request.
    let reason: String

    init(_ error: HTTPParserError) {
        (status, reason) =
            error == .headerOverflow
            ? (431, "the header fields are longer than is taken") : (400, "the request is not HTTP/1.1")
    }

    /// What a service says about it.
    struct Answer: Sendable {
        let type: String
        let body: [UInt8]

        /// The reason as text.
        static func plain(_ request: MalformedRequest) -> Answer {
            Answer(type: MediaType.text.field, body: Array("\(request.reason)\n".utf8))
        }
    }

    /// The head of the answer; the connection ends with it.
    func head(_ answer: Answer) -> HTTPResponse {
        var head = HTTPResponse(status: .init(code: status))
        head.headerFields[.contentType] = answer.type
        head.headerFields[.contentLength] = String(answer.body.count)
        head.headerFields[.connection] = "close"
        return head
    }
}
