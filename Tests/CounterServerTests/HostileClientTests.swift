// SPDX-License-Identifier: Apache-2.0

import CounterServer
import Foundation
import InAppProvisioning
import Testing

/// Clients that are slow, long, broken or gone; after each the service answers the next one.
@Suite struct HostileClientTests {
    @Test func `a long body is refused and the connection ends`() async throws {
        let bench = try await ServerBench.start()
        let body = [UInt8](repeating: 0x20, count: 300_000)
        let head = "POST /v1/x HTTP/1.1\r\nHost: x\r\n"
        let client = try bench.client()
        client.send(Array("\(head)Content-Length: 300000\r\n\r\n".utf8) + body)
        #expect(client.answer()?.status == 413)
        #expect(client.read() == nil)
        // Without a length, in chunks.
        let chunked = try bench.client()
        chunked.send("\(head)Transfer-Encoding: chunked\r\n\r\n")
        for _ in 0..<3 { chunked.send(Array("186A0\r\n".utf8) + body[..<100_000] + Array("\r\n".utf8)) }
        #expect(chunked.answer()?.status == 413)
        chunked.send("0\r\n\r\n")
        #expect(chunked.read() == nil)
        #expect(bench.audit.filter { $0.contains("bodyTooLarge") }.count == 2)
        #expect(try bench.opened())
        try await bench.stop()
    }

    @Test func `a client that asks first is told to go on`() async throws {
        let bench = try await ServerBench.start()
        let client = try bench.client()
        client.send("POST /x HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        #expect(client.answer()?.status == 100)
        client.send("{}")
        #expect(client.answer()?.status == 404)
        client.send("POST /x HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 999999\r\n\r\n")
        #expect(client.answer()?.status == 413)
        try await bench.stop()
    }

    @Test func `a body of the largest size is taken`() async throws {
        let bench = try await ServerBench.start()
        let body = [UInt8](repeating: 0x20, count: 256 << 10)
        let plain = try #require(ProcessorProfile.named("plain"))
        let target = plain.encode(bench.identity.makeRequest(), card: "card-1")
        #expect(try bench.ask(bench.http(.init(method: "POST", target: target.target, body: body)))?.status == 400)
        try await bench.stop()
    }

    /// One byte now and then: in the header fields, in the body, and nothing at all.
    @Test(arguments: ["header", "body", "silence"])
    func `drops do not hold a connection`(place: String) async throws {
        let bench = try await ServerBench.start {
            _ in
        } server: {
            $0.limits.request = .seconds(1)
            $0.limits.idle = .seconds(1)
        }
        let client = try bench.client()
        let start = ContinuousClock.now
        if place == "header" { client.send("POST /x HTTP/1.1\r\nX: ") }
        if place == "body" { client.send("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n") }
        if place != "silence" {
            for _ in 0..<100 where client.send("X") { try await Task.sleep(for: .milliseconds(50)) }
        }
        #expect(client.readToEnd().isEmpty)
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        #expect((0.9..<10).contains(seconds), "\(seconds)")
        if place != "silence" { try await bench.waits(for: "requestTimeout") }
        #expect(try bench.opened())
        try await bench.stop()
    }

    @Test func `many slow clients leave room for others`() async throws {
        let bench = try await ServerBench.start()
        let slow = try (0..<100).map { _ in try bench.client() }
        for client in slow { client.send("POST / HTTP/1.1\r\nHo") }
        #expect(try bench.opened())
        #expect(slow.count == 100)
        try await bench.stop()
    }

    @Test func `more connections than allowed wait for their turn`() async throws {
        let bench = try await ServerBench.start {
            _ in
        } server: {
            $0.limits.connections = 2
            $0.limits.idle = .seconds(1)
        }
        let first = [try bench.client(), try bench.client()]
        #expect(try bench.opened())
        #expect(first.allSatisfy { $0.read() == nil })
        try await bench.stop()
    }

    @Test func `broken and lost connections`() async throws {
        let bench = try await ServerBench.start()
        let garbage = try bench.client()
        garbage.send([0xFF, 0x00, 0x16, 0x03, 0x01, 0x0D, 0x0A, 0x0D, 0x0A] + [UInt8](repeating: 0x80, count: 500))
        #expect(garbage.answer()?.status == 400)
        let binary = try bench.client()
        binary.send([UInt8](repeating: 0, count: 5000))
        _ = binary.answer()
        let long = try bench.client()
        long.send("GET / HTTP/1.1\r\nX: " + String(repeating: "x", count: 100_000) + "\r\n\r\n")
        #expect((400..<500).contains(long.answer()?.status ?? 400))
        for _ in 0..<20 {
            let lost = try bench.client()
            lost.send("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf")
        }
        let half = try bench.client()
        half.send("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf")
        half.finish()
        _ = half.readToEnd()
        try await bench.waits(for: "incomplete")
        #expect(try bench.opened())
        try await bench.stop()
    }

    @Test func `a client that ends its half is answered`() async throws {
        let bench = try await ServerBench.start()
        let client = try bench.client()
        client.send(try bench.request())
        client.finish()
        #expect(client.answer()?.status == 200)
        try await bench.stop()
    }
}
