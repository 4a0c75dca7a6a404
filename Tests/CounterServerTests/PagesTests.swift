// SPDX-License-Identifier: Apache-2.0

import CounterServer
import Foundation
import Testing

/// The pages are part of the program.
@Suite struct PagesTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/CounterServer/Pages")

    @Test func `every file of the folder is in the program, byte for byte`() async throws {
        let bench = try await APIBench.start()
        let names = try FileManager.default.subpathsOfDirectory(atPath: Self.folder.path())
            .filter { !$0.hasSuffix(".md") && Self.isFile($0) }
        #expect(names.count > 3)
        let pages = ["index.html": "/", "counter.html": "/counter", "decoder.html": "/decoder"]
        for name in names {
            let answer = try bench.ask("GET", pages[name] ?? "/\(name)")
            let file = String(decoding: try Data(contentsOf: Self.folder.appending(path: name)), as: UTF8.self)
            // Pages say in which language they begin.
            let text = file.replacing("<html ", with: "<html data-language=\"en\" ", maxReplacements: 1)
            let bytes = Array((pages[name] == nil ? file : text).utf8)
            #expect(answer.status == 200 && answer.body == bytes, "\(name): is it in CCounterPages/pages.c?")
            #expect(answer.field("Content-Type") != "application/octet-stream", "\(name)")
        }
        try await bench.stop()
    }

    private static func isFile(_ name: String) -> Bool {
        (try? folder.appending(path: name).resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true
    }

    @Test func `a client that has a file is told so`() async throws {
        let bench = try await APIBench.start()
        let tag = try #require(try bench.ask("GET", "/counter").field("ETag"))
        for known in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
            let answer = try bench.ask("GET", "/counter", nil, ["If-None-Match": known])
            #expect(answer.status == 304 && answer.body.isEmpty, "\(known)")
        }
        #expect(try bench.ask("GET", "/counter", nil, ["If-None-Match": "\"other\""]).status == 200)
        try await bench.stop()
    }

    @Test func `HEAD is GET without the content`() async throws {
        let bench = try await APIBench.start()
        for path in ["/", "/counter", "/v1/taps", "/v1/events", "/openapi.json", "/metrics", "/v1/live"] {
            let client = try bench.client()
            client.send(APIBench.request("HEAD", path))
            let text = String(decoding: client.readToEnd(), as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 200") && text.hasSuffix("\r\n\r\n"), "\(path): \(text.prefix(200))")
        }
        try await bench.stop()
    }

    @Test(arguments: [
        "/assets/../openapi.json", "/assets/%2e%2e/openapi.json", "/assets/..%2fopenapi.json",
        "/assets/%2Fetc%2Fpasswd",
        "/assets//etc/passwd", "/assets/", "/assets", "/assets/api.js/", "/assets/api.js%00", "/assets/..\\api.js",
        "/index.html", "/pages.c", "//", "/./", "/..", "/%", "/%zz", "/%ff", "/assets/%c0%ae%c0%ae/x", "/a b",
    ])
    func `nothing else can be asked for`(path: String) async throws {
        let bench = try await APIBench.start()
        let status = try bench.ask("GET", path).status
        #expect(status == 404 || status == 400, "\(status)")
        try await bench.stop()
    }
}
