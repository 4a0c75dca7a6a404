// SPDX-License-Identifier: Apache-2.0

import CounterServer
import Foundation
import LoyaltyFeed
import Synchronization
import TestSupport
import Testing

/// Server-sent events.
@Suite struct EventStreamTests {
    /// A client that takes events apart.
    private final class Listener {
        private let client: RawClient
        private var text = ""
        private(set) var head = ""

        init(_ bench: APIBench, _ path: String, _ fields: [String: String] = [:]) throws {
            client = try bench.client(readTimeout: 20)
            client.send(
                APIBench.request("GET", path, nil, fields.merging(["Accept": "text/event-stream"]) { $1 }))
        }

        /// The next event, as its fields; nil at the end.
        func next() -> [String: String]? {
            while true {
                if head.isEmpty, let end = text.firstRange(of: "\r\n\r\n") {
                    head = String(text[..<end.lowerBound])
                    text = String(text[end.upperBound...])
                }
                if !head.isEmpty, let event = take() { return event }
                guard let bytes = client.read() else { return nil }
                text += String(decoding: bytes, as: UTF8.self)
            }
        }

        /// One chunk holds one event, as it was written.
        private func take() -> [String: String]? {
            while let end = text.firstRange(of: "\n\n\r\n") {
                let chunk = text[..<end.lowerBound].replacingOccurrences(of: "\r\n", with: "\n")
                text = String(text[end.upperBound...])
                var event: [String: String] = [:]
                for line in chunk.split(separator: "\n").dropFirst() {
                    let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                    event[String(parts[0])] = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
                }
                if event["event"] != nil { return event }
            }
            return nil
        }

        func finish() { client.finish() }
    }

    @Test func `events in order, none lost, none twice, over a restart`() async throws {
        let folder = try TemporaryFolder()
        var seen: [String] = []
        var last = "0"
        for round in 0..<2 {
            let bench = try await APIBench.start(folder: folder)
            for number in 1...3 { try await bench.tap(round * 100 + number) }
            let listener = try Listener(bench, "/v1/events", last == "0" ? [:] : ["Last-Event-ID": last])
            for _ in 1...3 {
                let event = try #require(listener.next())
                #expect(event["event"] == TapEvent.Kind.loyalty.rawValue)
                last = try #require(event["id"])
                seen.append(last)
            }
            // One that comes while it listens.
            try await bench.tap(round * 100 + 50)
            last = try #require(listener.next()?["id"])
            seen.append(last)
            #expect(listener.head.contains("text/event-stream") && listener.head.contains("no-store"))
            try await bench.stop()
            #expect(listener.next() == nil)
        }
        #expect(seen == (1...8).map(String.init))
    }

    @Test func `the same events as JSON`() async throws {
        let bench = try await APIBench.start()
        for number in 1...3 { try await bench.tap(number) }
        let json = try bench.json("/v1/events?after=1&limit=1")
        #expect(json["cursor"] as? String == "2" && (json["events"] as? [Any])?.count == 1)
        #expect(try bench.json("/v1/events?after=3")["cursor"] as? String == "3")
        for query in ["after=-1", "after=x", "after=99999999999999999999", "after=1&after=2", "limit=0", "nope=1"] {
            #expect(try bench.ask("GET", "/v1/events?\(query)").status == 400, "\(query)")
        }
        let fields = ["Accept": "text/event-stream", "Last-Event-ID": "-1"]
        #expect(try bench.ask("GET", "/v1/events", nil, fields).status == 400)
        for cursor in ["4", "9223372036854775807"] {
            #expect(try bench.ask("GET", "/v1/events?after=\(cursor)").status == 410)
            let beyond = ["Accept": "text/event-stream", "Last-Event-ID": cursor]
            #expect(try bench.ask("GET", "/v1/events", nil, beyond).status == 410)
        }
        try await bench.stop()
    }

    @Test func `live: the state first, then what happens`() async throws {
        let bench = try await APIBench.start()
        let listener = try Listener(bench, "/v1/live")
        let first = try #require(listener.next())
        #expect(first["event"] == "state" && first["data"]?.contains(#""state":"ready""#) == true)
        #expect(listener.next()?["event"] == "reader")
        bench.control.say(CounterState(.hold, "hold still"))
        #expect(listener.next()?["data"]?.contains("hold still") == true)
        let tap = try await bench.tap()
        let told = try #require(listener.next())
        #expect(told["event"] == "tap" && told["data"]?.contains(tap.id.description) == true)
        #expect(told["data"]?.contains("MEMBER") == false)
        // A page that comes back is told what it missed.
        let again = try Listener(bench, "/v1/live", ["Last-Event-ID": "0"])
        var events: [String] = []
        while events.last != "tap", let event = again.next()?["event"] { events.append(event) }
        #expect(events.last == "tap")
        try await bench.stop()
    }

