// SPDX-License-Identifier: Apache-2.0

import Foundation
import LoyaltyFeed
import TestSupport
import Testing
import WalletCrypto

@testable import CounterServer

@Suite("countertop serve, in process", .timeLimit(.minutes(2)))
struct RuntimeTests {
    @Test("A tap is delivered once, signed, in its order, and fast")
    func delivered() async throws {
        let deliveries = Deliveries()
        let receiver = try await deliveries.listen()
        let bench = try RuntimeBench()
        let runtime = try bench.runtime(bench.configuration(sink: receiver.port, secret: deliveries.secret))
        let times = try await runtime.running {
            var times: [Duration] = []
            for _ in 0..<100 {
                let start = ContinuousClock.now
                let event = try #require(try await runtime.tapOnce().events.first)
                try await eventually { deliveries.ids.contains(event.description) }
                times.append(try start.duration(to: #require(deliveries.time(of: event.description))))
            }
            return times.sorted()
        }
        #expect(deliveries.ids.count == 100 && Set(deliveries.ids).count == 100)
        #expect(try #require(times.dropLast(2).last) < .milliseconds(200), "the 98th of 100")
        let taps = try await runtime.outbox.taps(after: nil, limit: 1000)
        #expect(taps.flatMap(\.events).map(\.id.description) == deliveries.ids)
        let body = try #require(deliveries.bodies.first)
        let event = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
        let data = try #require(event["data"] as? [String: Any])
        #expect(data["member"] as? String == "M-1" && event["subject"] as? String == CounterBench.club)
    }

    @Test("A pass without its key waits; the key comes, SIGHUP says so, and it is an event")
    func reload() async throws {
        let bench = try RuntimeBench()
        let other = try P256PrivateKey.generate()
        try bench.folder.write("late.pem", other.pkcs8PEM().withUnsafeBytes { Array($0) })
        let runtime = try bench.runtime(bench.configuration(key: "late.pem"))
        try await runtime.running {
            let outcome = try await runtime.tapOnce()
            #expect(outcome.events.count == 1)
            #expect(try await runtime.outbox.events(after: 0, limit: 10).isEmpty && outcome.missingKeys.count == 1)
            let parked = try #require(try await runtime.outbox.tap(outcome.id))
            #expect(parked.parked == [0: false])
            try bench.folder.write("late.pem", "no key at all")
            await #expect(throws: ConfigurationError.self) { try await runtime.reloadKeys() }
            try bench.folder.write("late.pem", bench.key.pkcs8PEM().withUnsafeBytes { Array($0) })
            try await runtime.reloadKeys()
            let events = try await runtime.outbox.events(after: 0, limit: 10)
            #expect(events.map(\.outgoing.event.id) == outcome.events && events.first?.outgoing.event.member == "M-1")
            let opened = try #require(try await runtime.outbox.tap(outcome.id))
            #expect(opened.parked == [0: true])
            let pass = try #require(
                CounterViews.json(opened).compact.firstMatch(of: /"result":"[a-z]+","member":[^,]*,/))
            #expect(pass.0 == #""result":"read","member":null,"#)
        }
    }

    @Test("A key in a file that the configuration names only now is taken too")
    func newEntry() async throws {
        let bench = try RuntimeBench()
        try bench.folder.write("late.pem", P256PrivateKey.generate().pkcs8PEM().withUnsafeBytes { Array($0) })
        let runtime = try bench.runtime(bench.configuration(key: "late.pem"))
        try await runtime.running {
            let outcome = try await runtime.tapOnce()
            try bench.folder.write("new.pem", bench.key.pkcs8PEM().withUnsafeBytes { Array($0) })
            try await runtime.reloadKeys(of: bench.configuration(key: "new.pem"))
            let events = try await runtime.outbox.events(after: 0, limit: 10)
            #expect(events.map(\.outgoing.event.id) == outcome.events && outcome.events.count == 1)
            // The next tap needs nobody to release it.
            let next = try await runtime.tapOnce()
            #expect(try await runtime.outbox.events(after: 1, limit: 10).map(\.outgoing.event.id) == next.events)
        }
    }

    @Test("A key that came while nobody ran is used at the start")
    func lateKey() async throws {
        let bench = try RuntimeBench()
        try bench.folder.write("late.pem", P256PrivateKey.generate().pkcs8PEM().withUnsafeBytes { Array($0) })
        let first = try bench.runtime(bench.configuration(key: "late.pem"))
        _ = try await first.running { try await first.tapOnce() }
        #expect(try await first.outbox.parked().count == 1)
    }

    @Test("One counter for a state folder")
    func busy() throws {
        let bench = try RuntimeBench()
        let configuration = try bench.configuration()
        let first = try bench.runtime(configuration)
        let error = #expect(throws: OutboxError.self) { try bench.runtime(configuration) }
        #expect(error?.code == .busy)
        _ = first
    }

    @Test("What is wrong with its files is said before anything runs")
    func wrong() throws {
        let bench = try RuntimeBench()
        #expect(throws: ConfigurationError.self) { try bench.runtime(bench.configuration(key: "none.pem")) }
        let configuration = try bench.configuration()
        try bench.folder.write("phone.json", "nonsense")
        #expect(throws: ControlError.self) { try bench.runtime(configuration) }
    }

    @Test("Ready, alive and stopping, as the service manager wants to hear it")
    func systemd() async throws {
        let name = "@countertop-test-\(UUID().uuidString)"
        let manager = try ManagerSocket(name)
        let bench = try RuntimeBench()
        let runtime = try bench.runtime(
            bench.configuration(), environment: ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "200000"])
        let heard = Task.detached {
            var messages: [String] = []
            while let message = manager.next() {
                messages.append(message)
                if message.hasPrefix("STOPPING=1") { break }
            }
            return messages
        }
        try await runtime.running { try await Task.sleep(for: .milliseconds(600)) }
        let messages = await heard.value
        #expect(messages.contains { $0.hasPrefix("READY=1\nSTATUS=Listening at 127.0.0.1:1") })
        #expect(messages.filter { $0 == "WATCHDOG=1" }.count >= 3 && messages.last?.hasPrefix("STOPPING=1") == true)
        #expect(messages.contains { $0.hasPrefix("STATUS=ready: ") })
    }

