// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore

extension Request {
    /// Whether the request says that its body has more bytes than this.
    func announcesMore(than limit: Int) -> Bool {
        headers[.contentLength].flatMap { Int($0) }.map { $0 > limit } ?? false
    }

    /// Whether the request has a body, perhaps an empty one.
    var hasBody: Bool {
        headers[.transferEncoding] != nil || headers[.contentLength].map { $0 != "0" } ?? false
    }

    /// Whether the client waits to be told to send its body (RFC 9110, 10.1.1).
    var expectsContinue: Bool { headers[.expect]?.lowercased() == "100-continue" }

    /// The whole body, or nil when it is longer than is taken.
    func wholeBody(upTo limit: Int) async throws -> [UInt8]? {
        var bytes: [UInt8] = []
        for try await buffer in body {
            guard bytes.count + buffer.readableBytes <= limit else { return nil }
            bytes += buffer.readableBytesView
        }
        return bytes
    }
}