    @Test func `a phone that somebody else changed is told to all pages`() async throws {
        let bench = try await APIBench.start()
        let listeners = try (0..<2).map { _ in try Listener(bench, "/v1/live") }
        for listener in listeners { while let event = listener.next()?["event"], event != "reader" {} }
        #expect(try bench.ask("PATCH", "/v1/wallet", #"{"locked":true}"#).status == 200)
        for listener in listeners { #expect(listener.next()?["event"] == "wallet") }
        // A change that was refused is none.
        #expect(try bench.ask("PATCH", "/v1/wallet", #"{"chosen":"nothing"}"#).status == 422)
        try await bench.tap()
        for listener in listeners { #expect(listener.next()?["event"] == "tap") }
        try await bench.stop()
    }

    @Test func `a cursor of another state directory is told so`() async throws {
        let bench = try await APIBench.start()
        #expect(try bench.ask("GET", "/v1/taps?after=1").status == 410)
        for number in 1...3 { try await bench.tap(number) }
        #expect(try bench.json("/v1/taps?after=3")["cursor"] as? String == "3")
        let answer = try bench.ask("GET", "/v1/taps?after=4")
        #expect(answer.status == 410 && answer.text.contains("unknownCursor"))
        try await bench.stop()
    }

    @Test func `a stream outlives the time for answers, and shows that it is there`() async throws {
        let bench = try await APIBench.start {
            $0.server.limits.answer = .milliseconds(300)
            $0.server.limits.idle = .milliseconds(300)
            $0.server.limits.heartbeat = .milliseconds(100)
        }
        let listener = try Listener(bench, "/v1/events")
        try await Task.sleep(for: .seconds(1))
        try await bench.tap()
        #expect(listener.next()?["id"] == "1")
        try await bench.stop()
    }

    @Test func `a client that never reads is dropped`() async throws {
        let bench = try await APIBench.start {
            $0.server.limits.stalled = .milliseconds(500)
            $0.server.limits.streams = 1
        }
        let deaf = try bench.client()
        deaf.send(APIBench.request("GET", "/v1/live", nil, ["Connection": ""]))
        try await Task.sleep(for: .milliseconds(300))
        #expect(try bench.ask("GET", "/v1/live").status == 503)
        // More than sockets hold.
        bench.control.say(CounterState(.hold, String(repeating: "x", count: 8 << 20)))
        try await Task.sleep(for: .seconds(2))
        #expect(try await Self.becomesFree(bench))
        try await bench.stop()
    }

    private static func becomesFree(_ bench: APIBench) async throws -> Bool {
        let end = Date(timeIntervalSinceNow: 20)
        bench.control.say(CounterState(.ready, "ready"))
        while Date() < end {
            try await Task.sleep(for: .milliseconds(100))
            if try Listener(bench, "/v1/live").next() != nil { return true }
        }
        return false
    }

    @Test func `the client's end is the stream's end`() async throws {
        let bench = try await APIBench.start { $0.server.limits.streams = 1 }
        let listener = try Listener(bench, "/v1/live")
        #expect(listener.next() != nil)
        #expect(try bench.ask("GET", "/v1/live").status == 503)
        listener.finish()
        #expect(try await Self.becomesFree(bench))
        try await bench.stop()
    }

    @Test func `what is not accepted`() async throws {
        let bench = try await APIBench.start()
        for (path, accept, status) in [
            ("/v1/live", "application/json", 406), ("/v1/taps", "text/html", 406), ("/v1/taps", "*/*;q=0", 406),
            ("/v1/taps", "text/html, */*;q=0.1", 200), ("/v1/taps", "application/*", 200), ("/", "text/html", 200),
            ("/v1/taps", ";;;,,,", 200), ("/assets/api.js", "text/plain", 200),
        ] {
            #expect(try bench.ask("GET", path, nil, ["Accept": accept]).status == status, "\(path) \(accept)")
        }
        try await bench.stop()
    }
}
