// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WalletCrypto

@testable import LoyaltyFeed

/// The MQTT sink at a real `mosquitto`.
@Suite(.enabled(if: MosquittoBroker.program != nil, "mosquitto is not installed (Debian: mosquitto)"))
struct MQTTSinkTests {
    private func sink(_ broker: MosquittoBroker, timeout: Duration = .seconds(10)) throws -> MQTTSink {
        MQTTSink(name: "shop", options: try options(broker.url), timeout: timeout)
    }

    private func options(_ url: String) throws -> MQTTOptions {
        try MQTTOptions(url: url, tenant: "acme", store: "0042", counter: "c1")
    }

    private func subscriber(_ broker: MosquittoBroker) async throws -> MQTTSubscriber {
        let subscriber = try MQTTSubscriber(port: broker.process.port, topic: "countertop/v1/acme/#")
        try await BrokerBench.waits("the subscription") { subscriber.subscriptions > 0 }
        return subscriber
    }

    @Test func eachEventReachesTheSubscriber() async throws {
        let broker = try MosquittoBroker()
        let subscriber = try await subscriber(broker)
        defer { subscriber.stop() }
        let sink = try sink(broker)
        let events = try BrokerBench.events(1...100)
        let reports = await sink.deliver(events)
        #expect(reports.map(\.verdict) == Array(repeating: .delivered, count: 100))
        try await BrokerBench.waits("101 messages") { subscriber.messages.count >= 101 }
        let taps = subscriber.messages.filter { $0.topic == "countertop/v1/acme/0042/c1/tap" }
        #expect(taps.map(\.body) == events.map { String(decoding: $0.body, as: UTF8.self) })
        #expect(taps.allSatisfy { $0.contentType == "application/cloudevents+json; charset=utf-8" && !$0.isRetained })
        let status = subscriber.messages.filter { $0.topic == "countertop/v1/acme/0042/c1/status" }
        #expect(status.map(\.body) == ["online"])
        await sink.close()
        try await BrokerBench.waits("offline") { subscriber.messages.last?.body == "offline" }
        // Who comes later is told how it stands.
        let late = try await self.subscriber(broker)
        defer { late.stop() }
        try await BrokerBench.waits("what is retained") { !late.messages.isEmpty }
        #expect(late.messages.map(\.body) == ["offline"] && late.messages[0].isRetained)
    }

    /// Identifiers come again after 65,535 messages: what lies here then would stand for a message the broker never had.
    @Test func noAcknowledgementIsLeftLying() async throws {
        let broker = try MosquittoBroker()
        let publisher = MQTTPublisher(try options(broker.url))
        for round in 0..<3 {
            let events = try BrokerBench.events((round * 5 + 1)...(round * 5 + 5))
            let reports = publisher.deliver(events, by: Deadline(in: .seconds(10), stop: StopFlag()))
            #expect(reports.allSatisfy { $0.verdict == .delivered })
            #expect(publisher.unclaimed == 0)
        }
        publisher.disconnect(by: Deadline(in: .seconds(2), stop: StopFlag()))
        let client = try MQTTClient(try options(broker.url))
        try await BrokerBench.waits("the connection") { try client.isConnected() }
        let early = try client.publish([1], topic: "a", retained: false, contentType: "text/plain")
        client.disregard(early)
        let late = try client.publish([2], topic: "a", retained: false, contentType: "text/plain")
        try await BrokerBench.waits("the second acknowledgement") { client.acknowledgement(of: late) != nil }
        #expect(client.unclaimed == 0 && client.acknowledgement(of: early) == nil)
        let known = try client.publish([3], topic: "a", retained: false, contentType: "text/plain")
        try await BrokerBench.waits("the third acknowledgement") { client.unclaimed == 1 }
        client.disregard(known)
        #expect(client.unclaimed == 0)
        client.abandon()
    }

