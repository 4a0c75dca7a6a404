// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WalletCrypto

@testable import LoyaltyFeed

/// The NATS sink at a real `nats-server`.
@Suite(.enabled(if: NATSServer.program != nil, "nats-server is not installed (Debian: nats-server)"))
struct NATSSinkTests {
    /// How many messages the stream has.
    private func count(_ server: NATSServer) throws -> UInt64 {
        var options = LedgerOptions(
            nats: try NATSOptions(url: server.url), postgres: try PostgresOptions(connection: ""))
        options.durable = "count-\(UUID().uuidString)"
        return try LedgerConsumer(options).pending()
    }

    @Test func eachEventIsAcknowledgedAndKnownAgain() async throws {
        let server = try NATSServer()
        let sink = try BrokerBench.sink(server)
        let events = try BrokerBench.events(1...150)
        let first = await sink.deliver(events)
        #expect(first.map(\.verdict) == Array(repeating: .delivered, count: 150))
        #expect(first[0].detail == "stream TAPS, sequence 1" && first[149].detail == "stream TAPS, sequence 150")
        let again = await sink.deliver(events)
        #expect(again.allSatisfy { $0.verdict == .delivered && $0.detail.hasSuffix(", which had it already") })
        #expect(again[149].detail.hasPrefix("stream TAPS, sequence 150,"))
        #expect(try count(server) == 150)
        #expect(await sink.deliver([]).isEmpty)
        await sink.close()
        // A closed sink opens again when it is needed.
        #expect(await sink.deliver([try BrokerBench.event(151)]).map(\.verdict) == [.delivered])
        await sink.close()
    }

    @Test func whatTheSubscriberSees() async throws {
        let server = try NATSServer()
        let connection = try NATSConnection(try NATSOptions(url: server.url))
        let subscription = try connection.subscribe("taps.acme.>")
        try connection.flush(milliseconds: 2000)
        let sink = try BrokerBench.sink(server)
        let event = try BrokerBench.event(1)
        _ = await sink.deliver([event])
        let message = try #require(try subscription.next(milliseconds: 5000))
        #expect(message.subject == "taps.acme.0042.c1" && message.body == event.body)
        #expect(message.header("Nats-Msg-Id") == event.event.id.description)
        #expect(message.header("Content-Type") == "application/cloudevents+json; charset=UTF-8")
        #expect(message.header("Nats-Expected-Stream") == "TAPS")
        await sink.close()
    }

    @Test func withoutAStream() async throws {
        let server = try NATSServer()
        let sink = NATSSink(
            name: "fleet", options: try NATSOptions(url: server.url), subject: "taps.a.b.c", timeout: .seconds(1))
        let reports = await sink.deliver(try BrokerBench.events(1...3))
        #expect(reports.count == 3 && reports.allSatisfy { $0.verdict == .unreachable })
        #expect(reports[0].detail == "no stream takes the subject taps.a.b.c")
        await sink.close()
    }

    @Test func anotherStreamTakesTheSubject() async throws {
        let server = try NATSServer()
        let first = try BrokerBench.sink(server)
        _ = await first.deliver([try BrokerBench.event(1)])
        let other = NATSSink(
            name: "fleet", options: try NATSOptions(url: server.url), subject: "taps.a.b.c", stream: "OTHER",
            timeout: .seconds(1))
        let report = try #require(await other.deliver([try BrokerBench.event(2)]).first)
        #expect(report.verdict != .delivered, "\(report)")
        await first.close()
        await other.close()
    }

    @Test func aMessageThatIsTooLong() async throws {
        let server = try NATSServer(configuration: "max_payload: 8192")
        let sink = try BrokerBench.sink(server)
        let long = try BrokerBench.event(2, member: String(repeating: "x", count: 10_000))
        let reports = await sink.deliver([try BrokerBench.event(1), long, try BrokerBench.event(3)])
        #expect(reports.map(\.verdict) == [.delivered, .refused(retryAfter: nil), .delivered])
        await sink.close()
    }

    @Test func usersAndTokens() async throws {
        let configuration = "authorization { users: [ { user: counter, password: \"right-one\" } ] }"
        let server = try NATSServer(configuration: configuration)
        for (password, isRight) in [("right-one", true), ("wrong-one", false)] {
            var options = try NATSOptions(url: server.url)
            options.authentication = .password(user: "counter", SecretBytes(copying: Array(password.utf8)))
            let sink = NATSSink(
                name: "fleet", options: options, subject: "taps.a.b.c", making: NATSStreamOptions(),
                timeout: .seconds(2))
            let report = try #require(await sink.deliver([try BrokerBench.event(1)]).first)
            #expect(report.verdict == (isRight ? .delivered : .unreachable), "\(report)")
            #expect(!report.detail.contains(password))
            await sink.close()
        }
        let guarded = try NATSServer(configuration: "authorization { token: \"s3cr3t-token\" }")
        var options = try NATSOptions(url: guarded.url)
        options.authentication = .token(SecretBytes(copying: Array("s3cr3t-token".utf8)))
        let sink = NATSSink(
            name: "fleet", options: options, subject: "taps.a.b.c", making: NATSStreamOptions(), timeout: .seconds(2))
        #expect(await sink.deliver([try BrokerBench.event(1)]).first?.verdict == .delivered)
        await sink.close()
    }

    @Test func nobodyThere() async throws {
        let sink = try BrokerBench.sink("nats://127.0.0.1:\(try LocalServer.freePort())", timeout: .seconds(1))
        let began = ContinuousClock.now
        let reports = await sink.deliver(try BrokerBench.events(1...2))
        #expect(reports.count == 2 && reports.allSatisfy { $0.verdict == .unreachable })
        #expect(ContinuousClock.now - began < .seconds(4))
        await sink.close()
    }

    @Test func aServerThatHangsDoesNotHoldLongerThanTheTimeOut() async throws {
        let server = try NATSServer()
        let sink = try BrokerBench.sink(server, timeout: .seconds(1))
        #expect(await sink.deliver([try BrokerBench.event(1)]).first?.verdict == .delivered)
        server.process.freeze(true)
        let began = ContinuousClock.now
        #expect(await sink.deliver([try BrokerBench.event(2)]).first?.verdict == .unreachable)
        #expect(ContinuousClock.now - began < .seconds(4))
        server.process.freeze(false)
        try await BrokerBench.deliver([try BrokerBench.event(3)], to: sink)
        await sink.close()
    }

    @Test func cancelling() async throws {
        let sink = try BrokerBench.sink("nats://127.0.0.1:\(try LocalServer.freePort())", timeout: .seconds(30))
        let events = try BrokerBench.events(1...2)
        let work = Task { await sink.deliver(events) }
        try await Task.sleep(for: .milliseconds(100))
        let began = ContinuousClock.now
        work.cancel()
        #expect(await work.value.map(\.verdict) == [.unreachable, .unreachable])
        #expect(ContinuousClock.now - began < .seconds(7))
    }

    @Test func aRestartWithinTheTimeOutIsNotSeen() async throws {
        let server = try NATSServer()
        let sink = try BrokerBench.sink(server, timeout: .seconds(30))
        _ = await sink.deliver([try BrokerBench.event(1)])
        server.process.kill()
        let events = try BrokerBench.events(2...11)
        let work = Task { await sink.deliver(events) }
        try await Task.sleep(for: .milliseconds(300))
        try server.process.start()
        #expect(await work.value.allSatisfy { $0.verdict == .delivered })
        #expect(try count(server) == 11)
        await sink.close()
    }
}
