// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LoyaltyFeed

/// What the tests of brokers and ledger share.
enum BrokerBench {
    /// Whether the long forms run: `make chaos` sets it.
    static let isLong = ProcessInfo.processInfo.environment["COUNTERTOP_CHAOS"] == "1"

    private static let ids = ULIDGenerator()

    static let context = SinkContext(counterID: "c1", tenant: "acme", store: "0042") {
        (key, path) throws(SettingError) in
        guard let data = FileManager.default.contents(atPath: path) else { throw SettingError(key, "cannot be read") }
        return Array(data)
    }

    /// An event as the outbox would hand it out.
    static func event(_ number: Int, counter: String = "c1", member: String = "M-1") throws -> OutgoingEvent {
        var event = TapEvent(
            id: ids.next(), source: "/stores/0042/counters/\(counter)", kind: .loyalty,
            time: Date(timeIntervalSince1970: 1795225200.123), sequence: UInt64(number), readerName: "bench",
            mode: "vas", latencyMilliseconds: 1)
        (event.passTypeIdentifier, event.member) = ("pass.com.example.club", member)
        return OutgoingEvent(event: event, body: event.body)
    }

    static func events(_ numbers: ClosedRange<Int>, counter: String = "c1") throws -> [OutgoingEvent] {
        try numbers.map { try event($0, counter: counter) }
    }

    static func sink(_ server: NATSServer, counter: String = "c1", timeout: Duration = .seconds(10)) throws -> NATSSink
    {
        try sink(server.url, counter: counter, timeout: timeout)
    }

    static func sink(_ url: String, counter: String = "c1", timeout: Duration = .seconds(10)) throws -> NATSSink {
        NATSSink(
            name: "fleet", options: try NATSOptions(url: url),
            subject: try NATSSink.subject(tenant: "acme", store: "0042", counter: counter), stream: "TAPS",
            making: NATSStreamOptions(), timeout: timeout)
    }

    /// Delivers as the delivery engine does: in order, again and again until the sink has them.
    static func deliver(_ events: [OutgoingEvent], to sink: some Sink, attempts: Int = 200) async throws {
        var rest = events[...]
        var tries = 0
        while !rest.isEmpty {
            let reports = await sink.deliver(Array(rest.prefix(sink.batchLimit)))
            let done = reports.prefix { $0.verdict == .delivered }.count
            rest = rest.dropFirst(done)
            tries = done == 0 ? tries + 1 : 0
            try #require(tries < attempts, "\(reports.first?.detail ?? "")")
            if done == 0 { try await Task.sleep(for: .milliseconds(20)) }
        }
    }

    static func ledgerOptions(_ nats: NATSServer, _ postgres: PostgresServer) throws -> LedgerOptions {
        var options = LedgerOptions(
            nats: try NATSOptions(url: nats.url),
            postgres: try PostgresOptions(connection: postgres.localConnection))
        options.making = NATSStreamOptions()
        options.acknowledgementWait = .seconds(2)
        return options
    }

    /// Waits until something holds.
    static func waits(_ what: String, timeout: Duration = .seconds(60), _ holds: () throws -> Bool) async throws {
        let end = ContinuousClock.now + timeout
        while try !holds() {
            try #require(ContinuousClock.now < end, "\(what) did not come in time")
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}

/// What a ledger told.
final class LedgerNotes: Sendable {
    private let notes = Mutex<[LedgerReport]>([])
    var all: [LedgerReport] { notes.withLock { $0 } }
    var report: @Sendable (LedgerReport) -> Void { { [self] report in notes.withLock { $0.append(report) } } }
    var isReady: Bool { all.contains(.ready) }
    var waits: [BrokerError] { all.compactMap { if case .waiting(let error) = $0 { error } else { nil } } }
}
