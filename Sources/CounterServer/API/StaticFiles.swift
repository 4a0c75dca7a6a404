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

    /// The languages that the pages have: `assets/texts-LANGUAGE.js` each.
    static let languages = ["en", "de"]

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

    /// - Parameter language: the one that pages begin in, until the person at the browser chooses another.
    static func routes(language: String) -> [Route] {
        [("/", "index.html"), ("/counter", "counter.html"), ("/decoder", "decoder.html")].map { path, file in
            let page = page(file, in: language)
            return Route(.get, path) { request throws(Problem) in try response(page, request) }
                .with(query: ["*"], produces: [.html], isPublic: true)
        } + [
            Route(.get, "/assets/{path}") { request throws(Problem) in
                try response(files["assets/\(request.parameters["path"] ?? "")"], request)
            }.with(query: ["*"], produces: [], isPublic: true),
            Route(.get, "/openapi.json") { request throws(Problem) in try response(files["openapi.json"], request) }
                .with(isPublic: true),
        ]
    }

    /// A page that says which language it begins in, for `assets/i18n.js`.
    private static func page(_ name: String, in language: String) -> File? {
        let isWord = (2...8).contains(language.utf8.count) && language.utf8.allSatisfy { (0x61...0x7A).contains($0) }
        guard let file = files[name], isWord else { return files[name] }
        let start = Array("<html ".utf8)
        guard let place = file.bytes.firstRange(of: start) else { return file }
        var bytes = file.bytes
        bytes.insert(contentsOf: Array("data-language=\"\(language)\" ".utf8), at: place.upperBound)
        return File(bytes: bytes, type: file.type, tag: "\"\(language)-\(file.tag.dropFirst())")
    }

    /// RFC 9110, 13.1.2: a client that has the file already is told so.
    private static func response(_ file: File?, _ request: APIRequest) throws(Problem) -> APIResponse {
        guard let file else { throw Problem(404, "noFile", "there is no such file") }
        let fields = ["ETag": file.tag, "Cache-Control": "no-cache"]
        let known = (request.headers[.ifNoneMatch] ?? "").split(separator: ",").map { $0.drop { $0 == " " } }
        if known.contains(where: { $0 == file.tag || $0 == "W/\(file.tag)" || $0 == "*" }) {
            return APIResponse(status: 304, type: file.type, fields: fields, body: .bytes([]))
        }
        return APIResponse(type: file.type, fields: fields, body: .bytes(file.bytes))
    }
}
