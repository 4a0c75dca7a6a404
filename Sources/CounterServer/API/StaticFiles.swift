// SPDX-License-Identifier: Apache-2.0

internal import CCounterPages
internal import HTTPTypes
internal import WalletCrypto

/// The pages, which are part of the program.
enum StaticFiles {
    /// One file with its tag.
    private struct File: Sendable {
        let bytes: [UInt8]
        let type: String
        let tag: String
    }

    /// By path below `Sources/CounterServer/Pages`: only what stands here can be asked for.
    private static let files: [String: File] = {
        var files: [String: File] = [:]
        for page in UnsafeBufferPointer(start: countertop_pages, count: countertop_page_count) {
            guard let path = page.path, let start = page.bytes else { continue }
            let name = String(cString: path)
            let bytes = Array(UnsafeBufferPointer(start: start, count: page.count))
            let hash = Digest.sha256(bytes).prefix(12).map { String($0, radix: 16) }.joined()
            files[name] = File(bytes: bytes, type: type(of: name), tag: "\"\(hash)\"")
        }
        return files
    }()

    /// All paths, for tests.
    static var paths: [String] { files.keys.sorted() }

    private static func type(of name: String) -> String {
        types.first { name.hasSuffix($0.suffix) }?.type ?? "application/octet-stream"
    }

    private static let types: [(suffix: String, type: String)] = [
        (".html", MediaType.html.field), (".css", "text/css; charset=utf-8"),
        (".js", "text/javascript; charset=utf-8"), (".json", MediaType.json.field), (".svg", "image/svg+xml"),
        (".png", "image/png"), (".ico", "image/vnd.microsoft.icon"), (".woff2", "font/woff2"),
    ]

    static let routes: [Route] =
        [("/", "index.html"), ("/counter", "counter.html"), ("/decoder", "decoder.html")].map { path, file in
            Route(.get, path) { request throws(Problem) in try response(file, request) }
                .with(query: ["*"], produces: [.html], isPublic: true)
        } + [
            Route(.get, "/assets/{path}") { request throws(Problem) in
                try response("assets/\(request.parameters["path"] ?? "")", request)
            }.with(query: ["*"], produces: [], isPublic: true),
            Route(.get, "/openapi.json") { request throws(Problem) in try response("openapi.json", request) }
                .with(isPublic: true),
        ]

    /// RFC 9110, 13.1.2: a client that has the file already is told so.
    private static func response(_ path: String, _ request: APIRequest) throws(Problem) -> APIResponse {
        guard let file = files[path] else { throw Problem(404, "noFile", "there is no such file") }
        let fields = ["ETag": file.tag, "Cache-Control": "no-cache"]
        let known = (request.headers[.ifNoneMatch] ?? "").split(separator: ",").map { $0.drop { $0 == " " } }
        if known.contains(where: { $0 == file.tag || $0 == "W/\(file.tag)" || $0 == "*" }) {
            return APIResponse(status: 304, type: file.type, fields: fields, body: .bytes([]))
        }
        return APIResponse(type: file.type, fields: fields, body: .bytes(file.bytes))
    }
}
