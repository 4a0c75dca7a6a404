// SPDX-License-Identifier: Apache-2.0

import Foundation
import LoyaltyFeed
import TestSupport
import Testing
import WalletCrypto

/// Every way in which a receiver can fail, over real connections.
@Suite struct WebhookFailureTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let answer: ReceiverAnswer
        let verdict: DeliveryReport.Verdict
        var detail = ""
        var timeout = "20s"
        var testDescription: String { name }
    }

    static let date: String = {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: Date(timeIntervalSinceNow: -100))
    }()

    static let big =
        Array("HTTP/1.1 200 OK\r\n".utf8)
        + Array((0..<20_000).map { "x-field-\($0): \(String(repeating: "y", count: 40))\r\n" }.joined().utf8)
        + Array("content-length: 0\r\n\r\n".utf8)

    static let cases: [Case] = [
        Case(name: "200", answer: ReceiverAnswer(200), verdict: .delivered),
        Case(name: "204", answer: ReceiverAnswer(204), verdict: .delivered),
        Case(
            name: "301", answer: ReceiverAnswer(301, headers: [("location", "http://127.0.0.1:1/hush")]),
            verdict: .refused(retryAfter: nil), detail: "redirect"),
        Case(name: "304", answer: ReceiverAnswer(304), verdict: .refused(retryAfter: nil), detail: "redirect"),
        Case(name: "400", answer: ReceiverAnswer(400, body: Array("hush".utf8)), verdict: .refused(retryAfter: nil)),
        Case(name: "401", answer: ReceiverAnswer(401), verdict: .refused(retryAfter: nil), detail: "credentials"),
        Case(name: "404", answer: ReceiverAnswer(404), verdict: .refused(retryAfter: nil)),
        Case(name: "410", answer: ReceiverAnswer(410), verdict: .disabled, detail: "no more events"),
        Case(name: "429", answer: ReceiverAnswer(429), verdict: .unavailable(retryAfter: nil)),
        Case(
            name: "429 with seconds", answer: ReceiverAnswer(429, headers: [("Retry-After", "120")]),
            verdict: .unavailable(retryAfter: .seconds(120)), detail: "wait 2m"),
        Case(
            name: "503 with a date gone by", answer: ReceiverAnswer(503, headers: [("Retry-After", date)]),
            verdict: .unavailable(retryAfter: .zero)),
        Case(
            name: "500 with seconds", answer: ReceiverAnswer(500, headers: [("Retry-After", "120")]),
            verdict: .unavailable(retryAfter: nil)),
        Case(
            name: "502 with nonsense", answer: ReceiverAnswer(502, headers: [("Retry-After", "soon")]),
            verdict: .unavailable(retryAfter: nil)),
        Case(
            name: "reset", answer: ReceiverAnswer(manner: .reset), verdict: .unavailable(retryAfter: nil),
            detail: "without an answer"),
        Case(
            name: "hang", answer: ReceiverAnswer(manner: .hang), verdict: .unavailable(retryAfter: nil),
            detail: "did not answer within 2s", timeout: "2s"),
        Case(
            name: "a body that drips", answer: ReceiverAnswer(200, manner: .drip(every: .milliseconds(50))),
            verdict: .delivered),
        Case(
            name: "garbage", answer: ReceiverAnswer(manner: .raw(Array("\u{16}\u{3}\u{1} nonsense\r\n\r\n".utf8))),
            verdict: .unavailable(retryAfter: nil)),
        Case(
            name: "1 MB of header fields", answer: ReceiverAnswer(manner: .raw(big)),
            verdict: .unavailable(retryAfter: nil)),
        Case(
            name: "half a head", answer: ReceiverAnswer(manner: .raw(Array("HTTP/1.1 200 OK\r\nx-a".utf8))),
            verdict: .unavailable(retryAfter: nil)),
        Case(
            name: "a body of 10 MB", answer: ReceiverAnswer(200, body: [UInt8](repeating: 0x20, count: 10 << 20)),
            verdict: .delivered),
    ]

    @Test(arguments: cases, [true, false]) func verdict(_ example: Case, isUsed: Bool) async throws {
        let folder = try TemporaryFolder()
        let receiver = try await HTTPReceiver { request in
            request.field("x-first") != nil || request.text.contains("\"warm\"") ? ReceiverAnswer(200) : example.answer
        }
        let sink = try makeSink(
            "webhook",
            [
                "url": .string("http://127.0.0.1:\(receiver.port)/hook?token=hush"),
                "timeout": .string(example.timeout),
                "secret_file": .string(try folder.write("secret", testSecret + "\n")),
            ])
        // The same on a connection that was good before.
        if isUsed { #expect(await sink.deliver([sampleEvent(member: "warm")]).first?.verdict == .delivered) }
        let began = ContinuousClock.now
        let reports = await sink.deliver([sampleEvent()])
        #expect(reports.map(\.verdict) == [example.verdict], "\(reports)")
        #expect(example.detail.isEmpty || reports.allSatisfy { $0.detail.contains(example.detail) }, "\(reports)")
        #expect(leaksNothing(reports))
        #expect(ContinuousClock.now - began < .seconds(10))
        // The next event is none the worse for it.
        let next = await sink.deliver([sampleEvent(member: "warm")])
        #expect(next.first?.verdict == .delivered, "\(next)")
        await sink.close()
        await receiver.close()
    }

    @Test func `nobody there, no such name, and no TLS are told apart`() async throws {
        let folder = try TemporaryFolder()
        let secret = try folder.write("secret", testSecret)
        let gone = try await HTTPReceiver { _ in ReceiverAnswer(200) }
        let plain = try await HTTPReceiver { _ in ReceiverAnswer(200) }
        await gone.close()
        let cases = [
            ("http://127.0.0.1:\(gone.port)/", "refuses connections"),
            ("https://does-not-exist.invalid/", "cannot be resolved"),
            ("https://127.0.0.1:\(plain.port)/", "does not speak TLS"),
            ("https://10.0.0.1/", "private address"),
            ("https://169.254.169.254/latest/meta-data", "cloud metadata address"),
            ("https://[fe80::1]/", "link-local address"),
            ("https://[::ffff:192.168.1.1]/", "private address"),
        ]
        for (url, detail) in cases {
            let sink = try makeSink(
                "webhook", ["url": .string(url), "secret_file": .string(secret), "timeout": .string("20s")])
            let reports = await sink.deliver([sampleEvent()])
            #expect(reports.map(\.verdict) == [.unreachable], "\(url): \(reports)")
            #expect(reports.allSatisfy { $0.detail.contains(detail) }, "\(url): \(reports)")
            await sink.close()
        }
        await plain.close()
    }

    @Test func `a cancelled delivery ends at once`() async throws {
        let folder = try TemporaryFolder()
        let receiver = try await HTTPReceiver { _ in ReceiverAnswer(manner: .hang) }
        let sink = try makeSink(
            "webhook",
            [
                "url": .string("http://127.0.0.1:\(receiver.port)/"),
                "secret_file": .string(try folder.write("secret", testSecret)),
            ])
        let began = ContinuousClock.now
        let work = Task { await sink.deliver([sampleEvent()]) }
        try await Task.sleep(for: .milliseconds(200))
        work.cancel()
        #expect(await work.value.map(\.verdict) == [.unreachable])
        #expect(ContinuousClock.now - began < .seconds(5))
        await sink.close()
        await receiver.close()
    }
}