    @Test func theLastWill() async throws {
        let broker = try MosquittoBroker()
        let subscriber = try await subscriber(broker)
        defer { subscriber.stop() }
        let client = try MQTTClient(try options(broker.url))
        try await BrokerBench.waits("the connection") { try client.isConnected() }
        // Gone without a word.
        client.cut()
        try await BrokerBench.waits("the will") { subscriber.messages.map(\.body) == ["offline"] }
    }

    @Test func aBrokerThatIsKilled() async throws {
        let broker = try MosquittoBroker()
        let subscriber = try await subscriber(broker)
        defer { subscriber.stop() }
        let sink = try sink(broker, timeout: .seconds(3))
        var safe: [OutgoingEvent] = []
        var number = 1
        for _ in 0..<(BrokerBench.isLong ? 20 : 3) {
            let under = try BrokerBench.events(number...(number + 49))
            let work = Task { try await BrokerBench.deliver(under, to: sink) }
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...5)))
            let before = subscriber.subscriptions
            try broker.process.restart(pause: .milliseconds(100))
            // Each is acknowledged in the end, by the broker before or after; the subscriber may have missed the former.
            try await work.value
            try await BrokerBench.waits("the subscriber's return") { subscriber.subscriptions > before }
            let after = try BrokerBench.events((number + 50)...(number + 59))
            try await BrokerBench.deliver(after, to: sink)
            safe += after
            number += 60
        }
        let bodies = Set(safe.map { String(decoding: $0.body, as: UTF8.self) })
        try await BrokerBench.waits("all that came while the broker stood") {
            bodies.isSubset(of: subscriber.messages.map(\.body))
        }
        await sink.close()
    }

    @Test func usersAndPasswords() async throws {
        let folder = try TemporaryFolder()
        let passwords = try folder.write("passwords", "counter:right-one\n")
        _ = try SampleCompiler.run("/usr/bin/mosquitto_passwd", ["-U", passwords])
        let broker = try MosquittoBroker(configuration: "allow_anonymous false\npassword_file \(passwords)")
        for (password, isRight) in [("right-one", true), ("wrong-one", false)] {
            var options = try options(broker.url)
            options.user = "counter"
            options.password = SecretBytes(copying: Array(password.utf8))
            let sink = MQTTSink(name: "shop", options: options, timeout: .seconds(2))
            let report = try #require(await sink.deliver([try BrokerBench.event(1)]).first)
            #expect(report.verdict == (isRight ? .delivered : .unreachable), "\(report)")
            #expect(!report.detail.contains(password))
            if !isRight { #expect(report.detail.contains("does not let us in"), "\(report)") }
            await sink.close()
        }
    }

    /// mosquitto drops what a topic's rule forbids and says so in the acknowledgement (MQTT 5.0, 3.4.2.1).
    @Test func aTopicThatIsNotOurs() async throws {
        let folder = try TemporaryFolder()
        let rules = try folder.write("acl", "topic readwrite other/#\n")
        let broker = try MosquittoBroker(configuration: "allow_anonymous true\nacl_file \(rules)")
        let sink = try sink(broker, timeout: .seconds(2))
        let report = try #require(await sink.deliver([try BrokerBench.event(1)]).first)
        #expect(report.verdict == .unavailable(retryAfter: nil) && report.status == 0x87, "\(report)")
        #expect(report.detail == "the broker did not take it: not authorized")
        await sink.close()
    }

    @Test func nobodyThereAndOneThatHangs() async throws {
        let broker = try MosquittoBroker()
        let sink = try sink(broker, timeout: .seconds(1))
        #expect(await sink.deliver([try BrokerBench.event(1)]).map(\.verdict) == [.delivered])
        broker.process.freeze(true)
        let began = ContinuousClock.now
        #expect(await sink.deliver([try BrokerBench.event(2)]).map(\.verdict) == [.unreachable])
        #expect(ContinuousClock.now - began < .seconds(3))
        broker.process.freeze(false)
        try await BrokerBench.deliver([try BrokerBench.event(3)], to: sink)
        broker.process.kill()
        let reports = await sink.deliver(try BrokerBench.events(4...5))
        #expect(reports.map(\.verdict) == [.unreachable, .unreachable])
        await sink.close()
    }
}