    @Test("Health, readiness and numbers")
    func numbers() async throws {
        let bench = try RuntimeBench()
        let before = Date().timeIntervalSince1970
        let runtime = try bench.runtime(bench.configuration())
        let after = Date().timeIntervalSince1970
        #expect(await !runtime.readiness().isFine)
        try await Task.sleep(for: .milliseconds(50))
        try await runtime.running {
            _ = try await runtime.tapOnce()
            #expect(await runtime.readiness().isFine)
            #expect(await runtime.health().checks.map(\.name) == ["loop", "outbox"])
            let text = await runtime.metricsText()
            for line in [
                "countertop_taps_total{result=\"read\",wallet=\"apple\"} 1", "countertop_reader_connected 1",
                "countertop_apdu_exchanges_total{sw=\"9000\"} 2", "countertop_outbox_depth 0",
                "countertop_build_info{version=\"test\"} 1", "countertop_tap_duration_seconds_count 1",
            ] {
                #expect(text.uppercased().contains(line.uppercased() + "\n"), "\(line) in \(text)")
            }
            let start = text.firstMatch(of: /\nprocess_start_time_seconds ([0-9.e+]+)\n/).flatMap { Double($0.1) }
            #expect((before...after).contains(try #require(start)))
            #expect(!text.contains("M-1"))
        }
    }

    @Test("A part that fails ends the others, and its error is what run throws")
    func failure() async throws {
        struct Deaf: CounterHTTP {
            func run(onListening: @escaping @Sendable (ListenAddress) -> Void) async throws(ServerError) {
                throw ServerError(.unavailable, "nothing can listen")
            }
        }
        let bench = try RuntimeBench()
        let runtime = try bench.runtime(bench.configuration())
        await #expect(throws: ServerError.self) { try await runtime.run(Deaf()) }
        #expect(runtime.state.phase == .stopped)
    }
}
