// SPDX-License-Identifier: Apache-2.0

import CardTesting
import CounterServer
import Foundation
import TestSupport
import Testing

/// Requests that mean no good, at every route: a clear 4xx, and the next request is answered.
@Suite struct HostileAPITests {
    /// Every method and path of the document.
    static func operations() throws -> [(method: String, path: String)] {
        let data = try Data(contentsOf: PagesTests.folder.appending(path: "openapi.json"))
        let document = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let paths = try #require(document["paths"] as? [String: [String: Any]])
        return paths.flatMap { path, item in
            item.keys.filter { $0 != "parameters" }.map { ($0.uppercased(), path) }
        }.sorted { $0.1 < $1.1 }
    }

    private static func filled(_ path: String) -> String {
        path.replacingOccurrences(of: "{id}", with: "01ARZ3NDEKTSV4RRFFQ69G5FAV")
            .replacingOccurrences(of: "{name}", with: "hq").replacingOccurrences(of: "{path}", with: "api.js")
    }

    private func isRefused(_ answer: RawClient.Answer, _ what: String) {
        #expect((400..<500).contains(answer.status), "\(what): \(answer.status) \(answer.text.prefix(200))")
        #expect(answer.field("Content-Type") == "application/problem+json", "\(what)")
        #expect(throws: Never.self) { try answer.json() }
    }

    @Test func `wrong methods`() async throws {
        let bench = try await APIBench.start()
        let operations = try Self.operations()
        for path in Set(operations.map(\.path)) {
            let allowed = operations.filter { $0.path == path }.map(\.method)
            for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"]
            where !allowed.contains(method) {
                let answer = try bench.ask(method, Self.filled(path))
                #expect(answer.status == 405, "\(method) \(path)")
                #expect(allowed.allSatisfy { answer.field("Allow")?.contains($0) == true }, "\(path)")
            }
        }
        try await bench.stop()
    }

    @Test func `junk for a body`() async throws {
        let bench = try await APIBench.start()
        let bodies: [(String, [UInt8])] = [
            ("nothing", []), ("junk", Array("{]".utf8)), ("no UTF-8", [0x7B, 0x22, 0xFF, 0x22, 0x7D]),
            ("levels", Array(String(repeating: "[", count: 10_000).utf8)), ("a number", Array("1e999999".utf8)),
            ("twice", Array(#"{"locked":true,"locked":false}"#.utf8)), ("zeros", [UInt8](repeating: 0, count: 100)),
            ("2 MiB", [UInt8](repeating: 0x20, count: 2 << 20)),
        ]
        for (method, path) in try Self.operations() where method == "POST" || method == "PATCH" {
            for (what, body) in bodies where !(what == "nothing" && method == "POST") {
                let client = try bench.client()
                let head =
                    "\(method) \(Self.filled(path)) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                    + "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n"
                client.send(Array(head.utf8) + body)
                let answer = try #require(client.answer(), "\(what) at \(path)")
                isRefused(answer, "\(what) at \(path)")
                if what == "2 MiB" { #expect(answer.status == 413, "\(path)") }
            }
        }
        #expect(try bench.ask("PATCH", "/v1/wallet", "{}", ["Content-Type": "text/plain"]).status == 415)
        #expect(try bench.ask("GET", "/v1/taps").status == 200)
        try await bench.stop()
    }

    @Test func `bodies where there are none, long ones before they come`() async throws {
        let bench = try await APIBench.start()
        #expect(try bench.ask("GET", "/v1/taps", "{}").status == 413)
        let chunked = try bench.client()
        chunked.send("PATCH /v1/wallet HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in 0..<3 { chunked.send(Array("7D0\r\n".utf8) + [UInt8](repeating: 0x20, count: 2000) + [13, 10]) }
        #expect(chunked.answer()?.status == 413)
        let announced = try bench.client()
        announced.send(
            "PATCH /v1/wallet HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 99999999\r\n\r\n")
        #expect(announced.answer()?.status == 413)
        try await bench.stop()
    }

    @Test func `odd targets`() async throws {
        let bench = try await APIBench.start()
        let long = String(repeating: "a", count: 5000)
        let targets = [
            "/v1/taps?after=\(long)", "/\(long)", "/v1/taps/\(String(repeating: "x", count: 300))", "/v1/taps/%00",
            "/v1/taps/..", "/v1/taps?after=%GG", "/v1/taps?=", "/v1/taps?limit=1&limit=2",
            "/v1/taps?" + (0..<100).map { "a\($0)=1" }.joined(separator: "&"), "/v1/taps/01ARZ3NDEKTSV4RRFFQ69G5FA",
            "/v1/taps/81ARZ3NDEKTSV4RRFFQ69G5FAV", "/v1//taps", "/v1/taps/", "/v1", "*", "nothing",
            "/v1/taps?limit=1000000", "/v1/taps?latest=-1",
            "/v1/taps?after=1&latest=1", "/v1/compare", "/v1/compare?left=x&right=y", "/v1/deliveries?event=%F0%9F",
        ]
        for target in targets {
            let client = try bench.client()
            client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            let answer = try #require(client.answer(), "\(target.prefix(60))")
            #expect((400..<500).contains(answer.status), "\(target.prefix(60)): \(answer.status)")
        }
        #expect(try bench.ask("GET", "/v1/taps").status == 200)
        try await bench.stop()
    }

    @Test func `what is no HTTP gets words`() async throws {
        let bench = try await APIBench.start()
        let garbage = try bench.client()
        garbage.send([0xFF, 0x00, 0x16, 0x03, 0x01, 0x0D, 0x0A, 0x0D, 0x0A])
        isRefused(try #require(garbage.answer()), "garbage")
        let flood = try bench.client()
        flood.send("GET / HTTP/1.1\r\nHost: x\r\n" + String(repeating: "X: y\r\n", count: 20_000))
        if let answer = flood.answer() { #expect(answer.status == 431) }
        let long = try bench.client()
        long.send("GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: 100_000) + "\r\n\r\n")
        if let answer = long.answer() { #expect(answer.status == 431) }
        // In the middle of a body, and after an answer.
        let broken = try bench.client()
        broken.send("PATCH /v1/wallet HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
        #expect(broken.answer()?.status ?? 400 == 400)
        let second = try bench.client()
        second.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(second.answer()?.status == 200)
        second.send([0xFF, 0xFF, 0x0D, 0x0A, 0x0D, 0x0A])
        #expect(second.answer()?.status == 400)
        #expect(second.read() == nil)
        #expect(try bench.ask("GET", "/v1/taps").status == 200)
        try await bench.stop()
    }

    @Test func `clients that are slow, half there, or gone`() async throws {
        let bench = try await APIBench.start {
            $0.server.limits.request = .milliseconds(700)
            $0.server.limits.idle = .milliseconds(700)
        }
        let slow = try bench.client()
        slow.send("PATCH /v1/wallet HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
        let silent = try bench.client()
        for _ in 0..<50 {
            let gone = try bench.client()
            gone.send("GET /v1/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
        }
        let half = try bench.client()
        half.send("GET /v1/taps HTTP/1.1\r\nHost: localhost\r\n\r\n")
        half.finish()
        #expect(half.answer()?.status == 200)
        #expect(slow.readToEnd().isEmpty && silent.readToEnd().isEmpty)
        #expect(try bench.ask("GET", "/v1/taps").status == 200)
        try await bench.stop()
    }

    @Test func `streams of clients that are gone give their place back`() async throws {
        let bench = try await APIBench.start { $0.server.limits.streams = 1 }
        for round in 0..<300 {
            let gone = try bench.client()
            gone.reset()
            gone.send(
                "GET /v1/\(round.isMultiple(of: 2) ? "live" : "events") HTTP/1.1\r\nHost: localhost\r\n"
                    + "Accept: text/event-stream\r\n\r\n")
        }
        // One at a time is allowed, and nobody is there any more.
        let fields = ["Accept": "text/event-stream", "Last-Event-ID": "0"]
        try await eventually {
            let client = try bench.client()
            client.send(APIBench.request("GET", "/v1/live", nil, fields))
            return client.read().map { String(decoding: $0, as: UTF8.self).hasPrefix("HTTP/1.1 200") } == true
        }
        try await bench.stop()
    }

    /// Random bytes behind a right beginning: an answer or the end, never more.
    @Test func `anything at all`() async throws {
        let bench = try await APIBench.start { $0.server.limits.request = .milliseconds(300) }
        var random = SeededRandom(seed: 5)
        for round in 0..<60 {
            let client = try bench.client()
            let start = ["", "GET ", "GET /v1/taps?", "PATCH /v1/wallet HTTP/1.1\r\nHost: localhost\r\n"][round % 4]
            client.send(Array(start.utf8) + (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) })
            client.finish()
            _ = client.readToEnd()
        }
        #expect(try bench.ask("GET", "/v1/taps").status == 200)
        try await bench.stop()
    }
}
